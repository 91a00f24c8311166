package law

import (
	"slices"
	"strings"
	"testing"
)

// room is a part of the project and what its code (not its tests) may import of ours.
type room struct {
	dir string
	// may lists rooms of ours, each with everything below it; a trailing "!" means that very package only.
	may []string
	// stdOnly: nothing from outside the standard library but what extra names.
	stdOnly bool
	extra   []string
}

// rooms is the import law: a package may import what its row lists, itself, and nothing else of ours.
// The longest matching row counts.
var rooms = []room{
	{dir: "crypto", stdOnly: true, extra: []string{"golang.org/x/crypto"}},
	{dir: "pairing", may: []string{"crypto!"}, stdOnly: true, extra: []string{"golang.org/x/crypto"}},
	{dir: "hook", stdOnly: true, extra: []string{"golang.org/x/sys"}},
	{dir: "hook/caller", stdOnly: true},
	{dir: "hook/install", may: []string{"hook", "hook/caller"}},
	{dir: "relay", stdOnly: true},
	{dir: "relay/relayserver", may: []string{"relay!"}},
	{dir: "relay/relayserver/relaytest", may: []string{"relay!", "relay/relayserver!"}},
	{dir: "relay/relayclient", may: []string{"relay!"}},
	{dir: "relay/webpush", may: []string{"relay!"}, stdOnly: true},
	{dir: "relay/natsbus", may: []string{"relay!", "relay/relayserver!"}},
	{dir: "agent", may: []string{"crypto", "pairing", "hook!", "hook/caller", "relay!", "relay/relayclient!", "agent"}},
	{dir: "agent/card", may: []string{"crypto!"}},
	{dir: "agent/control", may: []string{"hook!"}, stdOnly: true},
	{dir: "agent/device", may: []string{"crypto!", "pairing!", "agent/card!", "relay!", "relay/relayclient!"}},
	{dir: "agent/internal/rules", may: []string{"hook/caller!"}},
	{dir: "agent/internal/filter", may: []string{"hook/caller!"}},
	{dir: "agent/internal/store"},
	{dir: "agent/internal/passkey", may: []string{"crypto!"}},
	{dir: "agent/internal/audit", may: []string{"crypto!", "agent/internal/store!"}},
	{dir: "mobile-web", stdOnly: true},
	{dir: "cmd/answerback-hook", may: []string{"hook!"}},
	{dir: "bench", may: []string{"*"}},
	{dir: "cmd", may: []string{"*"}},
	{dir: "test", may: []string{"*"}},
}

// lawOf finds the row for a folder.
func lawOf(dir string) (room, bool) {
	var best room
	for _, r := range rooms {
		if within(dir, r.dir) && len(r.dir) > len(best.dir) {
			best = r
		}
	}
	return best, best.dir != ""
}

// allows reports whether code of room r may import the package at path below the module.
func (r room) allows(path string) bool {
	if within(path, r.dir) {
		law, _ := lawOf(path)
		return law.dir == r.dir || slices.ContainsFunc(r.may, func(m string) bool { return permits(m, path) })
	}
	return slices.ContainsFunc(r.may, func(m string) bool { return permits(m, path) })
}

func permits(entry, path string) bool {
	if only, exact := strings.CutSuffix(entry, "!"); exact {
		return path == only
	}
	return entry == "*" || within(path, entry)
}

func TestImportLaw(t *testing.T) {
	for _, f := range files(t) {
		if f.test {
			continue
		}
		law, known := lawOf(f.dir)
		if !known {
			t.Errorf("%s lies in no room: give %s a row in the import law", f.path, f.dir)
			continue
		}
		for _, name := range f.imports {
			checkImport(t, f, law, name)
		}
	}
}

func checkImport(t *testing.T, f file, law room, name string) {
	t.Helper()
	if path, mine := ours(name); mine {
		if !law.allows(path) {
			t.Errorf("%s imports %s, which the import law does not give to %s", f.path, name, law.dir)
		}
		return
	}
	foreign := !isStd(name) && !slices.ContainsFunc(law.extra, func(e string) bool { return within(name, e) })
	if law.stdOnly && foreign {
		t.Errorf("%s imports %s, but %s keeps to the standard library", f.path, name, law.dir)
	}
}

// never are imports that no row may ever give back, each with its reason. They hold for tests as well where tests is set.
var never = []struct {
	from, what, reason string
	tests              bool
}{
	{"relay", "answerback/crypto", "the relay holds no type that could read a card", false},
	{"relay", "answerback/pairing", "the relay holds no type that could read a card", false},
	{"relay", "answerback/agent", "the relay holds no type that could read a card", false},
	{"relay", "answerback/hook", "the relay knows nothing of callers", false},
	{"hook/caller", "answerback/hook", "a dialect decides nothing about sockets", false},
	{"cmd/answerback-hook", "encoding/json", "the hook starts in a millisecond and cannot fail in a dialect", false},
	{"cmd/answerback-hook", "net/http", "the hook starts in a millisecond", false},
	{"crypto", "net", "primitives are pure: bytes in, bytes out", false},
	{"crypto", "os", "primitives are pure: bytes in, bytes out", false},
	{"crypto", "time", "time is an argument", false},
	{"crypto", "log", "primitives are pure: bytes in, bytes out", false},
	{"pairing", "net", "the handshake is a state machine over bytes", false},
	{"pairing", "os", "the handshake is a state machine over bytes", false},
	{"pairing", "time", "time is an argument", false},
	{"agent", "answerback/relay/relayserver", "the agent reaches a relay only over its wire", false},
}

func TestNeverImports(t *testing.T) {
	for _, f := range files(t) {
		for _, ban := range never {
			// Programs that make test data lie in internal/ and write files.
			if f.test && !ban.tests || !within(f.dir, ban.from) || strings.Contains(f.dir, "/internal/gen") {
				continue
			}
			if slices.Contains(f.imports, ban.what) {
				t.Errorf("%s imports %s: %s", f.path, ban.what, ban.reason)
			}
		}
	}
}

// TestHookProcessStaysSmall keeps out of package hook what was measured to double its start (encoding/json, net/http, flag, fmt).
func TestHookProcessStaysSmall(t *testing.T) {
	banned := []string{"encoding/json", "net/http", "flag", "fmt", "log"}
	for _, f := range files(t) {
		if f.test || f.dir != "hook" {
			continue
		}
		for _, name := range f.imports {
			if slices.Contains(banned, name) {
				t.Errorf("%s imports %s, which makes every call of every caller slower", f.path, name)
			}
		}
	}
}

func TestOnlyTheStoreKnowsBadger(t *testing.T) {
	for _, f := range files(t) {
		for _, name := range f.imports {
			if strings.HasPrefix(name, "github.com/dgraph-io/badger") && f.dir != "agent/internal/store" {
				t.Errorf("%s imports badger; ask agent/internal/store instead", f.path)
			}
		}
	}
}
