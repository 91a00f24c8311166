package rules

import "strings"

// inlineOptions are the options after which an interpreter takes its program.
var inlineOptions = map[string]string{
	"perl": "e E", "ruby": "e", "php": "r B R E", "node": "e p --eval --print", "nodejs": "e p --eval --print", "lua": "e", "osascript": "e",
	"rscript": "e", "julia": "e E --eval", "groovy": "e", "tsx": "e --eval", "ts-node": "e --eval", "bun": "e --eval", "deno": "", "swift": "e",
	"scala": "e", "elixir": "e --eval", "pwsh": "c --command", "powershell": "c --command", "expect": "c", "tclsh": "", "python": "c", "pypy": "c",
}

// interpreter is a program that runs code of its own language.
func (c *call) interpreter() {
	switch c.name {
	case "deno":
		c.deno()
		return
	case "pwsh", "powershell":
		c.inlineCode(text(c.args).text)
		return
	}
	if c.inlineOption() {
		return
	}
	c.programFile(c.operands("-I -r -m -M -W -X -d -C -x --require --import --loader --env-file --conditions -F -o -L"))
}

// inlineOption handles -e CODE and its kin; false: there is none.
func (c *call) inlineOption() bool {
	takes := words(inlineOptions[c.name])
	found := false
	for i, a := range c.args {
		name, attachedCode, hasCode := strings.Cut(a.text, "=")
		if takes[name] && strings.HasPrefix(name, "--") && hasCode {
			c.codeField(field{text: attachedCode, known: a.known, from: a.from})
			found = true
			continue
		}
		rest, is := inlineRest(a.text, takes)
		if !is {
			continue
		}
		found = true
		if rest != "" || !a.known {
			c.codeField(field{text: rest, known: a.known, from: a.from})
		} else if i+1 < len(c.args) {
			c.codeField(c.args[i+1])
		}
	}
	return found
}

// inlineRest says that an option takes code, and what of it stands in the same
// word: "-e", "-ne", "-eprint".
func inlineRest(arg string, takes map[string]bool) (rest string, is bool) {
	if strings.HasPrefix(arg, "--") {
		return "", takes[arg]
	}
	if len(arg) < 2 || arg[0] != '-' {
		return "", false
	}
	for i := 1; i < len(arg) && i < 6; i++ {
		if takes[arg[i:i+1]] {
			return arg[i+1:], true
		}
	}
	return "", false
}

func (c *call) codeField(f field) {
	if !f.known {
		c.code(max(f.from, unknown))
	}
	c.inlineCode(f.text)
}

// programFile is an interpreter's first operand, or its input.
func (c *call) programFile(ops []field) {
	if len(ops) > 0 && ops[0].text != "-" {
		f := ops[0]
		if strings.Contains(f.text, "://") {
			c.add("remote-code")
			return
		}
		if content := c.content(f); content.kind == literal {
			c.inlineCode(content.text)
			return
		}
		c.otherFile(f)
		return
	}
	switch {
	case c.in.kind == literal:
		c.inlineCode(c.in.text)
	case c.in.kind > literal:
		c.code(c.in.kind)
		c.s.out.runs(c.in.path)
	case !c.has("-V", "-v", "--version", "-h", "--help"):
		c.add("unresolved")
	}
}

// otherFile is a file of another language: runsFile without reading it as shell.
func (c *call) otherFile(f field) {
	content := c.content(f)
	p, ok := c.s.resolve(f.text)
	if ok && f.known {
		c.s.out.runs(p)
	}
	switch {
	case !f.known || content.kind > unknown || strings.HasPrefix(p, "/dev/fd/"):
		c.code(max(content.kind, f.from, unknown))
	case c.s.files[p].kind == unknown:
		c.code(unknown)
	case !ok || !c.s.in.inFolder(p):
		c.add("runs-outside")
	}
}

// python -m NAME is the program NAME.
func (c *call) python() {
	for i, a := range c.args {
		if a.text == "-m" && i+1 < len(c.args) {
			c.module(c.args[i+1:])
			return
		}
		if len(a.text) > 0 && a.text[0] != '-' {
			break
		}
	}
	if c.inlineOption() {
		return
	}
	c.programFile(c.operands("-W -X -Q --check-hash-based-pycs"))
}

func (c *call) module(argv []field) {
	switch argv[0].text {
	case "http.server", "SimpleHTTPServer", "pyftpdlib":
		c.add("opens-port")
	case "unittest", "venv", "json.tool", "compileall", "py_compile", "timeit", "doctest", "cProfile", "ensurepip", "site", "sysconfig", "pydoc", "tabnanny", "dis", "ast", "tokenize", "calendar", "zipfile", "tarfile":
	default:
		c.wrap(argv)
	}
}

func (c *call) deno() {
	ops := c.operands("--import-map --config -c")
	if len(ops) == 0 {
		c.add("unresolved")
		return
	}
	switch ops[0].text {
	case "eval":
		c.codeField(text(ops[1:]))
	case "test", "bench":
		if len(ops) > 1 {
			c.programFile(ops[1:])
		}
	case "run", "serve":
		c.programFile(ops[1:])
	case "fmt", "lint", "check", "info", "doc", "types":
	case "install", "add", "cache":
		c.add("installs-packages")
	case "publish":
		c.add("publishes")
	default:
		c.add("unknown-program")
	}
}
