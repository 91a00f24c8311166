package caller

import "unicode/utf8"

// maxDepth is how deep objects and arrays may lie in each other.
const maxDepth = 64

// scanner walks one JSON text (RFC 8259) and checks it, without keeping
// anything of it but the names of the objects that it is inside of.
type scanner struct {
	doc   []byte
	pos   int
	depth int
}

// checkObject makes sure that doc is one JSON object in UTF-8, that no object
// in it has a name twice, whatever the case of its letters, and that nothing
// but white space stands around it.
func checkObject(doc []byte) error {
	if len(doc) > MaxInput {
		return parseError{ErrSize}
	}
	if i := badUTF8(doc); i >= 0 {
		return &SyntaxError{i, ErrUTF8}
	}
	s := scanner{doc: doc}
	s.space()
	if s.peek() != '{' {
		return s.fault(ErrJSON)
	}
	if err := s.value(); err != nil {
		return err
	}
	s.space()
	if s.pos != len(doc) {
		return s.fault(ErrJSON)
	}
	return nil
}

// badUTF8 is the offset of the first byte that is no UTF-8, or -1.
func badUTF8(doc []byte) int {
	for i := 0; i < len(doc); {
		if doc[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(doc[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func (s *scanner) fault(kind error) error { return &SyntaxError{s.pos, kind} }

// peek is the next byte, or 0 at the end (a zero byte is no JSON either).
func (s *scanner) peek() byte {
	if s.pos < len(s.doc) {
		return s.doc[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for s.pos < len(s.doc) && isSpace(s.doc[s.pos]) {
		s.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// take moves over c if it comes next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c || s.pos >= len(s.doc) {
		return false
	}
	s.pos++
	return true
}

// value moves over one value.
func (s *scanner) value() error {
	switch c := s.peek(); {
	case c == '{':
		return s.object()
	case c == '[':
		return s.array()
	case c == '"':
		return s.text()
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	default:
		return s.number()
	}
}

func (s *scanner) object() error {
	var seen names
	return s.list('}', func() error {
		start := s.pos
		if s.peek() != '"' {
			return s.fault(ErrJSON)
		}
		if err := s.text(); err != nil {
			return err
		}
		if !seen.add(s.doc[start:s.pos]) {
			return &SyntaxError{start, ErrDuplicate}
		}
		s.space()
		if !s.take(':') {
			return s.fault(ErrJSON)
		}
		s.space()
		return s.value()
	})
}

func (s *scanner) array() error { return s.list(']', s.value) }

// list moves over an opening bracket, items with commas between them, and the
// closing bracket.
func (s *scanner) list(closing byte, item func() error) error {
	if s.depth++; s.depth > maxDepth {
		return s.fault(ErrDepth)
	}
	s.pos++
	s.space()
	if s.take(closing) {
		s.depth--
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		s.space()
		if s.take(closing) {
			s.depth--
			return nil
		}
		if !s.take(',') {
			return s.fault(ErrJSON)
		}
		s.space()
	}
}

// text moves over a string. Escaped surrogates without their other half are
// legal JSON and stay as they are.
func (s *scanner) text() error {
	s.pos++
	for s.pos < len(s.doc) {
		switch c := s.doc[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c < ' ':
			return s.fault(ErrJSON)
		case c == '\\':
			if n := escapeLen(s.doc[s.pos:]); n > 0 {
				s.pos += n
				continue
			}
			return s.fault(ErrJSON)
		}
		s.pos++
	}
	return s.fault(ErrJSON)
}

// escapeLen is the length of the escape at the front of b, or 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b); ok {
			return 6
		}
	}
	return 0
}

// hex4 reads \uXXXX at the front of b.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

func (s *scanner) word(w string) error {
	if len(s.doc)-s.pos < len(w) || string(s.doc[s.pos:s.pos+len(w)]) != w {
		return s.fault(ErrJSON)
	}
	s.pos += len(w)
	return nil
}

// number moves over -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
func (s *scanner) number() error {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return s.fault(ErrJSON)
	}
	if s.take('.') && !s.digits() {
		return s.fault(ErrJSON)
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if !s.take('+') {
			s.take('-')
		}
		if !s.digits() {
			return s.fault(ErrJSON)
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	start := s.pos
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.pos++
	}
	return s.pos > start
}
