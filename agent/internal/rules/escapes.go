package rules

import "strings"

// unescapeC undoes the escapes of $'..': \n, \x41, \101, \u0041 and so on.
func unescapeC(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		if plain := strings.IndexByte("abefnrtv", text[i]); plain >= 0 {
			b.WriteByte("\a\b\x1b\f\n\r\t\v"[plain])
			continue
		}
		n, width := escapedNumber(text[i:])
		if width == 0 {
			b.WriteByte(text[i])
			continue
		}
		if text[i] == 'u' || text[i] == 'U' {
			b.WriteRune(rune(n))
		} else {
			b.WriteByte(byte(n))
		}
		i += width - 1
	}
	return b.String()
}

// escapedNumber reads xHH, uHHHH, UHHHHHHHH or OOO; width 0: none of them.
func escapedNumber(text string) (n, width int) {
	base, digits, start := 16, 0, 1
	switch text[0] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		base, digits, start = 8, 3, 0
	}
	for width = start; width < len(text) && width < start+digits; width++ {
		d := strings.IndexByte("0123456789abcdef", text[width]|0x20)
		if text[width] <= '9' {
			d = strings.IndexByte("0123456789", text[width])
		}
		if d < 0 || d >= base {
			break
		}
		n = n*base + d
	}
	if width == start {
		return 0, 0
	}
	return n, width
}
