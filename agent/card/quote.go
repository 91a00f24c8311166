package card

import "strings"

const hexDigits = "0123456789abcdef"

// appendString appends s, valid UTF-8, as a JSON string with the fewest escapes. That is what JSON.stringify writes (ECMA-262,
// QuoteJSONString), so both ends write the same bytes.
func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			out = appendEscape(append(out, s[start:i]...), c)
			start = i + 1
		}
	}
	return append(append(out, s[start:]...), '"')
}

func appendEscape(out []byte, c byte) []byte {
	if at := strings.IndexByte("\"\\\b\f\n\r\t", c); at >= 0 {
		return append(out, '\\', "\"\\bfnrt"[at])
	}
	return append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
