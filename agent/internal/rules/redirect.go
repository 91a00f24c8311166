package rules

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// input is what a redirection puts on standard input, or in as it was.
func (s *scan) input(r *syntax.Redirect, in flow) flow {
	s.spend(100)
	if r.Word != nil {
		s.clauses(r.Word, in)
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return s.document(r)
	case syntax.WordHdoc:
		f := join(s.expandQuoted(r.Word)[0])
		if f.known {
			return flow{kind: literal, text: f.text}
		}
		return flow{kind: max(f.from, unknown)}
	case syntax.RdrIn, syntax.RdrInOut:
		return s.fileInput(r)
	case syntax.DplIn:
		return flow{kind: max(in.kind, unknown)}
	}
	return in
}

// connectsShell says that a statement ties a program to a connection that bash
// opens for /dev/tcp: the way in which a shell is handed to another machine.
func connectsShell(st *syntax.Stmt) bool {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || !handsOver[programName(c.Args[0].Lit())] {
		return false
	}
	for _, r := range st.Redirs {
		if w := r.Word.Lit(); strings.HasPrefix(w, "/dev/tcp/") || strings.HasPrefix(w, "/dev/udp/") {
			return true
		}
	}
	return false
}

var handsOver = words(`sh bash zsh dash ksh mksh ash fish python perl ruby`)

func (s *scan) fileInput(r *syntax.Redirect) flow {
	if len(r.Word.Parts) == 1 {
		if p, ok := r.Word.Parts[0].(*syntax.ProcSubst); ok {
			return s.subst(p, flow{})
		}
	}
	f := join(s.expand(r.Word)[0])
	s.read(f, s.source(r))
	if p, ok := s.resolve(f.text); ok && f.known {
		if written, is := s.files[p]; is {
			return written
		}
		return flow{kind: unknown, path: p}
	}
	return flow{kind: unknown}
}

// document is a here-document's body: text where it is quoted or holds nothing
// to expand.
func (s *scan) document(r *syntax.Redirect) flow {
	if r.Hdoc == nil {
		return flow{kind: literal, text: ""}
	}
	s.clauses(r.Hdoc, flow{})
	var body strings.Builder
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			body.WriteString(lit.Value)
			continue
		}
		f := join(s.parts([]*alternative{{}}, []syntax.WordPart{part}, true)[0].fields())
		if !f.known && f.from > unknown {
			return flow{kind: f.from}
		}
		body.WriteString(f.text)
		if !f.known {
			body.WriteString("$unknown_part") // so that it is unresolved where it matters
		}
	}
	return flow{kind: literal, text: body.String()}
}

// output reports where a redirection writes and remembers what; out goes on
// only where it is not redirected.
func (s *scan) output(r *syntax.Redirect, out flow) flow {
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.AppClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut,
		syntax.RdrAllClob, syntax.AppAllClob:
	case syntax.DplOut:
		if w := r.Word.Lit(); w == "-" || strings.Trim(w, "0123456789-") == "" && w != "" {
			return out
		}
	default:
		return out
	}
	for _, fields := range s.expand(r.Word) {
		f := join(fields)
		s.write(f, s.source(r), false)
		s.wrote(f, out)
	}
	if r.N != nil && r.N.Value != "1" {
		return out
	}
	return flow{}
}

// wrote remembers what the call itself put into a file, so that running the
// file later is running that text.
func (s *scan) wrote(f field, content flow) {
	p, ok := s.resolve(f.text)
	if !ok || !f.known || len(s.files) > maxFields {
		return
	}
	if content.kind == nothing {
		content.kind = unknown
	}
	s.files[p] = worse(s.files[p], content)
}
