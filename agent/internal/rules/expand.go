package rules

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// field is one word as a program would get it. Where a part is not known, text
// holds the rest and known is false.
type field struct {
	text  string
	known bool
	glob  bool // holds an unquoted * ? or [
	from  kind // for a part that is not known: where it comes from
}

func knownField(text string) field { return field{text: text, known: true, from: literal} }

// join makes one field of several, as "$*" does.
func join(fields []field) field {
	out := field{known: true}
	var text strings.Builder
	for i, f := range fields {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(f.text)
		out.known, out.glob, out.from = out.known && f.known, out.glob || f.glob, max(out.from, f.from)
	}
	out.text = text.String()
	return out
}

// maxAlternatives bounds what one word can expand to, in values and in fields.
const (
	maxAlternatives = 8
	maxFields       = 256
)

// alternative is one way in which a word expands, while it is being built.
type alternative struct {
	done []field
	cur  field
	open bool
}

// add adds to the field that is being built.
func (a *alternative) add(f field) {
	if !a.open {
		a.cur, a.open = field{known: true}, true
	}
	a.cur.text += f.text
	a.cur.known, a.cur.glob, a.cur.from = a.cur.known && f.known, a.cur.glob || f.glob, max(a.cur.from, f.from)
}

func (a *alternative) end() {
	if a.open {
		a.done, a.open = append(a.done, a.cur), false
	}
}

func (a *alternative) fields() []field {
	a.end()
	return a.done
}

// expand gives the ways in which a word expands to fields, at most
// maxAlternatives; it always gives at least one.
func (s *scan) expand(w *syntax.Word) [][]field {
	copied := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	if !syntax.SplitBraces(copied) {
		return s.expandParts(copied.Parts)
	}
	words, ok := s.braces(nil, nil, copied.Parts)
	if !ok {
		return [][]field{{{from: unknown}}}
	}
	all := [][]field{nil}
	for _, parts := range words {
		all = s.product(all, s.expandParts(parts))
	}
	return all
}

func (s *scan) expandParts(parts []syntax.WordPart) (all [][]field) {
	for _, a := range s.parts([]*alternative{{}}, parts, false) {
		all = append(all, a.fields())
	}
	return all
}

// product puts each way in which the next word expands behind each way in which
// the words before it do. Too many ways become one unknown word.
func (s *scan) product(all, ways [][]field) [][]field {
	if len(all)*len(ways) > maxAlternatives {
		ways = [][]field{{{from: unknown}}}
	}
	if len(ways) == 1 {
		for i := range all {
			s.spend(5 * len(ways[0]))
			all[i] = append(all[i], ways[0]...)
		}
		return all
	}
	var next [][]field
	for _, before := range all {
		for _, fields := range ways {
			s.spend(5 * (len(before) + len(fields)))
			next = append(next, append(before[:len(before):len(before)], fields...))
		}
	}
	return next
}

// expandQuoted is expand without splitting into fields, as in an assignment.
func (s *scan) expandQuoted(w *syntax.Word) [][]field {
	var all [][]field
	for _, a := range s.parts([]*alternative{{}}, w.Parts, true) {
		all = append(all, a.fields())
	}
	return all
}

func (s *scan) parts(alts []*alternative, parts []syntax.WordPart, quoted bool) []*alternative {
	for i, part := range parts {
		s.spend(10 * len(alts))
		switch p := part.(type) {
		case *syntax.Lit:
			each(alts, s.lit(p.Value, quoted, i == 0))
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				text = unescapeC(text)
			}
			each(alts, knownField(text))
		case *syntax.DblQuoted:
			each(alts, knownField(""))
			alts = s.parts(alts, p.Parts, true)
		case *syntax.ParamExp:
			alts = s.param(alts, p, quoted)
		case *syntax.CmdSubst:
			alts = s.split(alts, flowField(s.subst(p, flow{})), quoted)
		case *syntax.ProcSubst:
			each(alts, s.pipeFile(s.subst(p, flow{})))
		case *syntax.ExtGlob:
			each(alts, field{glob: true, known: true})
		default:
			each(alts, field{from: unknown})
		}
	}
	return alts
}

// lit takes the backslashes out of literal text and expands a leading ~.
func (s *scan) lit(text string, quoted, first bool) field {
	f := knownField("")
	if first && !quoted && s.in.Home != "" && (text == "~" || strings.HasPrefix(text, "~/")) {
		f.text, text = s.in.Home, text[1:]
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0):
			if i++; text[i] != '\n' {
				b.WriteByte(text[i])
			}
			continue
		case !quoted && (c == '*' || c == '?' || c == '['):
			f.glob = true
		}
		b.WriteByte(c)
	}
	f.text += b.String()
	return f
}

func each(alts []*alternative, f field) {
	for _, a := range alts {
		a.add(f)
	}
}

// split adds a value, split where it is not quoted: at white space, or at what
// the script makes of IFS.
func (s *scan) split(alts []*alternative, f field, quoted bool) []*alternative {
	s.spend(len(f.text) / 8)
	if ifs := s.vars["IFS"]; !quoted && len(ifs) > 0 {
		f.text = strings.Map(func(r rune) rune {
			if strings.ContainsRune(join(ifs[len(ifs)-1]).text, r) {
				return ' '
			}
			return r
		}, f.text)
	}
	if quoted || !strings.ContainsAny(f.text, " \t\n") {
		each(alts, f)
		return alts
	}
	for _, a := range alts {
		if strings.IndexByte(" \t\n", f.text[0]) >= 0 {
			a.end()
		}
		for i, word := range strings.Fields(f.text) {
			if i > 0 {
				a.end()
			}
			if len(a.done) < maxFields {
				a.add(field{text: word, known: f.known, glob: strings.ContainsAny(word, "*?["), from: f.from})
			}
		}
		if strings.IndexByte(" \t\n", f.text[len(f.text)-1]) >= 0 {
			a.end()
		}
	}
	return alts
}

// flowField is the field that a substitution becomes.
func flowField(f flow) field {
	if f.kind <= literal || f.text != "" {
		return field{text: strings.TrimRight(f.text, "\n"), known: true, from: max(f.kind, literal)}
	}
	return field{from: f.kind}
}

// pipeFile is the file name that <(..) becomes; what it puts out is remembered.
func (s *scan) pipeFile(content flow) field {
	name := "/dev/fd/" + strconv.Itoa(63+len(s.files))
	s.wrote(knownField(name), content)
	return knownField(name)
}
