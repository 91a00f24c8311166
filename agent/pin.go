package agent

import (
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"

	"answerback/agent/card"
	"answerback/agent/internal/rules"
	"answerback/hook/caller"
)

// Bounds of what is hashed for one card, in bytes: a script that is larger is not pinned, and neither is one more where all before it were
// so much. Such a call is sensitive for what it runs, whether or not it is pinned.
const (
	maxPinned    = 16 << 20
	maxPinnedAll = 64 << 20
)

// pin hashes the script files that a call would run, so that a script changed while its card is open is not allowed by an answer to the old
// one. It narrows the gap between check and run; what the caller runs after that is out of reach.
func (a *Agent) pin(c caller.Call) []card.Pin {
	var pins []card.Pin
	seen, left := map[string]bool{}, int64(maxPinnedAll)
	for _, path := range rules.Files(a.ruleInput(c)) {
		path = inFolder(c.Folder, path)
		if path == "" || seen[path] || len(pins) == card.MaxPinned {
			continue
		}
		seen[path] = true
		if hash, size, ok := hashFile(path, min(left, maxPinned)); ok {
			pins = append(pins, card.Pin{Path: path, Hash: hash})
			left -= size
		}
	}
	return pins
}

// inFolder makes a path absolute; empty: it cannot be, or no card could name it.
func inFolder(folder, path string) string {
	if !filepath.IsAbs(path) {
		if folder == "" {
			return ""
		}
		path = filepath.Join(folder, path)
	}
	if len(path) > card.MaxPath || !utf8.ValidString(path) {
		return ""
	}
	return path
}

// hashFile hashes a regular file of at most max bytes; anything else, or what cannot be read, has no hash. It opens without waiting: the path
// may become a pipe at any moment.
func hashFile(path string, max int64) (hash [32]byte, size int64, ok bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return hash, 0, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > max {
		return hash, 0, false
	}
	h := sha256.New()
	size, err = io.Copy(h, io.LimitReader(f, max+1))
	if err != nil || size > max {
		return hash, 0, false
	}
	return [32]byte(h.Sum(nil)), size, true
}

// changedFile reports a pinned file that no longer is what the card showed. It only matters for an Allow.
func changedFile(e *entry) (path string, changed bool) {
	if e.outcome.how != answered || !e.outcome.answer.Allows() {
		return "", false
	}
	for _, p := range e.Card.Pinned {
		if hash, _, ok := hashFile(p.Path, maxPinned); !ok || hash != p.Hash {
			return p.Path, true
		}
	}
	return "", false
}
