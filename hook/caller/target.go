package caller

import "strings"

// known are the tools whose target is one field of the input, and the fields
// beside it that change nothing of what runs. Two calls that differ in any
// other field differ in Exact.
var known = map[string]struct {
	field string // what lists show
	word  string // what it is called in a sentence
	exact bool   // whether field and tool alone say what runs
	idle  string // fields that change nothing, each with a space before and behind
}{
	"Bash":         {"command", "command", true, " description timeout "},
	"Write":        {"file_path", "file", false, ""},
	"Edit":         {"file_path", "file", false, ""},
	"MultiEdit":    {"file_path", "file", false, ""},
	"NotebookEdit": {"notebook_path", "file", false, ""},
	"WebFetch":     {"url", "address", true, " prompt "},
}

// describe fills in what follows from Tool and Input: the target, the exact
// text, the caller's description, and whether a person can allow it at all.
// Input has been checked; it need not be an object.
func (c *Call) describe() {
	whole := string(compact(c.Input))
	c.Target, c.Exact = whole, whole
	if c.Input[0] != '{' {
		c.NoAllow = "the tool's input is not an object"
		return
	}
	f := fieldsOf("tool_input.", c.Input)
	if s, ok := textOf(f.raw("description")); ok {
		c.Description = s
	}
	c.NoAllow = c.missing(f)
	k, ok := known[c.Tool]
	if !ok {
		return
	}
	text, ok := textOf(f.raw(k.field))
	if !ok || text == "" {
		return
	}
	c.Target = text
	// A text that begins like an object could be taken for another call's
	// whole input, so it is not used.
	if k.exact && text[0] != '{' && onlyIdle(f, k.field, k.idle) {
		c.Exact = text
	}
}

func onlyIdle(f *fields, field, idle string) bool {
	for _, m := range f.members {
		if m.name != field && !strings.Contains(idle, " "+m.name+" ") {
			return false
		}
	}
	return true
}

// missing says what a call lacks that a person would have to see, or "". A
// tool of an MCP server can have no input at all: its name is the call.
func (c *Call) missing(f *fields) string {
	if len(f.members) == 0 && !strings.HasPrefix(c.Tool, "mcp__") {
		return "the call has no input"
	}
	k, ok := known[c.Tool]
	raw := f.raw(k.field)
	if !ok {
		if raw = f.raw("command"); raw == nil || raw[0] != '"' {
			return ""
		}
		k.word = "command"
	}
	// A lone surrogate is odd, but it is there to be seen.
	if len(raw) == 0 || raw[0] != '"' || blank(raw) {
		return "the call has no " + k.word
	}
	return ""
}

// blank says whether a string holds nothing that shows.
func blank(quoted []byte) bool {
	s, _ := unquote(quoted)
	for len(s) > 0 {
		r, n := decodeWide(s)
		if isSurrogate(r) || !hidden(r) && r != ' ' {
			return false
		}
		s = s[n:]
	}
	return true
}

// Summary is a call in one text: the tool, and the target or the first
// question. It is the caller's own bytes: hidden characters are in it, and
// line ends; who displays it makes them visible.
func Summary(c Call) string {
	if c.Kind == KindQuestion && len(c.Questions) > 0 {
		return c.Tool + " " + c.Questions[0].Text
	}
	if c.Target == "" {
		return c.Tool
	}
	return c.Tool + " " + c.Target
}
