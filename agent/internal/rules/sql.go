package rules

import "strings"

// drops are statements, as plainSQL prints them, that take data away.
var drops = []string{"drop table", "drop database", "drop schema", "drop view", "drop index", "drop user", "drop role", "drop column",
	"drop keyspace", "drop collection", "drop tablespace", "drop sequence", "drop function", "drop owned", "drop materialized",
	"drop type", "drop extension", "drop foreign", "drop temporary", "drop unlogged", "truncate table", "truncate only", "truncate \"",
	"delete from", "dropdatabase", ".drop(", ".deletemany(", ".deleteone(", ".remove({", ".remove( {", "dropindexes", ".dropcollection"}

// dropsData says that a text holds a statement that deletes data. Comments and
// line breaks between the words do not hide it.
func dropsData(text string) bool {
	low := plainSQL(text)
	if low == "" {
		return false
	}
	for _, d := range drops {
		if holdsWord(low, d) {
			return true
		}
	}
	if i := strings.Index(low, "alter table"); i >= 0 && holdsWord(low[i:], "drop") {
		return true
	}
	return truncates(low)
}

// truncates finds TRUNCATE name at a statement's beginning.
func truncates(low string) bool {
	for statement := range strings.SplitSeq(low, ";") {
		if strings.HasPrefix(strings.TrimSpace(statement), "truncate ") {
			return true
		}
	}
	return false
}

// holdsWord says that s stands in low and does not begin inside a longer word.
func holdsWord(low, s string) bool {
	for at := 0; ; {
		i := strings.Index(low[at:], s)
		if i < 0 {
			return false
		}
		at += i
		if s[0] == '.' || at == 0 || !isLetter(low[at-1]) {
			return true
		}
		at++
	}
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// plainSQL prints SQL in lower case, without comments, with one space where
// there was white space; "" where no word of interest can be in it.
func plainSQL(text string) string {
	low := strings.ToLower(text)
	if !strings.Contains(low, "dr") && !strings.Contains(low, "trunc") && !strings.Contains(low, "delete") && !strings.Contains(low, "remove") {
		return ""
	}
	return squeeze(low)
}

// squeeze takes comments and repeated white space out.
func squeeze(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			space = true
			continue
		case strings.HasPrefix(text[i:], "/*"):
			i = skipTo(text, i+2, "*/")
			space = true
			continue
		case strings.HasPrefix(text[i:], "--") && strings.Contains(text[i:], "\n"):
			i = skipTo(text, i+2, "\n")
			space = true
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteByte(c)
	}
	return b.String()
}

// skipTo is the place of the last byte of the next end, or of the text.
func skipTo(text string, from int, end string) int {
	i := strings.Index(text[from:], end)
	if i < 0 {
		return len(text)
	}
	return from + i + len(end) - 1
}

// readers begin a statement that only reads.
var readers = words(`select show explain describe desc with pragma table values begin commit rollback end start \d \dt \l \du \d+ \dt+ \dn \df \di \dv \q \x \timing \conninfo
	.tables .schema .databases .headers .mode .dump .indexes .quit .exit .help analyze`)

// onlyReads says that every statement of a text only reads, as far as its first
// word tells.
func onlyReads(sql string) bool {
	for statement := range strings.SplitSeq(squeeze(strings.ToLower(sql)), ";") {
		statement = strings.TrimSpace(statement)
		first, rest, _ := strings.Cut(statement, " ")
		switch {
		case statement == "" || mongoReads(statement):
		case !readers[first], holdsWord(rest, "into"), first == "with" && changesRows(rest), first == "explain" && changesRows(rest):
			return false
		}
	}
	return true
}

func changesRows(rest string) bool {
	return holdsWord(rest, "insert") || holdsWord(rest, "update") || holdsWord(rest, "delete") || holdsWord(rest, "merge")
}

func mongoReads(statement string) bool {
	if !strings.HasPrefix(statement, "db.") {
		return false
	}
	call, _, _ := strings.Cut(statement, "(")
	for _, verb := range []string{".find", ".findone", ".count", ".countdocuments", ".estimateddocumentcount", ".stats", ".getcollectionnames", ".getindexes", ".distinct"} {
		if strings.HasSuffix(call, verb) {
			return !strings.Contains(statement, ").") || strings.Contains(statement, ").limit") || strings.Contains(statement, ").sort") || strings.Contains(statement, ").pretty")
		}
	}
	return false
}

// runsFromSQL says that a statement starts a program or reads a script.
func runsFromSQL(sql string) bool {
	low := squeeze(strings.ToLower(sql))
	for _, s := range []string{"to program", "from program", "xp_cmdshell", "load_extension", "pg_read_file", "lo_export", "into outfile", "into dumpfile"} {
		if strings.Contains(low, s) {
			return true
		}
	}
	for line := range strings.Lines(sql) {
		line = strings.ToLower(strings.TrimSpace(line))
		for _, s := range []string{`\!`, `\i `, `\ir `, `\copy `, ".shell", ".system", ".read ", ".import ", "source ", `\. `} {
			if strings.HasPrefix(line, s) || strings.Contains(line, ";"+s) || strings.Contains(line, "; "+s) {
				return true
			}
		}
	}
	return false
}
