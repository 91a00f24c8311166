package docs

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"answerback/relay"
)

// TestMailboxVectors reads the one vector file that no package of its own does: the relay knows nothing of the folder it lies in.
func TestMailboxVectors(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(root, "crypto/testdata/vectors/mailbox.json"))
	if err != nil {
		t.Fatal(err)
	}
	var group struct {
		Cases []struct{ Name, Op, Expect, R, W, Out string }
	}
	if err := json.Unmarshal(raw, &group); err != nil {
		t.Fatal(err)
	}
	if len(group.Cases) < 20 {
		t.Fatalf("mailbox.json holds %d cases", len(group.Cases))
	}
	for _, c := range group.Cases {
		box := relay.BoxFor(relay.ReaderKey(unhex(t, c.R)), relay.WriterKey(unhex(t, c.W)))
		if same := hex.EncodeToString(box[:]) == c.Out; c.Op != "box" || same != (c.Expect == "ok") {
			t.Errorf("mailbox.json: %s: expect %s, the box is %x", c.Name, c.Expect, box)
		}
	}
}

// TestEveryVectorFileIsTold: the table of the protocol names every vector file, and tests that do read it.
func TestEveryVectorFileIsTold(t *testing.T) {
	readers := map[string][]string{}
	for _, cells := range rows(section(t, page(t, "docs/protocol.md"), "## Test vectors")) {
		for _, file := range strings.Split(cells[0], ", ") {
			readers[file+".json"] = strings.Split(cells[2], "`, `")
		}
	}
	dir := filepath.Join(root, "crypto/testdata/vectors")
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	deeper, _ := filepath.Glob(filepath.Join(dir, "*/*.json"))
	for _, path := range append(files, deeper...) {
		file, _ := filepath.Rel(dir, path)
		tests := readers[filepath.ToSlash(file)]
		delete(readers, filepath.ToSlash(file))
		if len(tests) == 0 {
			t.Errorf("docs/protocol.md, Test vectors does not name %s", file)
		}
		for _, folder := range tests {
			if !readIn(t, folder, filepath.ToSlash(file)) {
				t.Errorf("docs/protocol.md, Test vectors: no test of %s reads %s", folder, file)
			}
		}
	}
	for file := range readers {
		t.Errorf("docs/protocol.md, Test vectors: there is no file %s", file)
	}
}

// readIn reports whether a test of the folder names the vector file, or reads all of them.
func readIn(t *testing.T, folder, file string) bool {
	t.Helper()
	tests, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range tests {
		name, _ := filepath.Rel(root, path)
		if text := page(t, name); strings.Contains(text, file+`"`) || strings.Contains(text, `vectors/*.json"`) {
			return true
		}
	}
	return false
}
