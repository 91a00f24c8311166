package caller

import "unicode"

// names is the set of names of one object, with the case of letters folded
// away: a parser that folds case would see two such names as one.
type names struct {
	few  []string
	many map[string]struct{}
}

// add takes the name as it stands in the text, quotes included, and says
// whether it is new.
func (n *names) add(quoted []byte) bool {
	text, _ := unquote(quoted)
	name := fold(text)
	if n.has(name) {
		return false
	}
	if n.many != nil {
		n.many[name] = struct{}{}
		return true
	}
	if n.few = append(n.few, name); len(n.few) > 16 {
		n.many = make(map[string]struct{}, 64)
		for _, s := range n.few {
			n.many[s] = struct{}{}
		}
	}
	return true
}

func (n *names) has(name string) bool {
	if n.many != nil {
		_, ok := n.many[name]
		return ok
	}
	for _, s := range n.few {
		if s == name {
			return true
		}
	}
	return false
}

// fold replaces every letter by the first of those that differ from it only in
// case (unicode.SimpleFold), so that two texts are equal exactly when
// strings.EqualFold says so.
func fold(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' || c >= 0x80 {
			return foldSlow(s)
		}
	}
	return s
}

func foldSlow(s string) string {
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		r, n := decodeWide(s)
		s = s[n:]
		out = appendWide(out, canonical(r))
	}
	return string(out)
}

// canonical is the lower-case ASCII letter of r's fold orbit if there is one,
// else the smallest rune of the orbit.
func canonical(r rune) rune {
	low := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		low = min(low, f)
	}
	if 'A' <= low && low <= 'Z' {
		low += 'a' - 'A'
	}
	return low
}
