package rules

import "strings"

// redisKills are commands that delete, or run something.
var redisKills = words(`flushall flushdb del unlink shutdown debug script eval evalsha config xtrim ltrim replicaof slaveof`)

// database is a client: its statements stand in its words or on its input.
func (c *call) database() {
	if strings.HasSuffix(c.name, "-cli") && c.name != "cockroach" {
		c.redis()
		return
	}
	texts := c.statements()
	if c.in.kind == literal {
		texts = append(texts, c.in.text)
	} else if c.in.kind > literal {
		c.code(c.in.kind)
	}
	if _, ok := c.value("-f", "--file", "-i"); ok {
		c.add("runs-unseen-code")
	}
	if host, ok := c.value("-h", "--host"); ok && host.text != "" && placeOf(hostOf(host.text)) != thisMachine {
		c.add("reaches-machine")
	}
	for _, t := range texts {
		c.statement(t)
	}
	if len(texts) == 0 && c.in.kind == nothing && !c.has("--version", "--help", "-l") {
		c.add("unresolved") // waits for statements
	}
}

// statements are the words that hold a statement.
func (c *call) statements() []string {
	var found []string
	for _, a := range c.args {
		t := a.text
		if strings.HasPrefix(t, "-") {
			if _, v, ok := strings.Cut(t, "="); ok {
				t = v
			} else if len(t) > 3 && t[1] != '-' {
				t = t[2:]
			}
		}
		if !a.known && a.from >= unknown && a.text == "" {
			c.add("unresolved")
		}
		if strings.ContainsAny(t, " (;\t\n") || strings.HasPrefix(t, ".") || strings.HasPrefix(t, `\`) {
			found = append(found, t)
			if !a.known {
				c.add("unresolved")
			}
		}
	}
	return found
}

func (c *call) statement(sql string) {
	if len(sql) > MaxShell {
		c.add("too-large")
		return
	}
	c.s.spend(12 * len(sql))
	if dropsData(sql) {
		c.add("drops-data")
	}
	if runsFromSQL(sql) {
		c.add("runs-unseen-code")
		c.dangers(codeWords(sql))
	}
	if !onlyReads(sql) {
		c.add("changes-data")
	}
}

func (c *call) redis() {
	words := c.operands("-h -p -a -n -u -s -r -i --user --pass")
	if c.in.kind == literal {
		words = append(words, splitFields(knownField(c.in.text))...)
	} else if c.in.kind > literal {
		c.code(c.in.kind)
	}
	if len(words) == 0 {
		c.add("unresolved")
	}
	reads := len(words) > 0 && redisReads[strings.ToLower(words[0].text)]
	for _, w := range words {
		if redisKills[strings.ToLower(w.text)] {
			c.add("drops-data")
		}
		if !w.known {
			c.add("unresolved")
		}
	}
	if !reads {
		c.add("changes-data")
	}
}

var redisReads = words(`get mget exists keys scan ttl type info ping dbsize hget hgetall lrange llen smembers scard zrange strlen hkeys hlen monitor time client memory`)
