package install

import (
	"encoding/json"
	"reflect"

	"github.com/tailscale/hujson"
)

// withEntry returns the file with exactly one entry of ours, which is that one.
func withEntry(before []byte, t target, h handler) ([]byte, error) {
	d, err := parse(before)
	if err != nil {
		return nil, err
	}
	list, err := d.list(t)
	if err != nil {
		return nil, err
	}
	same, others, err := t.count(list, h)
	switch {
	case err != nil:
		return nil, err
	case same == 1 && others == 0:
		return before, nil
	}
	if _, err := t.drop(list); err != nil {
		return nil, err
	}
	var entry any = h
	if !t.flat {
		g := group{Hooks: []handler{h}}
		if t.name == "claude" {
			g.Matcher = "*"
		}
		entry = g
	}
	if err := d.addElement(list, entry, 3); err != nil {
		return nil, err
	}
	return d.bytes(), nil
}

// list is the event's list, made if it is missing.
func (d *document) list(t target) (*hujson.Array, error) {
	root := d.root.Value.(*hujson.Object)
	if t.whole {
		if v, err := member(root, "version"); err != nil {
			return nil, err
		} else if v == nil {
			d.addMember(root, "version", hujson.Int(1), 1)
		}
	}
	hooks, err := child(d, root, "hooks", 1, &hujson.Object{}, "an object")
	if err != nil {
		return nil, err
	}
	list, err := child(d, hooks, t.event, 2, &hujson.Array{}, "a list")
	if err != nil {
		return nil, err
	}
	return list, t.pure(list)
}

// count counts the entries of ours: those that are as they should be, and the others.
func (t target) count(list *hujson.Array, want handler) (same, others int, err error) {
	text, err := json.Marshal(want)
	if err != nil {
		return 0, 0, err
	}
	var wanted map[string]json.RawMessage
	if err := json.Unmarshal(text, &wanted); err != nil {
		return 0, 0, err
	}
	err = t.each(list, func(h handler, v hujson.Value) bool {
		var whole map[string]json.RawMessage
		if decode(v, &whole) == nil && len(whole) == len(wanted) && reflect.DeepEqual(h, want) {
			same++
		} else {
			others++
		}
		return false
	})
	return same, others, err
}

// drop removes every entry of ours, and groups that held nothing else.
func (t target) drop(list *hujson.Array) (removed int, err error) {
	err = t.each(list, func(handler, hujson.Value) bool {
		removed++
		return true
	})
	return removed, err
}

// pure refuses a list in which one of our entries does something else, too.
func (t target) pure(list *hujson.Array) error {
	found := false
	err := t.each(list, func(h handler, _ hujson.Value) bool {
		found = found || mixed(h)
		return false
	})
	if err == nil && found {
		err = errMixed
	}
	return err
}

// each calls f for every entry of ours and removes those for which it returns true. What has another shape is somebody else's, and left alone.
func (t target) each(list *hujson.Array, f func(handler, hujson.Value) bool) error {
	if t.flat {
		t.eachOf(list, f)
		return nil
	}
	for i := len(list.Elements) - 1; i >= 0; i-- {
		g, ok := list.Elements[i].Value.(*hujson.Object)
		if !ok {
			continue
		}
		v, err := member(g, "hooks")
		if err != nil {
			return err
		}
		if v == nil {
			continue
		}
		if inner, ok := v.Value.(*hujson.Array); ok && t.eachOf(inner, f) && len(inner.Elements) == 0 {
			removeAt(list, i)
		}
	}
	return nil
}

func (t target) eachOf(list *hujson.Array, f func(handler, hujson.Value) bool) (removed bool) {
	for i := len(list.Elements) - 1; i >= 0; i-- {
		var h handler
		if decode(list.Elements[i], &h) == nil && t.ours(h) && f(h, list.Elements[i]) {
			removeAt(list, i)
			removed = true
		}
	}
	return removed
}

// withoutEntry returns the file without any entry of ours. What only held it goes too, unless it stood there before, in was (nil: not known); a
// file that was ours alone goes as a whole.
func withoutEntry(before []byte, t target, was []byte) ([]byte, error) {
	d, err := parse(before)
	if err != nil {
		return nil, err
	}
	list, err := d.list(t)
	if err != nil {
		return nil, err
	}
	removed, err := t.drop(list)
	if err != nil || removed == 0 {
		return before, err
	}
	root := d.root.Value.(*hujson.Object)
	hooks, err := member(root, "hooks")
	if err != nil {
		return nil, err
	}
	inside := hooks.Value.(*hujson.Object)
	hadHooks, hadEvent := t.had(was)
	if len(list.Elements) == 0 && !hadEvent {
		removeMember(inside, t.event)
	}
	if len(inside.Members) > 0 || hadHooks {
		return d.bytes(), nil
	}
	removeMember(root, "hooks")
	if t.whole && len(root.Members) == 1 && was == nil {
		removeMember(root, "version")
	}
	if len(root.Members) == 0 && was == nil {
		return nil, nil
	}
	return d.bytes(), nil
}

// had says what of the way to an entry stood in a file before the entry came.
func (t target) had(was []byte) (hooks, event bool) {
	d, err := parse(was)
	if was == nil || err != nil {
		return false, false
	}
	v, err := member(d.root.Value.(*hujson.Object), "hooks")
	if err != nil || v == nil {
		return false, false
	}
	inside, ok := v.Value.(*hujson.Object)
	if !ok {
		return false, false
	}
	list, err := member(inside, t.event)
	return true, err == nil && list != nil
}
