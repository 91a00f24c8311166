package caller

import "unicode"

// hidden says whether a character shows nothing of its own: it controls the
// terminal, turns the reading direction, joins or splits what stands around
// it, or is an odd kind of space.
func hidden(r rune) bool {
	if r == 0x2800 { // the Braille pattern of no dots
		return true
	}
	if r < 0x7f {
		return r < ' '
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs,
		unicode.Zs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// oddSpace says whether a character is a space other than the plain one.
func oddSpace(r rune) bool { return r > 0x7f && unicode.Is(unicode.Zs, r) }
