package rules

import (
	"bytes"
	"encoding/json"
	"strings"
)

// member is one name and value at the top of the input, the name in lower case.
// A name may come twice: which one a caller takes is not known, so both are
// looked at.
type member struct {
	name  string
	value []byte
}

// maxMembers bounds how many members of an input are looked at.
const maxMembers = 200

// members reads the top of a JSON object, at most one more than maxMembers.
func members(input []byte) (list []member, ok bool) {
	if !json.Valid(input) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(input))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() && len(list) <= maxMembers {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		if text, is := name.(string); is {
			list = append(list, member{strings.ToLower(text), value})
		}
	}
	return list, true
}

// text is the value where it is a string.
func (m member) text() (string, bool) {
	if len(m.value) == 0 || m.value[0] != '"' {
		return "", false
	}
	return unquote(m.value), true
}

// list is the value where it is a list of strings.
func (m member) list() ([]string, bool) {
	if len(m.value) == 0 || m.value[0] != '[' {
		return nil, false
	}
	var all []string
	eachText("", m.value, func(_, text string) bool {
		all = append(all, text)
		return len(all) <= maxFields
	})
	return all, len(all) > 0
}

// eachText gives every string in a valid JSON value with the name that it, or
// what holds it, goes by; look returns false to stop. It does not decode what
// it does not give: an input can hold half a million numbers.
func eachText(name string, value []byte, look func(name, text string) bool) {
	names := []string{name}
	var objects []bool
	isName := false
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '{', '[':
			objects = append(objects, value[i] == '{')
			names = append(names, names[len(names)-1])
			isName = value[i] == '{'
		case '}', ']':
			objects, names = objects[:len(objects)-1], names[:len(names)-1]
		case ',':
			isName = len(objects) > 0 && objects[len(objects)-1]
		case '"':
			end := stringEnd(value, i)
			text := unquote(value[i:end])
			i = end - 1
			if isName {
				names[len(names)-1], isName = strings.ToLower(text), false
			} else if !look(names[len(names)-1], text) {
				return
			}
		}
	}
}

// stringEnd is the index behind the string that begins at from.
func stringEnd(value []byte, from int) int {
	for i := from + 1; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(value)
}

func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 && len(quoted) > 1 {
		return strings.ToValidUTF8(string(quoted[1:len(quoted)-1]), "\uFFFD")
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return ""
	}
	return text
}
