package rules

import (
	_ "embed"
	"path"
	"strings"
	"sync"
)

// programs.txt lists programs and what their words mean, a line each:
//
//	programs : words : reason
//
// programs are names parted by commas. words is a pattern: its words match
// words of the command in a row, globs and a|b allowed; a word that begins with
// - is an option that must be given; `*` alone is "anything else". The reason
// `-` is routine. A + before a program's name says that it may run its operands
// as a command.
//
//go:embed programs.txt
var programsText string

// entry is one line for one program.
type entry struct {
	words  []string
	reason string
}

type program struct {
	entries []entry
	carries bool
}

var programs = sync.OnceValue(func() map[string]*program {
	table := map[string]*program{}
	for line := range strings.Lines(programsText) {
		line = strings.TrimSpace(line)
		parts := strings.Split(line, " : ")
		if line == "" || line[0] == '#' || len(parts) != 3 {
			continue
		}
		for _, name := range strings.Split(strings.ReplaceAll(parts[0], " ", ""), ",") {
			bare := strings.TrimPrefix(name, "+")
			if table[bare] == nil {
				table[bare] = &program{}
			}
			p := table[bare]
			p.carries = p.carries || bare != name
			p.entries = append(p.entries, entry{strings.Fields(parts[1]), strings.TrimSpace(parts[2])})
		}
	}
	return table
})

// table classifies a program by programs.txt, or as a wrapper; false: it is in
// neither.
func (c *call) table() bool {
	if c.wrapped() {
		return true
	}
	p, ok := programs()[c.name]
	if !ok {
		return false
	}
	if p.carries {
		c.dangers(c.args)
	}
	if outputs[c.name] {
		if f, ok := c.value("-o", "--output", "--out", "--outfile", "-out"); ok {
			c.write(f)
		}
	}
	c.entries(p.entries)
	return true
}

// outputs are programs of the table whose -o names a file that they write.
var outputs = words(`sort gcc g++ cc c++ clang clang++ ld rustc pandoc esbuild tsc pg_dump mysqldump age gpg protoc swiftc kotlinc javac zig yq graphviz dot
	ffmpeg xsltproc iconv shuf envsubst pdflatex mmdc prettier`)

// entries adds the reasons of every dangerous line that matches anywhere, since
// a word before it may be an option's value or not. With none of them, the
// first line that matches at the beginning decides.
func (c *call) entries(list []entry) {
	plain, skipped := c.plainWords()
	found := false
	for _, e := range list {
		if e.reason != "-" && e.words[0] != "*" && (c.matches(e, plain, true) || c.matches(e, skipped, true)) {
			c.add(e.reason)
			found = true
		}
	}
	if found {
		return
	}
	for _, e := range list {
		if e.words[0] == "*" && len(e.words) == 1 || c.matches(e, plain, false) || c.matches(e, skipped, false) {
			if e.reason != "-" {
				c.add(e.reason)
			}
			return
		}
	}
}

// plainWords are the words that are no options, with and without those that
// follow an option and may be its value.
func (c *call) plainWords() (plain, skipped []string) {
	after := false
	for _, a := range c.args {
		if strings.HasPrefix(a.text, "-") {
			after = !strings.Contains(a.text, "=")
			continue
		}
		word := a.text
		if !a.known && word == "" {
			word = "\x00" // matches only a glob
		}
		plain = append(plain, word)
		if !after {
			skipped = append(skipped, word)
		}
		after = false
	}
	return plain, skipped
}

func (c *call) matches(e entry, list []string, anywhere bool) bool {
	var want []string
	for _, w := range e.words {
		if !strings.HasPrefix(w, "-") {
			want = append(want, w)
		} else if !c.has(strings.Split(w, "|")...) {
			return false
		}
	}
	for i := 0; i+len(want) <= len(list); i++ {
		if wordsMatch(want, list[i:]) {
			return true
		}
		if !anywhere {
			return false
		}
	}
	return len(want) == 0
}

func wordsMatch(want, list []string) bool {
	for j, w := range want {
		if !oneOf(w, list[j]) {
			return false
		}
	}
	return true
}

func oneOf(patterns, word string) bool {
	for p := range strings.SplitSeq(patterns, "|") {
		if ok, _ := path.Match(p, strings.ToLower(word)); ok {
			return true
		}
	}
	return false
}
