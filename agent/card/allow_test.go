package card

import (
	"encoding/json"
	"strings"
	"testing"
)

func noAllowOf(t *testing.T, input string) NoAllow {
	t.Helper()
	c := routine()
	c.Input = input
	return c.NoAllow()
}

// deepInput nests one level deeper than is read.
var deepInput = strings.Repeat(`{"a":`, MaxDepth+1) + `1` + strings.Repeat(`}`, MaxDepth+1)

// judgedInputs are inputs of a call, by what a card says of them. The phone app passes the same, from testdata/allow.json.
var judgedInputs = map[NoAllow][]string{
	Empty: {
		``, ` `, "\n", `null`, ` null `, `{}`, ` { } `, `{"command":""}`, `{"command":" \t\n"}`, `{"command":null}`, `{"command":[]}`, `{"command":["",""]}`,
		`{"command":{}}`, `{"command":"","description":"List files"}`, `{"description":"x","Command":""}`, `{"script":"","args":"x"}`,
		`{"code":"\u200b\u00a0"}`, `{"command":"\u202e"}`, `{"a":null,"b":"","c":[{}],"d":{"e":[]}}`,
	},
	Undecodable: {
		`[]`, `["ls"]`, `"ls"`, `5`, `true`, `{`, `{"command":"ls"`, `{"command":"ls"}x`, `{"command":"ls"}{"command":"rm"}`, `{"command":ls}`, `ls -l`,
		`{"command":"ls","command":"rm -rf ~"}`, `{"command":"ls","Command":"rm -rf ~"}`, `{"a":{"b":1,"B":2}}`, `{"ſ":1,"s":2}`,
		"{\"command\":\"a\nb\"}", `{"command":"\x"}`, `{"command":"\u12"}`, `{"n":01}`, `{"n":+1}`, `{"n":.5}`, `{"n":NaN}`, deepInput,
	},
	Offered: {
		`{"command":"ls"}`, `{"command":["bash","-lc","ls"]}`, `{"pattern":"*.go","path":""}`, `{"n":0}`, `{"force":false}`, `{"command":"\ud800"}`,
		`{"command":"ls\u200b"}`, `{"__proto__":{"x":1},"constructor":"y"}`, `{"n":1.5e300}`, `{"file_path":"/x","content":""}`,
	},
}

func TestB080_OnlyAWholeInputHasAnAllow(t *testing.T) {
	for want, inputs := range judgedInputs {
		for _, input := range inputs {
			if got := noAllowOf(t, input); got != want {
				t.Errorf("%.80q: %q, want %q", input, got, want)
			}
		}
	}
	if got := noAllowOf(t, "{\"command\":\"ls\xff\"}"); got != Undecodable {
		t.Errorf("no UTF-8: %q", got)
	}
}

func TestAllowVectors(t *testing.T) {
	want, err := json.MarshalIndent(judgedInputs, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/allow.json", append(want, '\n'))
}

func TestB081_DeepArgumentsAreOffered(t *testing.T) {
	input := `{"q":"DELETE FROM users"`
	for i := range 30 {
		input += `,"k` + string(rune('a'+i%26)) + string(rune('a'+i/26)) + `":` + strings.Repeat(`{"x":`, 8) + `1` + strings.Repeat(`}`, 8)
	}
	if got := noAllowOf(t, input+`}`); got != Offered {
		t.Errorf("%q, want an offer", got)
	}
}

// TestM003_TooLargeIsCutAndHasNoAllow: a call either stands on its card to the last byte, or the card says how much is missing.
func TestM003_TooLargeIsCutAndHasNoAllow(t *testing.T) {
	for _, n := range []int{2_556, 4_096, 65_536, 250_000, 262_145, 412_000, 1 << 20} {
		c := full()
		tail := `; rm -rf ~"}`
		c.Changes = nil
		c.Input = `{"command":"` + strings.Repeat(`echo ok\n`, n/9) + tail
		w, err := New(c, nil)
		if err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		if len(w.Body) > MaxCard {
			t.Fatalf("%d: a body of %d bytes", n, len(w.Body))
		}
		got, err := ParseCard(w.Body)
		if err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		if got.Cut == nil {
			if got.Input != c.Input || got.NoAllow() != Offered {
				t.Errorf("%d: neither whole nor cut", n)
			}
			continue
		}
		last := got.Cut.Last[len(got.Cut.Last)-1]
		if got.NoAllow() != TooLarge || got.Input != "" || got.Rules != nil || !strings.HasSuffix(last, tail) || got.Cut.Bytes != uint64(len(c.Input)) || got.Cut.Lines != uint64(n/9+1) {
			t.Errorf("%d: cut wrongly: %+v", n, got.Cut)
		}
	}
}

func TestCutByEscapesAndOneLongLine(t *testing.T) {
	for name, input := range map[string]string{
		"quotes double in size":  `{"command":"` + strings.Repeat(`\"`, MaxCard/3) + `"}`,
		"one long line":          `{"command":"` + strings.Repeat("é", MaxCard/2) + `"}`,
		"newlines only":          strings.Repeat("\n", MaxCard+1),
		"a backslash at the end": `{"command":"` + strings.Repeat("x", MaxCard) + `\`,
	} {
		c := routine()
		c.Input = input
		w, err := New(c, nil)
		if err != nil || w.Card.NoAllow() != TooLarge {
			t.Errorf("%s: %v, %q", name, err, w.Card.NoAllow())
		}
	}
}

func TestCutOfHugeChanges(t *testing.T) {
	c := full()
	c.Changes = []Change{{Filter: "trim", Before: strings.Repeat("x", MaxCard-100), After: "y"}}
	w, err := New(c, nil)
	if err != nil || w.Card.Cut == nil || w.Card.NoAllow() != TooLarge || w.Card.Changes[0].Before != "" {
		t.Errorf("%v: %+v", err, w.Card.Cut)
	}
}

func TestAdminCardsOfferTheirAllow(t *testing.T) {
	if got := admitCard().NoAllow(); got != Offered {
		t.Errorf("%q", got)
	}
}
