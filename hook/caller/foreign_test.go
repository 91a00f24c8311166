package caller

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// same are recorded payloads of other callers and events that have the very
// shape of Claude Code's PermissionRequest. Which caller it was is the word of
// the command line, and every card calls it a claim.
var same = map[string]bool{
	"claude-code/PermissionRequest.AskUserQuestion.json":    true,
	"claude-code/PermissionRequest.Bash.json":               true,
	"claude-code/PermissionRequest.WebFetch.json":           true,
	"claude-code/PermissionRequest.Write.json":              true,
	"claude-code/PermissionRequest.mcp.json":                true,
	"codex/PermissionRequest.json":                          true,
	"codex/PermissionRequest.after-PreToolUse-rewrite.json": true,
	"qwen/PermissionRequest.json":                           true,
}

// camel are those of Copilot CLI's shape: its PermissionRequest is the same under either name in its configuration.
var camel = map[string]bool{"copilot/permissionRequest.camel.json": true, "copilot/PermissionRequest.pascal.json": true}

// What is not a PermissionRequest of this shape is refused, and then every
// reply is silence.
func TestForeignPayloads(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.json*")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d payloads, %v", len(files), err)
	}
	for _, adapter := range []Adapter{claude{}, codex{}, qwen{}, copilot{}, open{"my-tool", true}, open{"my-tool", false}} {
		same, events := same, []string{"PermissionRequest", ""}
		if adapter == (copilot{}) {
			same, events = camel, []string{"permissionRequest", ""}
		}
		for _, event := range events {
			for _, path := range files {
				name := strings.TrimPrefix(path, "testdata/")
				call, err := adapter.Parse(event, recorded(t, name))
				if (err == nil) != same[name] {
					t.Errorf("%s reads %s as event %q: %v", adapter.Name(), name, event, err)
				}
				if err != nil && (call.Caller != "" || call.Kind != 0 || call.CanAllow) {
					t.Errorf("%s, %s: a call beside the error: %+v", adapter.Name(), name, call)
				}
				if err != nil && !adapter.Reply(event, call, Verdict{Kind: Allow}).Equal(Reply{}) {
					t.Errorf("%s, %s: a reply to what was refused", adapter.Name(), name)
				}
			}
		}
	}
}

func TestEventHasToBeTheOneInstalledFor(t *testing.T) {
	bash := recorded(t, "claude-code/PermissionRequest.Bash.json")
	pre := recorded(t, "claude-code/PreToolUse.Bash.json")
	for _, adapter := range []Adapter{claude{}, codex{}, qwen{}, open{"my-tool", true}} {
		for _, tt := range []struct {
			event   string
			payload []byte
		}{{"PreToolUse", bash}, {"PermissionRequest", pre}, {"PreToolUse", pre}, {"", pre}, {"permissionRequest", bash}} {
			if _, err := adapter.Parse(tt.event, tt.payload); !errors.Is(err, ErrEvent) {
				t.Errorf("%s, event %q: error is %v, want ErrEvent", adapter.Name(), tt.event, err)
			}
		}
	}
}
