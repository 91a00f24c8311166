package card

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// MaxNumber is the largest number in any message: 2^53-1, the largest that every JSON reader keeps exactly.
const MaxNumber = 1<<53 - 1

// fields writes or reads the members of one JSON object. A message's walk function calls one method per member; whether that
// writes or reads, the member's bounds are the same, so what cannot be read cannot be written.
// The first fault stays in err, and every later call does nothing.
type fields struct {
	writing bool
	out     []byte
	first   bool

	members map[string]value
	err     error
}

// marshal writes one object. The error names the first member that breaks a bound.
func marshal(walk func(*fields)) ([]byte, error) {
	f := &fields{writing: true}
	f.body(walk)
	return f.out, f.err
}

// parse reads b, at most max bytes, as one object.
func parse(b []byte, max int, walk func(*fields)) error {
	if len(b) > max {
		return fmt.Errorf("%w: %d bytes, at most %d are read", ErrFormat, len(b), max)
	}
	v, err := scan(b)
	if err != nil {
		return err
	}
	return read(v, walk)
}

// read walks one parsed object and refuses what the walk did not ask for.
func read(v value, walk func(*fields)) error {
	if v.shape != shapeObject {
		return fmt.Errorf("%w: an object is expected", ErrFormat)
	}
	f := &fields{members: make(map[string]value, len(v.members))}
	for _, m := range v.members {
		f.members[m.name] = m.value
	}
	walk(f)
	for name := range f.members {
		f.fail(name, "is unknown")
	}
	return f.err
}

// body writes one object with its braces.
func (f *fields) body(walk func(*fields)) {
	f.out, f.first = append(f.out, '{'), true
	walk(f)
	f.out, f.first = append(f.out, '}'), false
}

func (f *fields) fail(name, what string) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %q %s", ErrFormat, name, what)
	}
}

// check makes ok a condition of the message, in both directions.
func (f *fields) check(ok bool, name, what string) {
	if !ok {
		f.fail(name, what)
	}
}

// name writes a member's name.
func (f *fields) name(name string) {
	if !f.first {
		f.out = append(f.out, ',')
	}
	f.first = false
	f.out = append(appendString(f.out, name), ':')
}

// take hands out a member of the type wanted, once.
func (f *fields) take(name string, want shape) (value, bool) {
	v, there := f.members[name]
	delete(f.members, name)
	switch {
	case f.err != nil:
	case !there:
		f.fail(name, "is missing")
	case v.shape != want:
		f.fail(name, "is of another type")
	default:
		return v, true
	}
	return value{}, false
}

// has reports whether an optional member is to be walked: there when reading, present when writing.
func (f *fields) has(name string, present bool) bool {
	if f.writing {
		return present
	}
	_, there := f.members[name]
	return there
}

// text is a string of min to max bytes.
func (f *fields) text(name string, s *string, min, max int) {
	if !f.writing {
		if v, ok := f.take(name, shapeString); ok {
			*s = v.text
		}
	}
	f.bound(name, *s, min, max)
	if f.writing && f.err == nil {
		f.name(name)
		f.out = appendString(f.out, *s)
	}
}

func (f *fields) bound(name, s string, min, max int) {
	f.check(len(s) <= max, name, fmt.Sprintf("has %d bytes, more than %d", len(s), max))
	f.check(len(s) >= min, name, "is empty")
	f.check(utf8.ValidString(s), name, "is not UTF-8")
}

// maybe is a string that is left out when it is empty.
func (f *fields) maybe(name string, s *string, max int) {
	if f.has(name, *s != "") {
		f.text(name, s, 0, max)
	}
}

// number is a whole number from min to max.
func (f *fields) number(name string, n *uint64, min, max uint64) {
	if !f.writing {
		if v, ok := f.take(name, shapeNumber); ok {
			f.parseNumber(name, v.text, n)
		}
	}
	f.check(*n >= min && *n <= max, name, "is out of range")
	if f.writing && f.err == nil {
		f.name(name)
		f.out = strconv.AppendUint(f.out, *n, 10)
	}
}

func (f *fields) parseNumber(name, text string, n *uint64) {
	got, err := strconv.ParseUint(text, 10, 64)
	f.check(err == nil, name, "is not a whole number")
	*n = got
}

// small is a number that is kept as an int.
func (f *fields) small(name string, n *int, min, max int) {
	wide := uint64(*n)
	f.number(name, &wide, uint64(min), uint64(max))
	if f.err == nil {
		*n = int(wide)
	}
}

// maybeNumber is a number that is left out when it is 0.
func (f *fields) maybeNumber(name string, n *uint64, max uint64) {
	if f.has(name, *n != 0) {
		f.number(name, n, 0, max)
	}
}

func (f *fields) flag(name string, b *bool) {
	if f.writing {
		f.name(name)
		f.out = strconv.AppendBool(f.out, *b)
	} else if v, ok := f.take(name, shapeBool); ok {
		*b = v.text == "true"
	}
}

// hex is exactly the bytes of b, in lower-case hex. zeroOK: all zero is a value too, and not a sign that it was forgotten.
func (f *fields) hex(name string, b []byte) {
	if f.writing {
		f.name(name)
		f.out = appendString(f.out, hex.EncodeToString(b))
		return
	}
	if v, ok := f.take(name, shapeString); ok {
		f.check(decodeHex(b, v.text), name, fmt.Sprintf("is not %d bytes of lower-case hex", len(b)))
	}
}

func decodeHex(b []byte, text string) bool {
	if len(text) != 2*len(b) {
		return false
	}
	_, err := hex.Decode(b, []byte(text))
	return err == nil && hex.EncodeToString(b) == text
}

// word is one of a closed set of words.
func word[T ~string](f *fields, name string, w *T, words ...T) {
	text := string(*w)
	if !f.writing {
		f.text(name, &text, 0, 64)
		*w = T(text)
	}
	f.check(slices.Contains(words, *w), name, fmt.Sprintf("is no word that is known here: %q", text))
	if f.writing && f.err == nil {
		f.text(name, &text, 0, 64)
	}
}
