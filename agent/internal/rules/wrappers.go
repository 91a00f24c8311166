package rules

import "strings"

// wrap runs what a wrapper carries.
func (c *call) wrap(argv []field) {
	if len(argv) > 0 {
		c.out = c.s.run(argv, c.in, c.piece, c.many)
	}
}

// wrappers that only set something up and then run their operands: the options
// that take a value, and how many operands are the wrapper's own.
var wrappers = map[string]struct {
	valued string
	skip   int
}{
	"nice": {"-n --adjustment", 0}, "ionice": {"-c -n --class --classdata", 0}, "nohup": {"", 0}, "setsid": {"", 0}, "time": {"-o -f --output --format", 0},
	"timeout": {"-s -k --signal --kill-after", 1}, "gtimeout": {"-s -k --signal --kill-after", 1}, "stdbuf": {"-i -o -e", 0}, "unbuffer": {"", 0},
	"builtin": {"", 0}, "exec": {"-a", 0}, "chroot": {"", 1}, "taskset": {"", 1}, "chrt": {"", 1}, "strace": {"-o -e -p -s -u", 0}, "ltrace": {"-o -e", 0},
	"setarch": {"", 1}, "caffeinate": {"-t -w", 0}, "proxychains": {"-f", 0}, "proxychains4": {"-f", 0}, "torsocks": {"", 0}, "torify": {"", 0},
	"dbus-run-session": {"", 0}, "xvfb-run": {"-s -n -e -f", 0}, "fakeroot": {"-s -i -l", 0}, "linux64": {"", 0}, "linux32": {"", 0}, "arch": {"", 0},
	"rlwrap": {"", 0}, "cgexec": {"-g", 0}, "numactl": {"-N -m -C", 0}, "noglob": {"", 0}, "nocorrect": {"", 0}, "-": {"", 0}, "coproc": {"", 0},
	"uv": {"", 1}, "poetry": {"", 1}, "pipenv": {"", 1}, "bundle": {"", 1}, "hatch": {"", 1}, "pdm": {"", 1}, "rye": {"", 1}, "mise": {"", 1}, "asdf": {"", 1},
	"rbenv": {"", 1}, "pyenv": {"", 1}, "direnv": {"", 2}, "doppler": {"", 1}, "op": {"", 1}, "dotenv": {"-f -e", 0}, "dotenvx": {"-f", 1}, "ccache": {"", 0}, "hyperfine": {"-n -w -r -m -M", 0},
}

// runsRest are the words after which such a tool runs its operands; with other
// words it is an ordinary program of the table.
var runsRest = map[string]string{"uv": "run", "poetry": "run", "pipenv": "run", "bundle": "exec", "hatch": "run", "pdm": "run", "rye": "run",
	"mise": "exec", "asdf": "exec", "rbenv": "exec", "pyenv": "exec", "direnv": "exec", "doppler": "run", "op": "run", "dotenvx": "run"}

// wrapped runs what a wrapper of the table carries; false: the program is none.
func (c *call) wrapped() bool {
	w, ok := wrappers[c.name]
	if !ok {
		return false
	}
	if word := runsRest[c.name]; word != "" {
		if ops := c.operands(""); len(ops) == 0 || ops[0].text != word {
			return false
		}
	}
	if c.name == "chroot" {
		c.add("runs-as-root")
	}
	argv := c.command(w.valued, w.skip)
	if len(argv) > 0 && argv[0].text == "--" {
		argv = argv[1:]
	}
	c.wrap(argv)
	return true
}

func (c *call) env() {
	argv := c.args
	for len(argv) > 0 {
		switch a := argv[0].text; {
		case a == "-u" || a == "-C" || a == "--unset" || a == "--chdir" || a == "-P":
			argv = argv[1:]
		case a == "-S" || a == "--split-string":
			c.runField(text(argv[1:]))
			return
		case strings.HasPrefix(a, "-S") || strings.HasPrefix(a, "--split-string="):
			c.runField(knownField(strings.TrimPrefix(strings.TrimPrefix(text(argv).text, "-S"), "--split-string=")))
			return
		case strings.HasPrefix(a, "-"):
		case strings.Contains(a, "="):
			c.guard(a)
		default:
			c.wrap(argv)
			return
		}
		if len(argv) > 0 {
			argv = argv[1:]
		}
	}
	c.out = flow{kind: unknown} // prints the environment, which holds secrets
	c.s.reads++
}

// guard reports NAME=value words for variables that decide what is run.
func (c *call) guard(assignment string) {
	if name, v, ok := strings.Cut(assignment, "="); ok && guarded[name] {
		c.add("changes-environment")
		c.dangers([]field{knownField(v)})
	}
}

func (c *call) printenv() { c.s.reads++ }

func (c *call) sudo() {
	if u, ok := c.value("-u", "--user"); ok && u.known && u.text != "root" && u.text != "0" && u.text != "#0" {
		c.add("runs-as-other")
	} else {
		c.add("runs-as-root")
	}
	if c.name == "sudoedit" || c.has("-e", "--edit") {
		c.write(c.operands("-u -g -p")...)
		return
	}
	argv := c.command("-u -g -C -h -p -r -t -T -U -D -R -a --user --group --prompt --host --chdir --chroot --role --type", 0)
	for len(argv) > 0 && strings.Contains(argv[0].text, "=") && !strings.HasPrefix(argv[0].text, "=") {
		c.guard(argv[0].text)
		argv = argv[1:]
	}
	if c.name == "gosu" && len(argv) > 0 {
		argv = argv[1:]
	}
	if len(argv) == 0 && c.has("-i", "-s", "--login", "--shell") {
		c.runText(c.in)
	}
	c.wrap(argv)
}

func (c *call) su() {
	c.add("runs-as-root")
	if script, ok := c.value("-c", "--command"); ok {
		c.runField(script)
		return
	}
	if c.in.kind > nothing {
		c.runText(c.in)
	}
	c.dangers(c.args)
}

// xargs runs its operands with what it reads added, or in the place of -I's mark.
func (c *call) xargs() {
	argv := c.command("-I -J -n -P -L -d -E -s -a -R -S -j --max-args --max-procs --delimiter --arg-file --replace --jobs --results --joblog", 0)
	mark, replaced := c.value("-I", "-J", "--replace")
	if c.name == "parallel" {
		mark, replaced = knownField("{}"), true
	}
	if len(argv) == 0 {
		if c.name == "parallel" {
			c.runText(c.in) // each line is a command
		}
		return
	}
	if c.name == "parallel" && len(argv) == 1 && strings.Contains(argv[0].text, " ") {
		c.runField(argv[0])
		return
	}
	given := field{from: max(c.in.kind, unknown)}
	if c.in.kind == literal {
		given = knownField(strings.TrimSpace(c.in.text))
	}
	if replaced && mark.known && mark.text != "" {
		argv = replace(argv, mark.text, given)
	} else {
		argv = append(argv[:len(argv):len(argv)], splitFields(given)...)
	}
	c.out = c.s.run(argv, flow{}, c.piece, true)
}

func splitFields(f field) []field {
	if !f.known {
		return []field{f}
	}
	var out []field
	for _, w := range strings.Fields(f.text) {
		if len(out) < maxFields {
			out = append(out, knownField(w))
		}
	}
	return out
}

// replace puts given in the place of mark.
func replace(argv []field, mark string, given field) []field {
	out := make([]field, len(argv))
	for i, a := range argv {
		if strings.Contains(a.text, mark) {
			a.text = strings.ReplaceAll(a.text, mark, given.text)
			a.known, a.from = a.known && given.known, max(a.from, given.from)
		}
		out[i] = a
	}
	return out
}

func (c *call) watch() { c.runField(text(c.command("-n --interval", 0))) }

func (c *call) applet() { c.wrap(c.args) }

func (c *call) commandBuiltin() {
	if c.has("-v", "-V") {
		c.which()
		return
	}
	c.wrap(c.command("", 0))
}

func (c *call) flock() {
	if script, ok := c.value("-c", "--command"); ok {
		c.runField(script)
		return
	}
	c.wrap(c.command("-w -E --timeout", 1))
}

func (c *call) scriptProgram() {
	if command, ok := c.value("-c", "--command"); ok {
		c.runField(command)
		return
	}
	c.wrap(c.command("", 1))
}

func (c *call) at() {
	c.add("changes-schedule")
	if c.in.kind > nothing {
		c.runText(c.in)
	}
}

func (c *call) crontab() {
	c.add("changes-schedule")
	if c.has("-r") {
		c.add("destroys-data")
	}
	c.dangers(codeWords(c.in.text))
}

// carrier is a program that runs some of its words, in a way not followed here.
func (c *call) carrier() {
	c.dangers(c.args)
	if c.name == "tmux" || c.name == "screen" {
		c.add("runs-unseen-code")
	}
}

func (c *call) nix() {
	if command, ok := c.value("--run", "--command", "-c"); ok {
		c.runField(command)
	}
	c.add("runs-package")
	c.dangers(c.args)
}
