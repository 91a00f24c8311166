package card

import (
	"fmt"
	"strings"
)

// The marks around what stands for a hidden character. A caller's own opening mark is written as a hidden character too, so
// that a mark on a screen is always ours and the text can be told back from what is shown.
const (
	openMark  = '\u27e6'
	closeMark = '\u27e7'
)

// Visible makes every hidden character of s visible, for a text of one line: a list, a name, a log line. U+202E becomes
// "⟦U+202E⟧", a newline "⟦U+000A⟧", a byte that is no UTF-8 "⟦0xFF⟧". This is the one function for it on every surface: what it
// returns holds no control character, no bidi control and nothing without a glyph.
// The text itself is untouched: digests are over the original bytes.
func Visible(s string) string { return visible(s, false) }

// VisibleBlock is Visible for a text of several lines: newline and tab stay as they are. A carriage return does not.
func VisibleBlock(s string) string { return visible(s, true) }

func visible(s string, block bool) string {
	var out strings.Builder
	for len(s) > 0 {
		r, n, kind := next(s)
		switch {
		case kind == Byte:
			fmt.Fprintf(&out, "%c0x%02X%c", openMark, r, closeMark)
		case shows(r, kind, block):
			out.WriteString(s[:n])
		default:
			fmt.Fprintf(&out, "%cU+%04X%c", openMark, r, closeMark)
		}
		s = s[n:]
	}
	return out.String()
}

func shows(r rune, kind Hidden, block bool) bool {
	if block && (r == '\n' || r == '\t') {
		return true
	}
	return kind == NotHidden && r != openMark
}

// Mark is one hidden character of a text and where it stands.
type Mark struct {
	Rune rune // or the byte
	Kind Hidden
	Line int // from 1
}

// Marks lists the hidden characters of a block in order, so that a screen can count and name them. Newline and tab are not among them.
func Marks(s string) []Mark {
	var marks []Mark
	for line := 1; len(s) > 0; {
		r, n, kind := next(s)
		switch {
		case kind == NotHidden || kind == Control && r == '\t':
		case kind == Control && r == '\n':
			line++
		default:
			marks = append(marks, Mark{Rune: r, Kind: kind, Line: line})
		}
		s = s[n:]
	}
	return marks
}
