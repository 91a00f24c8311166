package pairing

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// reader takes fields off the front of a message. After the first field that is
// not there, every further one is empty and ok says no.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) array32() (out [32]byte) {
	copy(out[:], r.take(32))
	return out
}

func (r *reader) uint64() uint64 {
	b := r.take(8)
	if r.bad {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// str reads len(2) || bytes, and returns a copy, nil if it is empty.
func (r *reader) str() []byte {
	n := r.take(2)
	if r.bad {
		return nil
	}
	return append([]byte(nil), r.take(int(binary.BigEndian.Uint16(n)))...)
}

// long reads len(4) || bytes.
func (r *reader) long() []byte {
	n := r.take(4)
	if r.bad || binary.BigEndian.Uint32(n) > maxMessage {
		r.bad = true
		return nil
	}
	return r.take(int(binary.BigEndian.Uint32(n)))
}

// ok says that every field was there and nothing is left.
func (r *reader) ok() bool { return !r.bad && len(r.b) == 0 }

func appendStr[T string | []byte](b []byte, s T) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(s)))
	return append(b, s...)
}

func appendLong(b, s []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

// isName says whether s is 1 to MaxName bytes of UTF-8. Hidden characters are
// made visible where a name is shown, not here.
func isName(s string) bool { return s != "" && isText(s) }

func isText(s string) bool { return len(s) <= MaxName && utf8.ValidString(s) }

// isURL says whether s could be an http or https URL: a scheme in lower case and
// then at least one character, all of them visible ASCII.
func isURL(s string) bool {
	rest, secure := strings.CutPrefix(s, "https://")
	if !secure {
		var plain bool
		if rest, plain = strings.CutPrefix(s, "http://"); !plain {
			return false
		}
	}
	return rest != "" && len(s) <= MaxURL && strings.IndexFunc(s, notVisible) < 0
}

func notVisible(r rune) bool { return r <= ' ' || r > '~' }
