package rules

import (
	"regexp"
	"strings"
)

const sqlSpace = `(?:\s|/\*[\s\S]*?\*/|--[^\n]*\n)+`

var (
	sqlDrops   = regexp.MustCompile(`(?i)\bdrop` + sqlSpace + `(?:table|database|schema|view|index|user|role|column|keyspace|collection|tablespace|sequence|function|owned|materialized)\b|\btruncate` + sqlSpace + `(?:table\b|only\b|["\w])|\bdelete` + sqlSpace + `from\b|\balter` + sqlSpace + `table\b[\s\S]{0,200}\bdrop\b|dropDatabase|\.drop\s*\(|\.deleteMany\s*\(|\.deleteOne\s*\(|\.remove\s*\(\s*\{|dropIndexes`)
	sqlRuns    = regexp.MustCompile(`(?i)\bto` + sqlSpace + `program\b|\bfrom` + sqlSpace + `program\b|(?:^|\n)\s*\\!|(?:^|\n|;)\s*\.(?:shell|system)\b|xp_cmdshell|load_extension|(?:^|\n)\s*(?:\\i|\.read|source)\s`)
	sqlWrites  = regexp.MustCompile(`(?i)\b(?:insert|update|alter|create|grant|revoke|replace|merge|copy|vacuum|reindex|call|do|exec|execute|set|load|rename|comment|import)\b|\.insert|\.update|\.create|\.save\s*\(|\.rename`)
	sqlReads   = regexp.MustCompile(`(?i)^\s*(?:select|show|explain|describe|desc|with|pragma|table|values|\\[dl?]|\.tables|\.schema|\.databases|db\.[\w.]*(?:find|count|stats|getCollection)|show\s)`)
	redisKills = regexp.MustCompile(`(?i)^(?:flushall|flushdb|del|unlink|shutdown|debug|script|eval|config|xtrim|ltrim|expire|replicaof|slaveof)$`)
)

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
	if sqlDrops.MatchString(sql) {
		c.add("drops-data")
	}
	if sqlRuns.MatchString(sql) {
		c.add("runs-unseen-code")
	}
	if sqlWrites.MatchString(sql) || !sqlReads.MatchString(sql) {
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
		if redisKills.MatchString(w.text) {
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
