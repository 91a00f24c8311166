package web

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"answerback/test/browser"
)

// report is what the page says of one vector file.
type report struct {
	Ran      int `json:"ran"`
	Failures []struct{ File, Name, Why string }
}

// vectorFiles are all shared vectors: the same files that the Go tests read.
func vectorFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../crypto/testdata/vectors/*.json")
	if err != nil {
		t.Fatal(err)
	}
	return append(files, "../../agent/card/testdata/visible.json", "../../agent/card/testdata/messages.json", "../../agent/card/testdata/allow.json")
}

// holds counts the vectors of a file: the items of its list of cases, of the list that it is, or of all its lists.
func holds(t *testing.T, file string) int {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Cases []json.RawMessage }
	var lists map[string][]json.RawMessage
	switch filepath.Base(file) {
	case "messages.json":
		err = json.Unmarshal(raw, &f.Cases)
	case "allow.json":
		err = json.Unmarshal(raw, &lists)
	default:
		err = json.Unmarshal(raw, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		f.Cases = append(f.Cases, list...)
	}
	if len(f.Cases) == 0 {
		t.Fatalf("%s holds no vectors that this test can count", file)
	}
	return len(f.Cases)
}

func TestVectorsInChromium(t *testing.T) {
	runVectors(t, chromium.Page(t))
}

// runVectors runs every file in the page and holds it to the number of vectors in the file.
func runVectors(t *testing.T, p browser.Page) {
	served := map[string]string{}
	for _, file := range vectorFiles(t) {
		served["/vectors/"+filepath.Base(file)] = file
	}
	browser.Open(t, p, page(t, "vectors.js", served))
	for path, file := range served {
		r := browser.Eval[report](t, p, fmt.Sprintf("vectors.run(%q)", path))
		for _, f := range r.Failures {
			t.Errorf("%s: %s: %s", filepath.Base(f.File), f.Name, f.Why)
		}
		if want := holds(t, file); r.Ran < want {
			t.Errorf("%s: %d vectors ran, the file holds %d", path, r.Ran, want)
		}
	}
}

func TestVectorsInFirefox(t *testing.T) {
	runVectors(t, browser.NewFirefox(t).Page(t))
}
