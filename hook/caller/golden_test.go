package caller

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// payload reads a recorded payload.
func recorded(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The verdicts of the golden files. On a question, allow and rewrite have to
// be silent; on a call, answers.
var verdicts = map[string]Verdict{
	"silence": {},
	"allow":   {Kind: Allow, By: "Pixel 9", Host: "studio"},
	"deny":    {Kind: Deny, By: "Pixel 9", Host: "studio"},
	"words":   {Kind: Deny, By: "Pixel 9", Host: "studio", Words: "use trash instead"},
	"rule":    {Kind: Deny, Words: "policy: no network in this folder"},
	"answers": {Kind: Answers, By: "Pixel 9", Answers: map[string][]string{"Which color?": {"Blue"}}},
	"rewrite": {Kind: Allow, Input: []byte(`{"command": "touch y"}`)},
}

// goldenCalls are, by the folder of their golden files, the callers and the recorded payloads of the event that they ask by.
var goldenCalls = map[string]struct {
	caller, reply, event, payloads string
	count                          int
}{
	"claude":  {"claude", "", "PermissionRequest", "claude-code/PermissionRequest.*.json", 5},
	"open":    {"my-tool", OpenReply, "PermissionRequest", "claude-code/PermissionRequest.*.json", 5},
	"codex":   {"codex", "", "PermissionRequest", "codex/PermissionRequest*.json", 2},
	"qwen":    {"qwen", "", "PermissionRequest", "qwen/PermissionRequest.json", 1},
	"copilot": {"copilot", "", "permissionRequest", "copilot/[pP]ermissionRequest.*.json", 2},
}

// Recorded standard input, exact standard output. A file that is missing is an
// empty reply; a file that no case reads is an error.
func TestB016_GoldenReplies(t *testing.T) {
	read := map[string]bool{}
	for kind, c := range goldenCalls {
		adapter, err := For(c.caller, c.reply)
		if err != nil {
			t.Fatal(err)
		}
		payloads, err := filepath.Glob("testdata/" + c.payloads)
		if err != nil || len(payloads) != c.count {
			t.Fatalf("%s: %d payloads, %v", kind, len(payloads), err)
		}
		for _, path := range payloads {
			call, err := adapter.Parse(c.event, recorded(t, path[len("testdata/"):]))
			if err != nil {
				t.Fatal(err)
			}
			for name, v := range verdicts {
				golden := filepath.Join("testdata/golden", kind, strings.TrimSuffix(filepath.Base(path), ".json")+"."+name+".out")
				read[golden] = true
				want, err := os.ReadFile(golden)
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				got := adapter.Reply(c.event, call, v)
				if string(got.Stdout) != string(want) || got.Exit != 0 || len(got.Stderr) != 0 {
					t.Errorf("%s\n got %q exit %d stderr %q\nwant %q", golden, got.Stdout, got.Exit, got.Stderr, want)
				}
			}
		}
	}
	unread(t, read)
}

func unread(t *testing.T, read map[string]bool) {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*/*.out")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d golden files, %v", len(files), err)
	}
	for _, name := range files {
		if !read[name] {
			t.Errorf("%s is read by no case", name)
		}
	}
}
