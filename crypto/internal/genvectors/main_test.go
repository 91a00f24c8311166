package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"answerback/relay"
)

const committed = "../../testdata/vectors"

// The files in the tree are what the generator makes, twice over.
func TestCommittedVectorsAreTheGeneratedOnes(t *testing.T) {
	first, second := groups(), groups()
	for name, g := range first {
		want, err := encode(g)
		if err != nil {
			t.Fatal(err)
		}
		again, err := encode(second[name])
		if err != nil || !bytes.Equal(want, again) {
			t.Errorf("%s: the generator makes another file each time, %v", name, err)
		}
		got, err := os.ReadFile(filepath.Join(committed, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator makes, %v; run make vectors", name, err)
		}
	}
	files, err := filepath.Glob(committed + "/*.json")
	more, err2 := filepath.Glob(committed + "/agent/*.json")
	if err != nil || err2 != nil || len(files)+len(more) != len(first) {
		t.Errorf("%d files, the generator makes %d", len(files)+len(more), len(first))
	}
}

type common struct{ Name, Expect string }

func casesOf(t *testing.T, g *group) (cases []common) {
	t.Helper()
	b, err := json.Marshal(g.Cases)
	if err == nil {
		err = json.Unmarshal(b, &cases)
	}
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestThreeInFourMustFail(t *testing.T) {
	for file, g := range groups() {
		ok, names := 0, map[string]bool{}
		for _, c := range casesOf(t, g) {
			if c.Name == "" || c.Expect == "" || names[c.Name] {
				t.Errorf("%s: %+v has no name of its own, or no expect", file, c)
			}
			names[c.Name] = true
			if c.Expect == "ok" {
				ok++
			}
		}
		if n := len(g.Cases); ok == 0 || 4*ok > n {
			t.Errorf("%s: %d of %d must succeed; at most one in four", file, ok, n)
		}
	}
}

// The mailbox id is relay's; these vectors are made without it.
func TestMailboxVectorsAreTheRelaysIds(t *testing.T) {
	for _, c := range mailboxes().Cases {
		v := c.(value)
		box := relay.BoxOf(relay.HashR([32]byte(unhex(v.R))), relay.HashW([32]byte(unhex(v.W))))
		if same := hex.EncodeToString(box[:]) == v.Out; same != (v.Expect == "ok") {
			t.Errorf("%s: box %x", v.Name, box)
		}
	}
}
