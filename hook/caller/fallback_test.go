package caller_test

import (
	"testing"

	"answerback/hook"
	"answerback/hook/caller"
)

// The hook cannot ask an adapter, so it holds constant bytes for when no agent
// answers. They are that adapter's no opinion, row by row.
func TestFallbackIsTheAdaptersNoOpinion(t *testing.T) {
	for _, c := range []struct{ name, reply string }{{"claude", ""}, {"codex", ""}, {"copilot", ""}, {"qwen", ""}, {"my-tool", caller.OpenReply}, {"my-tool", ""}} {
		a, err := caller.For(c.name, c.reply)
		if err != nil {
			t.Fatal(err)
		}
		known := 0
		for _, event := range []string{"PermissionRequest", "permissionRequest", "PreToolUse", "preToolUse", "BeforeTool", "PostToolUse", "Stop", "Notification"} {
			ev, ok := a.Event(event)
			if !ok {
				continue
			}
			known++
			compare(t, c.name, event, false, ev.Silence)
			compare(t, c.name, event, true, ev.Closed)
			if got := a.Reply(event, caller.Call{}, caller.Verdict{}); !got.Equal(ev.Silence) {
				t.Errorf("%s %s: the zero verdict gives %+v", c.name, event, got)
			}
		}
		if known == 0 {
			t.Errorf("%s has no event", c.name)
		}
	}
}

func compare(t *testing.T, name, event string, closed bool, want caller.Reply) {
	t.Helper()
	exit, stdout, stderr := hook.Fallback(name, event, closed)
	if got := (caller.Reply{Exit: exit, Stdout: stdout, Stderr: stderr}); !got.Equal(want) {
		t.Errorf("%s %s closed %v: the hook falls back to %+v, the adapter's no opinion is %+v", name, event, closed, got, want)
	}
}

// Both packages judge names, each for itself.
func TestNamesAreJudgedAlike(t *testing.T) {
	for _, name := range []string{"", "a", "my-tool", "My", "a b", "a_b", "é", "abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwxy", "a\x00", "0"} {
		if hook.ValidName(name) != caller.ValidName(name) {
			t.Errorf("%q is a name to one of the two only", name)
		}
	}
	if hook.MaxStdin != caller.MaxInput {
		t.Error("the hook reads another size than an adapter parses")
	}
}
