package voice

import (
	"strings"
	"unicode"
)

// wide are the blocks whose characters take two columns (Unicode UAX #11, W and F, by block).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x231a, 0x231b, 1}, {0x23e9, 0x23ec, 1}, {0x25fd, 0x25fe, 1}, {0x2e80, 0x303e, 1},
		{0x3041, 0x33ff, 1}, {0x3400, 0x4dbf, 1}, {0x4e00, 0x9fff, 1}, {0xa000, 0xa4cf, 1}, {0xa960, 0xa97c, 1},
		{0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x3fffd, 1}},
}

// Cells counts the columns that a text takes on a terminal.
func Cells(text string) int {
	n := 0
	for _, r := range text {
		n += cellsOf(r)
	}
	return n
}

func cellsOf(r rune) int {
	switch {
	case r < 0x20 || r == 0x7f, unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && unicode.Is(wide, r):
		return 2
	default:
		return 1
	}
}

// Cut shortens a text to width columns, with " ..." where something is missing.
func Cut(text string, width int) string {
	if Cells(text) <= width {
		return text
	}
	const sign = " ..."
	if width <= len(sign) {
		return strings.Repeat(".", max(width, 0))
	}
	return strings.TrimRight(head(text, width-len(sign)), " ") + sign
}

// CutFront shortens a path from its start, because its end says more.
func CutFront(text string, width int) string {
	if Cells(text) <= width {
		return text
	}
	const sign = "..."
	if width <= len(sign) {
		return strings.Repeat(".", max(width, 0))
	}
	runes := []rune(text)
	n, from := 0, len(runes)
	for from > 0 && n+cellsOf(runes[from-1]) <= width-len(sign) {
		from--
		n += cellsOf(runes[from])
	}
	return sign + string(runes[from:])
}

func head(text string, width int) string {
	n := 0
	for i, r := range text {
		if n += cellsOf(r); n > width {
			return text[:i]
		}
	}
	return text
}

// Wrap breaks a text at its spaces so that no line is wider than width; a word that is wider stands alone, whole, so that a path or a link can
// be copied.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.SplitSeq(text, " ") {
		if line != "" && Cells(line)+1+Cells(word) > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line = word
			continue
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// Pad fills a text to width columns, at its end, or at its start when right is set.
func Pad(text string, width int, right bool) string {
	space := strings.Repeat(" ", max(width-Cells(text), 0))
	if right {
		return space + text
	}
	return text + space
}

// Line makes one line of a text: what could move the cursor, colour the terminal or break the line is shown as <U+001B>.
// Callers' text goes through card.Visible before; this is the last net, below every message of ours.
func Line(text string) string {
	if !strings.ContainsFunc(text, unicode.IsControl) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) {
			b.WriteString(codePoint(r))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func codePoint(r rune) string {
	const hex = "0123456789ABCDEF"
	return "<U+" + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]}) + ">"
}
