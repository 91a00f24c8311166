package rules

import (
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walk is what one call's walk shares between its scripts.
type walk struct {
	in     *Input
	out    *findings
	whole  string // the whole command, in which pieces are found
	nested int    // bytes of nested scripts so far
	work   int    // units spent
	shells int    // commands in the input so far
}

// scan walks one script.
type scan struct {
	*walk
	text   string // the script's own text
	outer  string // the piece of the whole command that holds the script
	depth  int
	cwd    string // where relative paths start; "" is unknown
	vars   map[string][]value
	funcs  map[string]bool
	files  map[string]flow // files that the call itself wrote
	substs map[syntax.Node]flow
	reads  int // secrets read so far
	sends  int // times that something went to another machine

	touched map[touch]bool  // words that were looked at as paths
	places  map[string]uint // the zones of a path, a bit each
}

// classifyShell classifies a shell command: what each dialect makes of it
// counts, and a text that none can read whole is sensitive.
func classifyShell(in *Input, out *findings, command string) {
	if strings.TrimSpace(command) == "" {
		out.add("not-read", command)
		return
	}
	if !readable(command) {
		out.add("too-large", command)
		return
	}
	whole := false
	w := &walk{in: in, out: out, whole: command}
	for _, dialect := range dialects {
		w.nested = 0
		s := &scan{walk: w, text: command, outer: command, cwd: in.Folder}
		s.fresh()
		stmts, ok := parse(command, dialect)
		whole = whole || ok
		s.bounded(func() { s.stmts(stmts, flow{}) })
	}
	if !whole {
		out.add("not-parsed", command)
	}
}

func (s *scan) fresh() {
	s.vars, s.funcs = map[string][]value{}, map[string]bool{}
	s.files, s.substs, s.touched = map[string]flow{}, map[syntax.Node]flow{}, map[touch]bool{}
	s.places = map[string]uint{}
}

// script walks a text that the call hands to a shell, in the shell's variables.
func (s *scan) script(text, piece string, in flow) flow {
	s.nested += len(text)
	s.spend(100 + 3*len(text))
	if s.depth >= maxDepth || s.nested > maxNested || !readable(text) {
		s.add("too-large", piece)
		return flow{kind: unknown}
	}
	inner := *s
	inner.text, inner.outer, inner.depth, inner.substs = text, piece, s.depth+1, map[syntax.Node]flow{}
	var out flow
	for _, dialect := range dialects {
		stmts, ok := parse(text, dialect)
		out = inner.stmts(stmts, in)
		if ok {
			s.keep(&inner)
			return out
		}
	}
	s.add("not-parsed", piece)
	s.keep(&inner)
	return out
}

// keep takes over the counters of an inner scan.
func (s *scan) keep(inner *scan) { s.reads, s.sends = inner.reads, inner.sends }

// add reports a reason. A piece of a nested script that does not stand in the
// command as it was sent is replaced by the piece that holds the script.
func (s *scan) add(id, piece string) {
	if s.out.has(id) {
		return
	}
	s.spend(len(s.whole) / 8)
	if !strings.Contains(s.whole, piece) {
		piece = s.outer
	}
	s.out.add(id, piece)
}

// source is the text of a node.
func (s *scan) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(s.text) || from >= to {
		return s.outer
	}
	return s.text[from:to]
}

func (s *scan) stmts(list []*syntax.Stmt, in flow) flow {
	var out flow
	for _, st := range list {
		out = worse(out, s.stmt(st, in))
	}
	return out
}

// stmt walks one statement with in as its input and says what it puts out.
func (s *scan) stmt(st *syntax.Stmt, in flow) flow {
	s.spend(20)
	reads, sends := s.reads, s.sends
	for _, r := range st.Redirs {
		in = s.input(r, in)
	}
	out := s.command(st, in)
	if connectsShell(st) {
		s.add("remote-shell", s.source(st))
	}
	for _, r := range st.Redirs {
		out = s.output(r, out)
	}
	if s.reads > reads && s.sends > sends && !isList(st.Cmd) {
		s.add("sends-secret", s.source(st))
	}
	return out
}

// isList says that a statement is several in a row, which share no data.
func isList(cmd syntax.Command) bool {
	b, ok := cmd.(*syntax.BinaryCmd)
	if ok {
		return b.Op == syntax.AndStmt || b.Op == syntax.OrStmt
	}
	_, call := cmd.(*syntax.CallExpr)
	return !call
}

func (s *scan) command(st *syntax.Stmt, in flow) flow {
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		return s.call(cmd, in)
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			return s.stmt(cmd.Y, s.stmt(cmd.X, in))
		}
		return worse(s.stmt(cmd.X, in), s.stmt(cmd.Y, in))
	case *syntax.Subshell:
		cwd, vars := s.cwd, maps.Clone(s.vars)
		out := s.stmts(cmd.Stmts, in)
		s.cwd, s.vars = cwd, vars
		return out
	case *syntax.FuncDecl:
		s.function(cmd)
		return flow{}
	case *syntax.ForClause:
		s.loopVariable(cmd)
	case *syntax.DeclClause:
		s.assigns(cmd.Args)
	case nil:
		return in
	}
	return s.clauses(st.Cmd, in)
}

// clauses walks whatever a command holds: statements, and substitutions in words.
func (s *scan) clauses(n syntax.Node, in flow) (out flow) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			out = worse(out, s.stmt(n, in))
			return false
		case *syntax.CmdSubst, *syntax.ProcSubst:
			s.subst(n, in)
			return false
		}
		return true
	})
	return out
}

// subst walks a substitution once and remembers what it puts out.
func (s *scan) subst(n syntax.Node, in flow) flow {
	if out, ok := s.substs[n]; ok {
		return out
	}
	var out flow
	switch n := n.(type) {
	case *syntax.CmdSubst:
		out = s.stmts(n.Stmts, flow{})
	case *syntax.ProcSubst:
		if n.Op == syntax.CmdIn || n.Op == syntax.CmdInTemp {
			in = flow{}
		}
		out = s.stmts(n.Stmts, in)
	}
	s.substs[n] = out
	return out
}

// function walks a function's body where it is declared; what its arguments
// make of it is looked at where it is called.
func (s *scan) function(f *syntax.FuncDecl) {
	names := f.Names
	if f.Name != nil {
		names = append(names, f.Name)
	}
	for _, name := range names {
		s.funcs[name.Value] = true
		if callsItself(f.Body, name.Value) {
			s.add("stops-machine", s.source(f))
		}
	}
	s.stmt(f.Body, flow{kind: unknown})
}

// callsItself finds the fork bomb: a function that pipes itself into itself.
func callsItself(body *syntax.Stmt, name string) bool {
	calls := 0
	syntax.Walk(body, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == name {
			calls++
		}
		return true
	})
	return calls > 1
}

func (s *scan) loopVariable(f *syntax.ForClause) {
	items, ok := f.Loop.(*syntax.WordIter)
	if !ok {
		return
	}
	for _, w := range items.Items {
		for _, fields := range s.expand(w) {
			for _, field := range fields {
				s.set(items.Name.Value, value{field})
			}
		}
	}
	if len(items.Items) == 0 {
		s.set(items.Name.Value, value{field{from: unknown}})
	}
}
