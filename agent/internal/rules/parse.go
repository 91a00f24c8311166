package rules

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// dialects in the order in which they are tried. Which shell a caller starts is
// not known, and a text may be harmless in one and not in the other.
var dialects = []syntax.LangVariant{syntax.LangBash, syntax.LangZsh, syntax.LangPOSIX}

// readable says that a text is short and flat enough for the parser, which
// recurses: some 300,000 "(" overflow the stack and kill the process, and no
// recover catches that.
func readable(text string) bool {
	return len(text) <= MaxShell && openers(text) <= MaxOpeners && pieces(text) <= maxPieces
}

// maxPieces bounds commands, redirections and expansions: real calls hold a few
// hundred, and each costs the parser and the walk some time.
const maxPieces = 4000

func pieces(text string) int {
	n := 0
	for i := range len(text) {
		switch text[i] {
		case ';', '&', '\n', '$', '>', '<', '=', '"', '\'':
			n++
		}
	}
	return n
}

// openers counts what makes the parser recurse: brackets, quotes of commands,
// pipes and words that open a clause.
func openers(text string) int {
	n := strings.Count(text, "(") + strings.Count(text, "{") + strings.Count(text, "[") +
		strings.Count(text, "`") + strings.Count(text, "|") + strings.Count(text, "?")
	if n > MaxOpeners {
		return n
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n;&|(){}\r", r) }) {
		switch word {
		case "if", "elif", "else", "then", "while", "until", "for", "select", "case", "do", "function",
			"time", "coproc", "!", "always", "repeat", "foreach", "-":
			n++
		}
	}
	return n
}

// parse gives the statements of text before the first fault, and whether there
// was none. A shell runs line by line, so what stands before a fault runs.
func parse(text string, dialect syntax.LangVariant) (stmts []*syntax.Stmt, whole bool) {
	defer func() {
		if recover() != nil {
			whole = false
		}
	}()
	p := syntax.NewParser(syntax.Variant(dialect))
	for stmt, err := range p.StmtsSeq(strings.NewReader(text)) {
		if err != nil {
			return stmts, false
		}
		stmts = append(stmts, stmt)
	}
	return stmts, true
}
