package hook

import (
	"encoding/json"
	"strings"
	"testing"
)

// The events that the callers have, and some that they do not.
var (
	someCallers = []string{"claude", "codex", "copilot", "gemini", "qwen", "opencode", "cursor", "my-tool", ""}
	someEvents  = []string{"PermissionRequest", "permissionRequest", "PreToolUse", "preToolUse", "BeforeTool", "PostToolUse",
		"Stop", "Notification", "AfterTool", "x", ""}
)

// Written out whole, so that a change of a byte is seen in review.
func TestFallbackTable(t *testing.T) {
	const text = `Answerback could not reach its agent, and this gate stops calls that nobody has checked. Nothing ran. ` +
		`Do not look for another way round. Ask the person to start the agent: answerback agent`
	const preToolUse = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"` + text + `"}}` + "\n"
	const copilot = `{"permissionDecision":"deny","permissionDecisionReason":"` + text + `"}` + "\n"
	const deny = `{"decision":"deny","reason":"` + text + `"}` + "\n"
	const ask = `{"decision":"ask","systemMessage":"Answerback could not reach its agent. Decide here, in the terminal."}` + "\n"
	rows := map[string]string{
		"claude PreToolUse closed": preToolUse, "claude  closed": preToolUse,
		"codex PreToolUse closed": preToolUse, "codex  closed": preToolUse,
		"qwen PreToolUse closed": preToolUse, "qwen  closed": preToolUse,
		"copilot preToolUse closed": copilot, "copilot PreToolUse closed": copilot, "copilot  closed": copilot,
		"gemini BeforeTool open": ask, "gemini  open": ask,
		"gemini BeforeTool closed": deny, "gemini  closed": deny,
	}
	for _, caller := range someCallers {
		for _, event := range someEvents {
			for mode, closed := range map[string]bool{"open": false, "closed": true} {
				exit, stdout, stderr := Fallback(caller, event, closed)
				if want := rows[caller+" "+event+" "+mode]; exit != 0 || string(stdout) != want || len(stderr) != 0 {
					t.Errorf("%s %q %s: exit %d, stdout %q, stderr %q, want stdout %q", caller, event, mode, exit, stdout, stderr, want)
				}
			}
		}
	}
}

// Whatever is asked for, a row is silence or one object that does not allow.
func FuzzFallbackNeverAllows(f *testing.F) {
	for _, c := range someCallers {
		for _, e := range someEvents {
			f.Add(c, e, true)
			f.Add(c, e, false)
		}
	}
	f.Fuzz(func(t *testing.T, caller, event string, closed bool) {
		exit, stdout, stderr := Fallback(caller, event, closed)
		if exit != 0 || len(stderr) != 0 {
			t.Fatalf("exit %d, stderr %q", exit, stderr)
		}
		if len(stdout) == 0 {
			return
		}
		var object map[string]any
		if err := json.Unmarshal(stdout, &object); err != nil {
			t.Fatalf("%q is not one object: %v", stdout, err)
		}
		if strings.Contains(string(stdout), "allow") {
			t.Fatalf("%q has the word allow", stdout)
		}
		if strings.EqualFold(event, "PermissionRequest") {
			t.Fatalf("a permission event falls back to %q", stdout)
		}
	})
}
