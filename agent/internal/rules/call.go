package rules

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is one command with its words expanded.
type call struct {
	s     *scan
	name  string  // the program's name: no folder, no version, lower case
	args  []field // the words after it
	in    flow    // what stands on its standard input
	out   flow    // what it puts out
	piece string
	many  bool // run once per line or file by xargs, find and the like
}

func (c *call) add(id string) { c.s.add(id, c.piece) }

// call walks a simple command: its assignments, the substitutions in its words,
// and then every way in which the words can expand.
func (s *scan) call(e *syntax.CallExpr, in flow) flow {
	s.assigns(e.Assigns)
	for _, w := range e.Args {
		s.clauses(w, in)
	}
	var out flow
	if len(e.Args) > 0 {
		for _, argv := range s.argvs(e.Args) {
			out = worse(out, s.run(argv, in, s.source(e), false))
		}
	}
	return out
}

// argvs gives the ways in which a command's words expand, at most maxAlternatives.
func (s *scan) argvs(list []*syntax.Word) [][]field {
	all := [][]field{nil}
	for _, w := range list {
		all = s.product(all, s.expand(w))
	}
	return all
}

// run classifies one command and says what it puts out.
func (s *scan) run(argv []field, in flow, piece string, many bool) flow {
	s.spend(100 + 20*len(argv))
	for len(argv) > 0 && argv[0].known && argv[0].text == "" {
		argv = argv[1:]
	}
	if len(argv) == 0 {
		return in
	}
	c := &call{s: s, args: argv[1:], in: in, out: flow{kind: max(unknown, in.kind)}, piece: piece, many: many}
	if !argv[0].known || argv[0].glob && argv[0].text != "[" && argv[0].text != "[[" {
		c.unresolvedProgram(argv[0])
		return c.out
	}
	c.code(argv[0].from)
	c.name = programName(argv[0].text)
	c.touchArgs()
	c.program(argv[0])
	return c.out
}

// program hands the command to what knows it.
func (c *call) program(name field) {
	if c.name == "answerback" || strings.HasPrefix(c.name, "answerback-") {
		c.add("self")
	}
	local := strings.Contains(name.text, "/") && c.s.runsFile(name, c)
	if c.s.funcs[name.text] {
		c.dangers(c.args)
	}
	if handle, ok := handlers[c.name]; ok {
		handle(c)
		return
	}
	if strings.HasPrefix(c.name, "mkfs") || strings.HasPrefix(c.name, "newfs") {
		c.add("overwrites-disk")
		return
	}
	if c.table() || local || c.s.funcs[name.text] {
		return
	}
	c.add("unknown-program")
	c.dangers(c.args)
	c.inline(c.args)
}

// unresolvedProgram is a command whose program is known only when it runs.
func (c *call) unresolvedProgram(name field) {
	c.code(name.from)
	c.add("unresolved")
	c.dangers(c.args)
}

// code reports that text of this origin is run.
func (c *call) code(from kind) {
	switch from {
	case fetched:
		c.add("remote-code")
	case decoded:
		c.add("hidden-code")
	case unknown:
		c.add("runs-unseen-code")
	}
}

// runText runs a flow as shell text.
func (c *call) runText(f flow) {
	c.code(f.kind)
	c.s.out.runs(f.path)
	if f.text != "" {
		c.out = c.s.script(f.text, c.piece, flow{})
	}
}

// runField runs one word as shell text.
func (c *call) runField(f field) {
	if !f.known {
		f.from = max(f.from, unknown)
	}
	c.code(f.from)
	if f.text != "" {
		c.runText(flow{kind: literal, text: f.text})
	}
}

// dangerous are programs that are worth finding behind a program that is not
// known, which may well run its arguments.
var dangerous = words(`rm rimraf rmdir unlink shred dd mkfs wipefs sudo doas su sh bash zsh dash ksh fish eval find xargs git kubectl
	terraform tofu helm aws gcloud az curl wget nc ncat socat ssh scp python perl ruby node php shutdown reboot halt poweroff
	mv chmod chown crontab psql mysql sqlite3 mongo mongosh redis-cli dropdb docker podman systemctl answerback env npm cargo`)

// maxDangers bounds how many words of one command are tried as a program.
const maxDangers = 8

// dangers looks for a command among words that may be run as one.
func (c *call) dangers(args []field) {
	tried := 0
	for i, a := range args {
		if !a.known || tried == maxDangers {
			continue
		}
		first, rest, several := strings.Cut(strings.TrimSpace(a.text), " ")
		if !dangerous[programName(first)] {
			continue
		}
		tried++
		if several && rest != "" {
			c.s.script(a.text, c.piece, flow{kind: unknown})
			continue
		}
		c.s.run(args[i:], flow{kind: unknown}, c.piece, c.many)
	}
}

// programName is the last part of a program's path, in lower case (some file
// systems do not tell cases apart), without .exe and a version.
func programName(text string) string {
	name := strings.ToLower(path.Base(strings.TrimSpace(text)))
	name = strings.TrimSuffix(name, ".exe")
	name = strings.TrimPrefix(name, "=") // zsh: =rm is rm's path
	for _, base := range versioned {
		if rest, ok := strings.CutPrefix(name, base); ok && strings.Trim(rest, "0123456789.-") == "" {
			return base
		}
	}
	return name
}

var versioned = []string{"python", "pip", "perl", "ruby", "php", "node", "lua", "gcc", "clang", "bash", "psql", "pypy", "tclsh"}
