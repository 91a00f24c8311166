package rules

import "strings"

// shell is sh and its kin: -c TEXT, a script file, or standard input.
func (c *call) shell() {
	script, isText, rest, ok := c.shellScript()
	switch {
	case ok && isText:
		c.positional(rest)
		c.runField(script)
	case ok:
		c.s.runsFile(script, c)
	case c.in.kind > nothing:
		c.runText(c.in)
	case !c.has("--version", "--help", "-n"):
		c.add("unresolved") // a shell that waits for commands
	}
}

// positional gives a script its $0, $1 and $@: sh -c TEXT rm -rf x.
func (c *call) positional(rest []field) {
	if len(rest) > 0 {
		c.s.set("0", value{rest[0]})
		c.s.parameters(rest[1:])
	}
}

// parameters gives $@, $* and $1 to $9 values.
func (s *scan) parameters(list []field) {
	s.set("@", value(list))
	s.set("*", value(list))
	for i, f := range list[:min(9, len(list))] {
		s.set(string(rune('1'+i)), value{f})
	}
}

// shellScript finds what a shell runs: the first operand, which is text after
// -c. rest are the operands after it.
func (c *call) shellScript() (script field, isText bool, rest []field, ok bool) {
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		if a.text == "-" || a.text == "--" {
			if i+1 < len(c.args) {
				return c.args[i+1], isText, c.args[i+2:], true
			}
			return field{}, isText, nil, false
		}
		option := len(a.text) > 1 && (a.text[0] == '-' || a.text[0] == '+')
		if !option {
			return a, isText, c.args[i+1:], true
		}
		if (a.text == "--init-file" || a.text == "--rcfile") && i+1 < len(c.args) {
			i++
			c.s.runsFile(c.args[i], c)
			continue
		}
		if strings.HasSuffix(a.text, "o") && a.text[1] != '-' || strings.HasSuffix(a.text, "O") {
			i++
			continue
		}
		if a.text[1] != '-' && strings.Contains(a.text, "s") && !strings.Contains(a.text, "c") {
			return field{}, false, nil, false // -s: standard input
		}
		isText = isText || a.text == "--command" || a.text[1] != '-' && strings.Contains(a.text, "c")
	}
	return field{}, isText, nil, false
}

func (c *call) eval() {
	args := c.args
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) > 0 {
		c.runField(text(args))
	}
}

func (c *call) source() {
	if len(c.args) > 0 {
		c.s.runsFile(c.args[0], c)
	}
}

func (c *call) trap() {
	if ops := c.operands(""); len(ops) > 1 {
		c.runField(ops[0])
	}
}

// alias walks the text that an alias stands for.
func (c *call) alias() {
	for _, a := range c.args {
		name, body, ok := strings.Cut(a.text, "=")
		if !ok {
			continue
		}
		c.runField(field{text: body, known: a.known, from: a.from})
		c.s.funcs[name] = true
	}
}

func (c *call) cd() {
	ops := c.operands("")
	switch {
	case len(ops) == 0:
		c.s.cwd = c.s.in.Home
	case !ops[0].known || ops[0].glob || ops[0].text == "-" || strings.HasPrefix(ops[0].text, "~"):
		c.s.cwd = ""
	default:
		cwd, ok := c.s.resolve(ops[0].text)
		if !ok {
			cwd = ""
		}
		c.s.cwd = cwd
	}
	c.out = flow{}
}

// setBuiltin gives the positional parameters their values: set -- a b.
func (c *call) setBuiltin() {
	ops := c.operands("-o")
	if len(ops) == 0 {
		return
	}
	c.s.parameters(ops)
}

// readBuiltin gives variables what stands on standard input.
func (c *call) readBuiltin() {
	f := field{from: max(c.in.kind, unknown)}
	if c.in.kind == literal {
		f = knownField(strings.TrimSpace(c.in.text))
	}
	valued := "-p -d -n -t -u -i -N"
	if c.name != "read" {
		valued = "-d -n -O -s -u -C -c"
	}
	for _, name := range append(c.operands(valued), knownField("REPLY"), knownField("MAPFILE")) {
		if name.known {
			c.s.set(name.text, value{f})
		}
	}
}

// declare is reached only behind a wrapper; the parser knows these builtins.
func (c *call) declare() {
	for _, a := range c.args {
		c.guard(a.text)
		if name, v, ok := strings.Cut(a.text, "="); ok {
			c.s.set(name, value{{text: v, known: a.known, from: a.from}})
		}
	}
}
