package card

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep objects and lists may nest in a message, and in the input that a card shows.
const MaxDepth = 64

// ErrFormat is wrapped by every refusal of bytes that are no message of ours.
var ErrFormat = errors.New("the message is not in its format")

// ErrSize is wrapped when a message would be larger than its kind may be.
var ErrSize = errors.New("the message is too large")

// shape says what a JSON value is.
type shape byte

const (
	shapeNull shape = iota + 1
	shapeBool
	shapeNumber
	shapeString
	shapeList
	shapeObject
)

// value is one parsed JSON value. text holds a string's characters, a number's literal, or "true"/"false".
type value struct {
	shape   shape
	text    string
	members []member
	items   []value
}

// member is one name and its value, in the order in which they stood.
type member struct {
	name  string
	value value
}

// scanner reads one JSON text strictly (RFC 8259, and the further refusals of the package comment).
type scanner struct {
	in    string
	at    int
	depth int
	// halves keeps a lone surrogate in a string, as the three bytes that UTF-8 would give it were it allowed. A caller's input
	// may hold one, and it has to be shown; a message of ours may not.
	halves bool
}

// scan reads the whole of b as one JSON value, as a message of ours.
func scan(b []byte) (value, error) { return (&scanner{in: string(b)}).all() }

// scanInput reads what a caller wrote. Lone surrogates are kept, to be shown.
func scanInput(in string) (value, error) { return (&scanner{in: in, halves: true}).all() }

func (s *scanner) all() (value, error) {
	if !utf8.ValidString(s.in) {
		return value{}, fmt.Errorf("%w: it is not UTF-8", ErrFormat)
	}
	v, err := s.value()
	if err != nil {
		return value{}, err
	}
	s.space()
	if s.at != len(s.in) {
		return value{}, s.fail("bytes follow its end")
	}
	return v, nil
}

func (s *scanner) fail(what string) error {
	return fmt.Errorf("%w: %s (byte %d)", ErrFormat, what, s.at)
}

func (s *scanner) space() {
	for s.at < len(s.in) && strings.IndexByte(" \t\r\n", s.in[s.at]) >= 0 {
		s.at++
	}
}

// take skips white space and one byte c, if it comes next.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.at < len(s.in) && s.in[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) value() (value, error) {
	s.space()
	if s.at == len(s.in) {
		return value{}, s.fail("it ends early")
	}
	switch c := s.in[s.at]; {
	case c == '{':
		return s.nested(s.object)
	case c == '[':
		return s.nested(s.list)
	case c == '"':
		text, err := s.string()
		return value{shape: shapeString, text: text}, err
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	return s.literal()
}

func (s *scanner) nested(read func() (value, error)) (value, error) {
	if s.depth == MaxDepth {
		return value{}, s.fail("it nests too deep")
	}
	s.at++
	s.depth++
	v, err := read()
	s.depth--
	return v, err
}

func (s *scanner) literal() (value, error) {
	for word, k := range map[string]shape{"null": shapeNull, "true": shapeBool, "false": shapeBool} {
		if strings.HasPrefix(s.in[s.at:], word) {
			s.at += len(word)
			return value{shape: k, text: word}, nil
		}
	}
	return value{}, s.fail("no value stands here")
}

func (s *scanner) list() (value, error) {
	v := value{shape: shapeList}
	if s.take(']') {
		return v, nil
	}
	for {
		item, err := s.value()
		if err != nil {
			return value{}, err
		}
		v.items = append(v.items, item)
		if s.take(']') {
			return v, nil
		}
		if !s.take(',') {
			return value{}, s.fail("a list goes on without a comma")
		}
	}
}

func (s *scanner) object() (value, error) {
	v, seen := value{shape: shapeObject}, map[string]bool{}
	if s.take('}') {
		return v, nil
	}
	for {
		m, err := s.member(seen)
		if err != nil {
			return value{}, err
		}
		v.members = append(v.members, m)
		if s.take('}') {
			return v, nil
		}
		if !s.take(',') {
			return value{}, s.fail("an object goes on without a comma")
		}
	}
}

// member reads one name and value. Names that differ in case alone count as one: there are readers that take one for the other.
func (s *scanner) member(seen map[string]bool) (member, error) {
	s.space()
	name, err := s.string()
	if err != nil {
		return member{}, err
	}
	if folded := foldName(name); seen[folded] {
		return member{}, s.fail(fmt.Sprintf("the name %q comes twice", name))
	} else {
		seen[folded] = true
	}
	if !s.take(':') {
		return member{}, s.fail("a name has no value")
	}
	v, err := s.value()
	return member{name: name, value: v}, err
}

// number reads a JSON number and keeps its literal.
func (s *scanner) number() (value, error) {
	start := s.at
	if s.in[s.at] == '-' {
		s.at++
	}
	whole := s.digits()
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return value{}, s.fail("a number is written wrongly")
	}
	if s.at < len(s.in) && s.in[s.at] == '.' {
		s.at++
		if s.digits() == "" {
			return value{}, s.fail("a number is written wrongly")
		}
	}
	if s.at < len(s.in) && (s.in[s.at] == 'e' || s.in[s.at] == 'E') {
		s.at++
		if s.at < len(s.in) && (s.in[s.at] == '+' || s.in[s.at] == '-') {
			s.at++
		}
		if s.digits() == "" {
			return value{}, s.fail("a number is written wrongly")
		}
	}
	return value{shape: shapeNumber, text: s.in[start:s.at]}, nil
}

func (s *scanner) digits() string {
	start := s.at
	for s.at < len(s.in) && s.in[s.at] >= '0' && s.in[s.at] <= '9' {
		s.at++
	}
	return s.in[start:s.at]
}
