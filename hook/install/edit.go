package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

var bom = []byte("\xef\xbb\xbf")

// document is a file that is edited: JSON, with or without comments and last commas.
type document struct {
	root   hujson.Value
	bom    bool
	nl     string // the end of a line
	indent string // one step
}

// parse reads a file. An empty one, or none, is an empty object.
func parse(b []byte) (*document, error) {
	d := &document{nl: "\n", indent: "  "}
	if rest, ok := bytes.CutPrefix(b, bom); ok {
		d.bom, b = true, rest
	}
	if bytes.Contains(b, []byte("\r\n")) {
		d.nl = "\r\n"
	}
	for line := range strings.Lines(string(b)) {
		if step := line[:len(line)-len(strings.TrimLeft(line, " \t"))]; step != "" && strings.TrimSpace(line) != "" {
			d.indent = step
			break
		}
	}
	if len(bytes.TrimSpace(b)) == 0 {
		b = []byte("{}" + d.nl)
	}
	if !utf8.Valid(b) {
		return nil, errors.New("it is not valid UTF-8")
	}
	if deeper(b, maxDepth) {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	var err error
	if d.root, err = hujson.Parse(b); err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	if _, ok := d.root.Value.(*hujson.Object); !ok {
		return nil, errors.New("it is not a JSON object")
	}
	return d, nil
}

func (d *document) bytes() []byte {
	b := d.root.Pack()
	if d.bom {
		b = append(slices.Clone(bom), b...)
	}
	return b
}

// member finds a member by its name, which must not be there twice.
func member(o *hujson.Object, name string) (*hujson.Value, error) {
	var found *hujson.Value
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); ok && l.String() == name {
			if found != nil {
				return nil, fmt.Errorf("%q stands there twice", name)
			}
			found = &o.Members[i].Value
		}
	}
	return found, nil
}

// child returns an object's member that has made's type, and adds made if there is none. kind is what the type is called.
func child[T hujson.ValueTrimmed](d *document, o *hujson.Object, name string, depth int, made T, kind string) (T, error) {
	v, err := member(o, name)
	switch {
	case err != nil:
		return made, err
	case v == nil:
		d.addMember(o, name, made, depth)
		return made, nil
	}
	found, ok := v.Value.(T)
	if !ok {
		err = fmt.Errorf("%q is not %s there", name, kind)
	}
	return found, err
}

func (d *document) line(depth int) hujson.Extra {
	return hujson.Extra(d.nl + strings.Repeat(d.indent, depth))
}

// addMember appends a member to an object whose members stand at depth.
func (d *document) addMember(o *hujson.Object, name string, v hujson.ValueTrimmed, depth int) {
	o.Members = append(o.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: d.line(depth), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: v},
	})
	o.AfterExtra = d.closing(o.AfterExtra, depth-1)
}

// addElement appends a value to a list whose elements stand at depth.
func (d *document) addElement(a *hujson.Array, v any, depth int) error {
	text, err := json.MarshalIndent(v, strings.Repeat(d.indent, depth), d.indent)
	if err != nil {
		return err
	}
	value, err := hujson.Parse([]byte(strings.ReplaceAll(string(text), "\n", d.nl)))
	if err != nil {
		return err
	}
	value.BeforeExtra, value.AfterExtra = d.line(depth), nil
	a.Elements = append(a.Elements, value)
	a.AfterExtra = d.closing(a.AfterExtra, depth-1)
	return nil
}

// closing is what stands before the closing bracket: on a line of its own.
func (d *document) closing(was hujson.Extra, depth int) hujson.Extra {
	if bytes.Contains(was, []byte("\n")) {
		return was
	}
	return append(slices.Clone(was), d.line(depth)...)
}

// removeAt takes an element out of a list. A comment behind the one that is then last stays.
func removeAt(a *hujson.Array, i int) {
	a.Elements = slices.Delete(a.Elements, i, i+1)
	if n := len(a.Elements); n > 0 && i == n {
		last := &a.Elements[n-1]
		a.AfterExtra = append(slices.Clone(last.AfterExtra), a.AfterExtra...)
		last.AfterExtra = nil
	}
}

// removeMember is removeAt for an object's member.
func removeMember(o *hujson.Object, name string) {
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); !ok || l.String() != name {
			continue
		}
		o.Members = slices.Delete(o.Members, i, i+1)
		if n := len(o.Members); n > 0 && i == n {
			last := &o.Members[n-1].Value
			o.AfterExtra = append(slices.Clone(last.AfterExtra), o.AfterExtra...)
			last.AfterExtra = nil
		}
		return
	}
}

// decode reads a value of the document into a Go value.
func decode(v hujson.Value, into any) error {
	v = v.Clone()
	v.Standardize()
	return json.Unmarshal(v.Pack(), into)
}
