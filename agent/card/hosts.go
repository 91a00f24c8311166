package card

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// HostWarning is a host name in a text that may not be the one it looks like. It is shown beside the text, which stays as it is.
type HostWarning struct {
	Written string `json:"written"` // as it stands in the text
	ASCII   string `json:"ascii"`   // as the network sees it: labels beyond ASCII in Punycode, lower case
	Unicode string `json:"unicode"` // as it looks: labels in Punycode decoded
	Mixed   bool   `json:"mixed"`   // one label mixes scripts that no language mixes
}

// Hosts finds the host names of a text that have letters beyond ASCII, written out or in Punycode ("xn--"), each once, in order.
// A name counts where an address has its host (behind "://" or "@"), and elsewhere if it has the form of a name and is written
// in Punycode or mixes scripts in one label: a plain word with a dot in it, such as a file's name, is none.
func Hosts(text string) []HostWarning {
	var all []HostWarning
	for start := 0; start < len(text); {
		n := nameLength(text[start:])
		if n == 0 {
			_, size := utf8.DecodeRuneInString(text[start:])
			start += size
			continue
		}
		w, ok := judgeHost(text[start:start+n], addressed(text[:start]))
		if ok && !slices.Contains(all, w) {
			all = append(all, w)
		}
		start += n
	}
	return all
}

// dots end a label: the full stop, and the three that stand for one in a host name (UTS 46, section 2.3).
const dots = ".\u3002\uff0e\uff61"

// nameLength is how far the text goes on with what a host name is made of, in bytes. Hidden characters count: they are dropped
// where the name is looked up.
func nameLength(text string) int {
	for i, r := range text {
		in := unicode.In(r, unicode.L, unicode.M, unicode.N) || r == '-' || r == '_' || strings.ContainsRune(dots, r)
		if !in && HiddenKind(r) != Invisible {
			return i
		}
	}
	return len(text)
}

// addressed reports whether what stands before makes the name a host: "://", or the "@" behind a user's name.
func addressed(before string) bool {
	return strings.HasSuffix(before, "://") || strings.HasSuffix(before, "@")
}

func judgeHost(written string, addressed bool) (HostWarning, bool) {
	w := HostWarning{Written: written}
	labels := strings.FieldsFunc(written, func(r rune) bool { return strings.ContainsRune(dots, r) })
	coded, foreign := false, false
	ascii, shown := make([]string, len(labels)), make([]string, len(labels))
	for i, label := range labels {
		ascii[i], shown[i] = asciiLabel(label), unicodeLabel(label)
		coded = coded || shown[i] != label && isCoded(label)
		foreign = foreign || ascii[i] != strings.ToLower(label)
		w.Mixed = w.Mixed || mixed(shown[i])
	}
	w.ASCII, w.Unicode = strings.Join(ascii, "."), strings.Join(shown, ".")
	if addressed {
		return w, coded || foreign
	}
	return w, len(labels) > 1 && (coded || foreign && w.Mixed)
}

func isCoded(label string) bool {
	return len(label) > len(acePrefix) && strings.EqualFold(label[:len(acePrefix)], acePrefix)
}

// asciiLabel is the label as the network sees it. The mapping of UTS 46 is not repeated in full: case, width and hidden
// characters are folded, which is what look-alikes use.
func asciiLabel(label string) string {
	label = strings.ToLower(strings.Map(narrow, label))
	if strings.IndexFunc(label, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return label
	}
	return acePrefix + punyEncode(label)
}

// narrow drops what has no glyph, and gives full-width forms their plain letter.
func narrow(r rune) rune {
	switch {
	case HiddenKind(r) == Invisible:
		return -1
	case r >= 0xff01 && r <= 0xff5e:
		return r - 0xff00 + 0x20
	}
	return r
}

func unicodeLabel(label string) string {
	if !isCoded(label) {
		return label
	}
	if text, ok := punyDecode(label[len(acePrefix):]); ok {
		return text
	}
	return label
}

// together are sets of scripts that one label may mix: what Chinese, Japanese and Korean are written in, Latin beside
// (UTS 39, section 5.2, "highly restrictive").
var together = [][]*unicode.RangeTable{
	{unicode.Latin, unicode.Han, unicode.Hiragana, unicode.Katakana},
	{unicode.Latin, unicode.Han, unicode.Bopomofo},
	{unicode.Latin, unicode.Han, unicode.Hangul},
}

// mixed reports whether the label's letters come from scripts that do not belong together.
func mixed(label string) bool {
	var letters []rune
	for _, r := range label {
		if !unicode.In(r, unicode.Common, unicode.Inherited) {
			letters = append(letters, r)
		}
	}
	if len(letters) == 0 {
		return false
	}
	if script := scriptOf(letters[0]); script != nil && allIn(letters, script) {
		return false
	}
	return !slices.ContainsFunc(together, func(set []*unicode.RangeTable) bool { return allIn(letters, set...) })
}

func allIn(letters []rune, set ...*unicode.RangeTable) bool {
	return !slices.ContainsFunc(letters, func(r rune) bool { return !unicode.In(r, set...) })
}

func scriptOf(r rune) *unicode.RangeTable {
	for _, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return table
		}
	}
	return nil
}
