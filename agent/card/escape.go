package card

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a quoted string and undoes its escapes.
func (s *scanner) string() (string, error) {
	if s.at == len(s.in) || s.in[s.at] != '"' {
		return "", s.fail("a string is missing")
	}
	s.at++
	start, plain := s.at, true
	for s.at < len(s.in) {
		switch c := s.in[s.at]; {
		case c == '"':
			raw := s.in[start:s.at]
			s.at++
			if plain {
				return raw, nil
			}
			return s.unescape(raw)
		case c == '\\':
			plain = false
			s.at += 2
		case c < 0x20:
			return "", s.fail("a control character stands bare in a string")
		default:
			s.at++
		}
	}
	s.at = len(s.in)
	return "", s.fail("a string does not end")
}

func (s *scanner) unescape(raw string) (string, error) {
	var out []byte
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		r, n, ok := unescapeOne(raw[i:])
		if !ok || utf16.IsSurrogate(r) && !s.halves {
			return "", s.fail("an escape is written wrongly or is half a character")
		}
		out = appendHalf(out, r)
		i += n
	}
	return string(out), nil
}

// unescapeOne reads the escape at the start of in: one character, or a surrogate that has no partner beside it.
func unescapeOne(in string) (r rune, n int, ok bool) {
	if len(in) < 2 {
		return 0, 0, false
	}
	if at := strings.IndexByte(`"\/bfnrt`, in[1]); at >= 0 {
		return rune("\"\\/\b\f\n\r\t"[at]), 2, true
	}
	first, ok := unit(in)
	if !ok || !utf16.IsSurrogate(first) {
		return first, 6, ok
	}
	if second, ok := unit(in[6:]); ok {
		if r = utf16.DecodeRune(first, second); r != utf8.RuneError {
			return r, 12, true
		}
	}
	return first, 6, true
}

// appendHalf appends r in UTF-8, a surrogate too.
func appendHalf(out []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(out, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(out, r)
}

// unit reads \uXXXX.
func unit(in string) (rune, bool) {
	if len(in) < 6 || in[0] != '\\' || in[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(in[2:6]) {
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if digit < 0 || c < '0' {
			return 0, false
		}
		r = r<<4 | rune(digit)
	}
	return r, true
}
