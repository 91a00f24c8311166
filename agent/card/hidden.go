package card

import (
	"slices"
	"unicode/utf8"
)

// Hidden says in which way a character does not show as itself.
type Hidden byte

// The kinds of hidden character. Zero is a character that shows.
const (
	NotHidden Hidden = iota
	Control          // C0, C1 and DEL: moves a terminal's cursor, rings, or ends a line
	Direction        // the twelve bidi controls: turn the reading direction
	Invisible        // takes no room: default-ignorable, format, variation selectors, tags, fillers
	Space            // a space that is not U+0020, or a line end that is not U+000A
	Private          // private use and what is no character: each font draws its own, or nothing
	Half             // a surrogate alone
	Byte             // a byte that is no UTF-8
)

var hiddenWords = [...]string{"", "control", "direction", "invisible", "space", "private", "half", "byte"}

// String gives the kind's word, as the test vectors and the phone app spell it.
func (h Hidden) String() string { return hiddenWords[h] }

// hiddenRange is one run of code points of a kind. The table of them, hiddenTable, is sorted.
type hiddenRange struct {
	lo, hi rune
	kind   Hidden
}

// HiddenKind says whether and how a code point is hidden. Newline and tab count as controls here; a block keeps them.
func HiddenKind(r rune) Hidden {
	at, found := slices.BinarySearchFunc(hiddenTable, r, func(h hiddenRange, r rune) int {
		switch {
		case h.hi < r:
			return -1
		case h.lo > r:
			return 1
		}
		return 0
	})
	if !found {
		return NotHidden
	}
	return hiddenTable[at].kind
}

// next takes the first character of s: its code point or byte, its length in bytes, and its kind. Three bytes that hold a
// surrogate, which UTF-8 does not allow, count as that surrogate.
func next(s string) (r rune, n int, kind Hidden) {
	r, n = utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || n == 3 {
		return r, n, HiddenKind(r)
	}
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && s[2]&0xc0 == 0x80 {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3, Half
	}
	return rune(s[0]), 1, Byte
}
