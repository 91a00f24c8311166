package card

import "strconv"

// Piece is one leaf of a call's input: where it stands, and its text.
type Piece struct {
	Path   string // "command", "edits[0].old_string"
	Text   string // of a string its characters, else the literal as the caller wrote it
	String bool
}

// Pieces takes a call's input apart for a screen that shows it by lines: every leaf, in the caller's order, nothing left out. Numbers stay as
// they were written; an empty object or list is a leaf, too. Path and Text are the caller's: show them through Visible.
// It reports false for an input that NoAllow calls undecodable; such an input is shown as it is.
func Pieces(input string) ([]Piece, bool) {
	v, err := scanInput(input)
	if err != nil || v.shape != shapeObject {
		return nil, false
	}
	return v.pieces(nil, ""), true
}

func (v value) pieces(out []Piece, path string) []Piece {
	switch {
	case v.shape == shapeObject && len(v.members) > 0:
		for _, m := range v.members {
			out = m.value.pieces(out, joinPath(path, m.name))
		}
		return out
	case v.shape == shapeList && len(v.items) > 0:
		for i, item := range v.items {
			out = item.pieces(out, path+"["+strconv.Itoa(i)+"]")
		}
		return out
	}
	return append(out, Piece{Path: path, Text: v.leaf(), String: v.shape == shapeString})
}

func (v value) leaf() string {
	switch v.shape {
	case shapeObject:
		return "{}"
	case shapeList:
		return "[]"
	}
	return v.text
}

// joinPath quotes a name that could be taken for a path, so that no name looks like another's place.
func joinPath(path, name string) string {
	if !plainName(name) {
		name = string(appendString(nil, name))
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func plainName(name string) bool {
	for _, c := range []byte(name) {
		if !(c == '_' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			return false
		}
	}
	return name != ""
}
