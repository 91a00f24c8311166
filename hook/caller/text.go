package caller

import "unicode/utf8"

// unquote decodes a JSON string that has been checked, quotes included. A
// surrogate without its other half becomes the three bytes that UTF-8 would
// have for it (which is no UTF-8): then exact is false, and no two different
// strings become one.
func unquote(quoted []byte) (s string, exact bool) {
	in := quoted[1 : len(quoted)-1]
	exact = true
	out := make([]byte, 0, len(in))
	for len(in) > 0 {
		if in[0] != '\\' {
			out = append(out, in[0])
			in = in[1:]
			continue
		}
		r, n := unescape(in)
		in = in[n:]
		out = appendWide(out, r)
		exact = exact && !isSurrogate(r)
	}
	return string(out), exact
}

// unescape decodes the escape at the front of in, or the two that make one
// character outside the first 65,536.
func unescape(in []byte) (r rune, n int) {
	switch in[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, _ = hex4(in)
		if low, ok := hex4(in[6:]); ok && 0xd800 <= r && r < 0xdc00 && 0xdc00 <= low && low < 0xe000 {
			return (r-0xd800)<<10 | (low - 0xdc00) + 0x10000, 12
		}
		return r, 6
	}
	return rune(in[1]), 2
}

func isSurrogate(r rune) bool { return 0xd800 <= r && r < 0xe000 }

// appendWide is utf8.AppendRune that also takes a lone surrogate.
func appendWide(b []byte, r rune) []byte {
	if !isSurrogate(r) {
		return utf8.AppendRune(b, r)
	}
	return append(b, byte(0xe0|r>>12), byte(0x80|r>>6&0x3f), byte(0x80|r&0x3f))
}

// decodeWide is utf8.DecodeRuneInString that also takes a lone surrogate.
func decodeWide(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 && len(s) >= 3 && s[0] == 0xed {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return r, n
}

// quote is s as a JSON string. Everything that cannot be seen is written as an
// escape, so that no output of ours moves a cursor; it decodes to s again.
// Bytes that are no UTF-8 become U+FFFD.
func quote(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case hidden(r):
			b = appendEscape(b, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

func appendEscape(b []byte, r rune) []byte {
	if r >= 0x10000 {
		r -= 0x10000
		return appendEscape(appendEscape(b, 0xd800|r>>10), 0xdc00|r&0x3ff)
	}
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
