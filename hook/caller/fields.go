package caller

import "strconv"

// member is one name of an object with the raw bytes of its value.
type member struct {
	name  string
	value []byte
}

// membersOf lists an object that has been checked, in order.
func membersOf(object []byte) []member {
	var list []member
	s := scanner{doc: object}
	_ = s.list('}', func() error {
		start := s.pos
		if err := s.text(); err != nil {
			return err
		}
		name, _ := unquote(object[start:s.pos])
		s.space()
		s.take(':')
		s.space()
		start = s.pos
		err := s.value()
		list = append(list, member{name, object[start:s.pos:s.pos]})
		return err
	})
	return list
}

// itemsOf lists an array that has been checked, in order.
func itemsOf(array []byte) [][]byte {
	var list [][]byte
	s := scanner{doc: array}
	_ = s.list(']', func() error {
		start := s.pos
		err := s.value()
		list = append(list, array[start:s.pos:s.pos])
		return err
	})
	return list
}

// fields reads the known fields of one object. The first that is not what it
// has to be stays in err; the reads after it give zero values.
type fields struct {
	path    string // of the object, with a dot behind, or ""
	members []member
	err     error
}

func fieldsOf(path string, object []byte) *fields {
	return &fields{path: path, members: membersOf(object)}
}

// raw is a field's value, or nil when it is missing.
func (f *fields) raw(name string) []byte {
	for _, m := range f.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (f *fields) fail(name, want string) {
	if f.err == nil {
		f.err = &FieldError{f.path + name, want}
	}
}

// text reads an optional string of at most limit bytes.
func (f *fields) text(name string, limit int) string {
	raw := f.raw(name)
	if raw == nil {
		return ""
	}
	s, ok := textOf(raw)
	if !ok || len(s) > limit {
		f.fail(name, "a string of at most "+strconv.Itoa(limit)+" bytes")
		return ""
	}
	return s
}

// need reads a string that has to be there and not be empty.
func (f *fields) need(name string, limit int) string {
	s := f.text(name, limit)
	if s == "" {
		f.fail(name, "a string that is not empty")
	}
	return s
}

// typed makes sure that an optional field, if there, begins with the given
// byte: '{' for an object, '[' for an array.
func (f *fields) typed(name string, first byte, want string) []byte {
	raw := f.raw(name)
	if raw != nil && raw[0] != first {
		f.fail(name, want)
		return nil
	}
	return raw
}

// flag reads an optional boolean.
func (f *fields) flag(name string) bool {
	raw := f.raw(name)
	if raw != nil && raw[0] != 't' && raw[0] != 'f' {
		f.fail(name, "true or false")
	}
	return raw != nil && raw[0] == 't'
}

// textOf decodes a raw value that is a string. A string that is no UTF-8 (a
// lone surrogate) is refused.
func textOf(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return unquote(raw)
}

// compact is a checked JSON text without the white space between its tokens.
func compact(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	s := scanner{doc: raw}
	for s.pos < len(raw) {
		start := s.pos
		switch {
		case isSpace(raw[start]):
			s.pos++
			continue
		case raw[start] == '"':
			_ = s.text()
		default:
			s.pos++
		}
		out = append(out, raw[start:s.pos]...)
	}
	return out
}
