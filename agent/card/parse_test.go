package card

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestWhatWeWriteReadsBackTheSame(t *testing.T) {
	for _, s := range samples() {
		got, err := s.again(s.body)
		if err != nil {
			t.Errorf("%s: %v\n%s", s.name, err, s.body)
		} else if !bytes.Equal(got, s.body) {
			t.Errorf("%s:\n%s\nbecame\n%s", s.name, s.body, got)
		}
	}
}

// render writes a value as it is, in its own order; it writes what no message may hold, too.
func render(v value) string {
	switch v.shape {
	case shapeString:
		return string(appendString(nil, v.text))
	case shapeList:
		items := make([]string, len(v.items))
		for i := range items {
			items[i] = render(v.items[i])
		}
		return "[" + strings.Join(items, ",") + "]"
	case shapeObject:
		members := make([]string, len(v.members))
		for i, m := range v.members {
			members[i] = string(appendString(nil, m.name)) + ":" + render(m.value)
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return v.text
}

// optional are the members that may be left out, by name.
var optional = map[string]bool{
	"subagent": true, "changes": true, "cut": true, "admin": true, "count": true, "of": true, "device": true, "decision": true, "reason": true, "file": true,
}

// mutants gives every message that differs from v in one place and has to be refused.
func mutants(v value, path string, free bool, emit func(what string, v value)) {
	switch v.shape {
	case shapeList:
		for i := range v.items {
			mutants(v.items[i], fmt.Sprintf("%s[%d]", path, i), free, func(what string, item value) {
				emit(what, value{shape: shapeList, items: replaced(v.items, i, item)})
			})
		}
	case shapeObject:
		for i, m := range v.members {
			memberMutants(v, i, path+"."+m.name, free, emit)
		}
		if !free {
			emit(path+": unknown member", withMember(v, member{"mode", value{shape: shapeString, text: "bypass"}}))
			emit(path+": unknown empty member", withMember(v, member{"", value{shape: shapeNull, text: "null"}}))
		}
	}
	for _, other := range otherShapes(v) {
		emit(path+": another type", other)
	}
}

func memberMutants(v value, i int, path string, free bool, emit func(string, value)) {
	m := v.members[i]
	if !free && !optional[m.name] {
		emit(path+": missing", value{shape: shapeObject, members: append(append([]member{}, v.members[:i]...), v.members[i+1:]...)})
	}
	emit(path+": doubled", withMember(v, m))
	emit(path+": doubled in another case", withMember(v, member{strings.ToUpper(m.name), m.value}))
	emit(path+": null", value{shape: shapeObject, members: replaced(v.members, i, member{m.name, value{shape: shapeNull, text: "null"}})})
	if !free {
		emit(path+": name in another case", value{shape: shapeObject, members: replaced(v.members, i, member{strings.ToUpper(m.name), m.value})})
	}
	mutants(m.value, path, free, func(what string, inner value) {
		emit(what, value{shape: shapeObject, members: replaced(v.members, i, member{m.name, inner})})
	})
}

func replaced[T any](all []T, i int, with T) []T {
	out := append([]T{}, all...)
	out[i] = with
	return out
}

func withMember(v value, m member) value {
	return value{shape: shapeObject, members: append(append([]member{}, v.members...), m)}
}

// otherShapes are values of every other type, and of the same type out of its range.
func otherShapes(v value) []value {
	all := []value{
		{shape: shapeNull, text: "null"}, {shape: shapeBool, text: "true"}, {shape: shapeNumber, text: "5"}, {shape: shapeString, text: "false"},
		{shape: shapeList}, {shape: shapeObject},
	}
	var out []value
	for _, other := range all {
		if other.shape != v.shape {
			out = append(out, other)
		}
	}
	if v.shape == shapeNumber {
		for _, text := range []string{"-1", "1.0", "1e3", "0.5", "9007199254740992", "18446744073709551616", "-0"} {
			out = append(out, value{shape: shapeNumber, text: text})
		}
	}
	return out
}

// freeNames are the samples whose object has names of the caller's: a question's text.
var freeNames = map[string]bool{"answers": true}

// typeFree are mutants that are other messages in their own right.
func typeFree(name, what string) bool {
	return name == "answers" && strings.Contains(what, "another type")
}

func TestM001_EveryFieldMissingNullOtherTypeDoubled(t *testing.T) {
	tried := 0
	for _, s := range samples() {
		v, err := scan(s.body)
		if err != nil {
			t.Fatal(err)
		}
		mutants(v, "", freeNames[s.name], func(what string, mutant value) {
			tried++
			body := []byte(render(mutant))
			if got, err := s.again(body); err == nil && !typeFree(s.name, what) {
				t.Errorf("%s%s was taken:\n%s\nread as\n%s", s.name, what, body, got)
			} else if err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrSize) {
				t.Errorf("%s%s: %v is no ErrFormat", s.name, what, err)
			}
		})
	}
	if tried < 2000 {
		t.Errorf("only %d mutants were tried", tried)
	}
}

func TestBytesThatAreNoMessage(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, s := range samples() {
		body := string(s.body)
		for what, bad := range map[string]string{
			"empty":           "",
			"null":            "null",
			"cut short":       body[:len(body)-1],
			"a byte behind":   body + "x",
			"a second":        body + body,
			"a NUL behind":    body + "\x00",
			"byte order mark": "\ufeff" + body,
			"bad UTF-8":       strings.Replace(body, ":", ":\"\xff\",\"x\":", 1),
			"a comma more":    strings.Replace(body, ",", ",,", 1) + ",",
			"too deep":        `{"x":` + deep(MaxDepth) + `}`,
			"comment":         "/*x*/" + body,
			"too large":       body + strings.Repeat(" ", MaxCard+1),
			"single quotes":   strings.ReplaceAll(body, `"`, `'`),
			"half surrogate":  strings.Replace(body, `":"`, `":"\ud800`, 1),
		} {
			if got, err := s.again([]byte(bad)); err == nil {
				t.Errorf("%s, %s: taken as %s", s.name, what, got)
			}
		}
	}
}

func TestMembersMayComeInAnyOrder(t *testing.T) {
	for _, s := range samples() {
		if s.name == "roster" || freeNames[s.name] {
			continue // its bytes have one form; its order is the person's
		}
		v, _ := scan(s.body)
		for i, j := 0, len(v.members)-1; i < j; i, j = i+1, j-1 {
			v.members[i], v.members[j] = v.members[j], v.members[i]
		}
		if got, err := s.again([]byte(render(v))); err != nil || !bytes.Equal(got, s.body) {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

func TestMarshalRefusesWhatParseRefuses(t *testing.T) {
	for what, spoil := range map[string]func(*Card){
		"no UTF-8 in the input":   func(c *Card) { c.Input = "{\"command\":\"\xff\"}" },
		"no caller":               func(c *Card) { c.Caller = "" },
		"a long caller":           func(c *Card) { c.Caller = strings.Repeat("x", MaxName+1) },
		"no kind":                 func(c *Card) { c.Kind = "" },
		"another kind":            func(c *Card) { c.Kind = "Call" },
		"no class":                func(c *Card) { c.Class = "" },
		"no need":                 func(c *Card) { c.Needs.Via = "" },
		"no quorum":               func(c *Card) { c.Needs.Quorum = 0 },
		"a quorum below zero":     func(c *Card) { c.Needs.Quorum = -1 },
		"expired before made":     func(c *Card) { c.Expires = c.Made - 1 },
		"five rules":              func(c *Card) { c.Rules = make([]Rule, 5) },
		"a rule when destructive": func(c *Card) { c.Class, c.Rules = Destructive, full().Rules },
		"a rule on a cut card":    func(c *Card) { c.Input, c.Cut, c.Rules = "", cutCard().Cut, full().Rules },
		"cut beside the input":    func(c *Card) { c.Cut = cutCard().Cut },
		"admin on a call":         func(c *Card) { c.Admin = admitCard().Admin },
		"admin card without":      func(c *Card) { c.Kind = KindAdmin },
		"a time beyond 2^53":      func(c *Card) { c.Expires = 1 << 53 },
		"too large":               func(c *Card) { c.Input = strings.Repeat("\"", MaxCard/2+1) },
	} {
		c := routine()
		spoil(&c)
		if body, err := c.Marshal(); err == nil {
			t.Errorf("%s was written: %.200s", what, body)
		}
	}
}

func TestInputTravelsByteForByte(t *testing.T) {
	for _, input := range []string{
		`{"command":"ls \ud83d\ude00 \u202e \/ \ud800","n":1.10e+2,"n2":9007199254740993}`,
		"{ \"command\" :\t\"x\"\n}", "{\"command\":\"\u2028\u2029\u007f<>&é\U0001f600\ufffd\"}",
	} {
		c := routine()
		c.Input = input
		body, err := c.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseCard(body); err != nil || got.Input != input {
			t.Errorf("%q became %q (%v)", input, got.Input, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	all := samples()
	for i, s := range all {
		f.Add(i, s.body)
	}
	f.Fuzz(func(t *testing.T, which int, body []byte) {
		s := all[(which%len(all)+len(all))%len(all)]
		made, err := s.again(body)
		if err != nil {
			if made != nil {
				t.Fatalf("%s: bytes and an error: %v", s.name, err)
			}
			return
		}
		if again, err := s.again(made); err != nil || !bytes.Equal(again, made) {
			t.Fatalf("%s: what we wrote reads otherwise (%v):\n%s\n%s", s.name, err, made, again)
		}
	})
}
