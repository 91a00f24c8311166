package card

import (
	"encoding/json"
	"strings"
	"testing"
)

// messageVector is one body and whether it is a message of that kind. The phone app passes the same: testdata/messages.json.
type messageVector struct {
	Kind   string `json:"kind"` // card, receipt, settled, state, roster, pointer
	Name   string `json:"name"`
	Body   string `json:"body"`
	Expect string `json:"expect"` // "ok" or "refuse"
}

// kindOf is the vector kind of a sample; empty for those that only agents read.
func kindOf(name string) string {
	for kind, names := range map[string]string{"card": "routine,full,cut,admit,policy", "receipt": "receipt,receipt full", "settled": "settled,settled full", "state": "state,state full", "roster": "roster", "pointer": "pointer"} {
		for _, n := range strings.Split(names, ",") {
			if n == name {
				return kind
			}
		}
	}
	return ""
}

func TestMessageVectors(t *testing.T) {
	var all []messageVector
	for _, s := range samples() {
		kind := kindOf(s.name)
		if kind == "" {
			continue
		}
		all = append(all, messageVector{kind, s.name, string(s.body), "ok"})
		v, err := scan(s.body)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		mutants(v, "", false, func(what string, mutant value) {
			if n++; len(s.body) < 500 && n%4 == 0 || n%67 == 0 {
				all = append(all, messageVector{kind, s.name + what, render(mutant), "refuse"})
			}
		})
	}
	refused := 0
	for _, v := range all {
		if v.Expect == "refuse" {
			refused++
		}
	}
	if 4*refused < 3*len(all) {
		t.Errorf("%d of %d vectors are refused: three in four must be", refused, len(all))
	}
	want, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/messages.json", append(want, '\n'))
}
