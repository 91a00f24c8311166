// Command genvectors writes the test vectors of protocol 1 into
// crypto/testdata/vectors. Run it in the project's root, or as make vectors:
//
//	go run ./crypto/internal/genvectors
//
// The same files are read by the Go tests and by the phone app's tests in real
// browsers; those in the folder agent are for the agent's half alone. All
// randomness is a fixed stream, so the files change only when the protocol does.
//
// A file is {"about": text, "cases": [..]}. Every case has a name in plain words
// and an "expect": "ok", or the fault that must come out. Bytes are lower-case
// hex. At least three cases of four in every file must fail: a value that a
// plausible mistake would give ("differs"), or an input that must be refused.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// group is one vector file.
type group struct {
	About string `json:"about"`
	Cases []any  `json:"cases"`
}

func (g *group) add(c any) { g.Cases = append(g.Cases, c) }

// groups are all files by their path under testdata/vectors.
func groups() map[string]*group {
	return map[string]*group{
		"labels.json":        labels(),
		"kdf.json":           kdf(),
		"chain.json":         chains(),
		"digits.json":        digits(),
		"mailbox.json":       mailboxes(),
		"keys.json":          keys(),
		"padding.json":       padding(),
		"envelope.json":      envelopes(),
		"answer.json":        answers(),
		"signed.json":        signedBytes(),
		"link.json":          links(),
		"bundle.json":        bundles(),
		"pairing.json":       devicePairings(),
		"agent/ratchet.json": agentRatchets(),
		"agent/answer.json":  answerMessages(),
		"agent/signed.json":  signedMessages(),
		"agent/pairing.json": agentPairings(),
	}
}

// encode returns the bytes of a file.
func encode(g *group) ([]byte, error) {
	b, err := json.MarshalIndent(g, "", " ")
	return append(b, '\n'), err
}

func write(dir string) error {
	for name, g := range groups() {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		b, err := encode(g)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return err
		}
		fmt.Printf("%s: %d cases\n", path, len(g.Cases))
	}
	return nil
}

func main() {
	if err := write("crypto/testdata/vectors"); err != nil {
		fmt.Fprintln(os.Stderr, "genvectors: write vectors, in the project's root:", err)
		os.Exit(1)
	}
}
