package agent

import (
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"

	"answerback/agent/card"
	"answerback/agent/internal/rules"
	"answerback/hook/caller"
)

// maxPinned bounds how much of a script is hashed; a larger one is pinned by its beginning and its size would be lost, so it is not pinned.
const maxPinned = 16 << 20

// pin hashes the script files that a call would run, so that a script changed while its card is open is not allowed by an answer to the old
// one. It narrows the gap between check and run; what the caller runs after that is out of reach.
func (a *Agent) pin(c caller.Call) []card.Pin {
	var pins []card.Pin
	for _, path := range rules.Files(a.ruleInput(c)) {
		if !filepath.IsAbs(path) {
			if c.Folder == "" {
				continue
			}
			path = filepath.Join(c.Folder, path)
		}
		if hash, ok := hashFile(path); ok && len(pins) < card.MaxPinned && len(path) <= card.MaxPath {
			pins = append(pins, card.Pin{Path: path, Hash: hash})
		}
	}
	return pins
}

// hashFile hashes a regular file; anything else, or what cannot be read, has no hash.
func hashFile(path string) (hash [32]byte, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxPinned {
		return hash, false
	}
	f, err := os.Open(path)
	if err != nil {
		return hash, false
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxPinned+1)); err != nil {
		return hash, false
	}
	return [32]byte(h.Sum(nil)), true
}

// changedFile reports a pinned file that no longer is what the card showed. It only matters for an Allow.
func changedFile(e *entry) (path string, changed bool) {
	if e.outcome.how != answered || !e.outcome.answer.Allows() {
		return "", false
	}
	for _, p := range e.Card.Pinned {
		if hash, ok := hashFile(p.Path); !ok || hash != p.Hash {
			return p.Path, true
		}
	}
	return "", false
}
