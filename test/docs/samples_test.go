package docs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"answerback/hook/caller"
)

// fence is the first fenced block of a language on a page.
func fence(t *testing.T, text, language string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "```"+language+"\n")
	block, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatalf("there is no %s block", language)
	}
	return block
}

// TestOpenReplySample runs the shell example of docs/hook-reply.md beside a hook that prints each reply: it runs the call for the exact
// allow, and for nothing else.
func TestOpenReplySample(t *testing.T) {
	sample := fence(t, page(t, "docs/hook-reply.md"), "sh")
	for reply, want := range map[string]string{
		`{"decision":"allow"}` + "\n":                   "run\n",
		`{"decision":"deny","reason":"not now"}` + "\n": `stop: {"decision":"deny","reason":"not now"}` + "\n",
		"":                                      "ask the user here\n",
		`{"decision":"allow","extra":1}` + "\n": "ask the user here\n",
		`{"decision":"allow"`:                   "ask the user here\n",
		"log line\n" + `{"decision":"allow"}` + "\n":             "ask the user here\n",
		`{"hookSpecificOutput":{"decision":"allow"}}` + "\n":     "ask the user here\n",
		`{"decision":"allow"}` + "\n" + `{"decision":"allow"}\n`: "ask the user here\n",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "reply"), reply, 0o600)
		write(t, filepath.Join(dir, "answerback-hook"), "#!/bin/sh\ncat >\"$DIR/stdin\"\ncat \"$DIR/reply\"\n", 0o700)
		c := exec.Command("sh", "-c", sample)
		c.Env = append(os.Environ(), "DIR="+dir, "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("for the reply %q the sample says %q (%v), want %q", reply, out, err, want)
		}
		sent, err := os.ReadFile(filepath.Join(dir, "stdin"))
		if err != nil {
			t.Fatal(err)
		}
		checkSampleCall(t, sent)
	}
}

// checkSampleCall: what the sample sends is a call that can be allowed.
func checkSampleCall(t *testing.T, stdin []byte) {
	t.Helper()
	ad, err := caller.For("my-tool", caller.OpenReply)
	if err != nil {
		t.Fatal(err)
	}
	if call, err := ad.Parse("PermissionRequest", stdin); err != nil || !call.CanAllow {
		t.Errorf("the sample's call cannot be allowed: %v %s", err, call.NoAllow)
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// TestClaudeSettingsSample: the settings of docs/callers.md are JSON, name the hook that the adapter knows, and let the agent speak first.
func TestClaudeSettingsSample(t *testing.T) {
	var settings struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Type, Command string
				Args          []string
				Timeout       int
			}
		}
	}
	if err := json.Unmarshal([]byte(fence(t, page(t, "docs/callers.md"), "json")), &settings); err != nil {
		t.Fatal(err)
	}
	ad, err := caller.For("claude", "")
	if err != nil {
		t.Fatal(err)
	}
	for event, entries := range settings.Hooks {
		e, ok := ad.Event(event)
		if !ok || len(entries) != 1 || len(entries[0].Hooks) != 1 {
			t.Fatalf("the sample has not one hook for an event that the adapter knows: %s", event)
		}
		h := entries[0].Hooks[0]
		if limit := time.Duration(h.Timeout) * time.Second; limit != e.Limit || limit <= e.WaitMax {
			t.Errorf("the sample's timeout is %s; the adapter is made for %s and waits %s", limit, e.Limit, e.WaitMax)
		}
		if h.Type != "command" || !strings.HasSuffix(h.Command, "/answerback-hook") || strings.Join(h.Args, " ") != "--agent claude" {
			t.Errorf("the sample starts something else: %+v", h)
		}
	}
	if len(settings.Hooks) != 1 {
		t.Errorf("the sample names %d events", len(settings.Hooks))
	}
}
