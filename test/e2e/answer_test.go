package e2e

import (
	"strings"
	"testing"
	"time"
)

const (
	claudeAllows = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}` + "\n"
	toolAllows   = `{"decision":"allow"}` + "\n"
)

// claudeDenies are the exact bytes of a Deny with words, given on the phone.
func claudeDenies(t testing.TB, device, words string) string {
	return `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":` + quote(denial(t, device, words)) + `}}}` + "\n"
}

// denial is what a denied call's model reads.
func denial(t testing.TB, device, words string) string {
	text := "A person refused this call. Do not look for another way round. Refused on " + device + " for " + host(t) + "; this is final, and nothing ran. "
	if words == "" {
		return text + "Stop here, say what the call was for, and wait for the person."
	}
	return words + "\n\n" + text + "Do what their words above say, or ask the person."
}

// What Claude Code really sent once, through the real hook: the card shows it, Allow is tapped, and Claude reads its own allow.
func TestClaudeAllowed(t *testing.T) {
	m, p := paired(t)
	c := m.claude(recorded(t, "claude-code/PermissionRequest.Bash.json"))
	p.reads("Claude Code")
	p.picture("home-one")
	p.card()
	if got := p.slip(); got != "touch /home/dev/outside/x" {
		t.Errorf("the slip shows %q", got)
	}
	if got := strings.Join(p.fields(), "|"); got != "description touch" {
		t.Errorf("the slip's fields are %q", got)
	}
	p.picture("card")
	p.tap("Allow")
	c.prints(claudeAllows)
	p.reads("Allowed. Accepted by " + host(t) + ".")
	if stamp := p.stamp(); !strings.HasPrefix(stamp, "ACCEPTED BY "+host(t)) {
		t.Errorf("the stamp says %q", stamp)
	}
	p.picture("allowed")
}

// The other callers with a permission event: recorded stdin, a tap in the real app, and the very bytes that the program obeys.
func TestOtherCallers(t *testing.T) {
	m, p := paired(t)
	for _, c := range []struct{ agent, shown, event, stdin, allows string }{
		{"codex", "Codex", "PermissionRequest", "codex/PermissionRequest.json", claudeAllows},
		{"qwen", "Qwen Code", "PermissionRequest", "qwen/PermissionRequest.json", claudeAllows},
		{"copilot", "Copilot CLI", "permissionRequest", "copilot/permissionRequest.camel.json", `{"behavior":"allow"}`},
	} {
		t.Run(c.agent, func(t *testing.T) {
			m, p := m.of(t), p.of(t)
			p.home()
			h := m.event(c.event, recorded(t, c.stdin), "--agent", c.agent)
			p.reads(c.shown)
			p.reads("touch /home/dev/outside")
			p.card()
			p.picture("card-" + c.agent)
			p.tap("Allow")
			h.prints(c.allows)
			p.reads("Allowed. Accepted by " + host(t) + ".")
		})
	}
}

// Deny with words: typed by the person in the sheet, read by the model as they stand.
func TestClaudeDeniedWithWords(t *testing.T) {
	m, p := paired(t)
	c := m.claude(recorded(t, "claude-code/PermissionRequest.Write.json"))
	p.reads("Claude Code")
	p.card()
	p.tap("Deny and say why")
	p.reads("Claude Code reads")
	p.tap("Do a dry run first.")
	p.types("#dw", `Not there. Use "<tmp>" & tell me.`)
	p.picture("deny-sheet")
	p.tapIn(".sheet", "Deny")
	c.prints(claudeDenies(t, "Pixel 9", `Not there. Use "<tmp>" & tell me.`))
	p.reads("Denied. Accepted by " + host(t) + ".")
	p.reads(`You said: Not there. Use "<tmp>" & tell me.`)
	p.picture("denied")
}

// Deny is one tap in the list, without words.
func TestDenyInTheList(t *testing.T) {
	m, p := paired(t)
	c := m.tool(fromTool("Bash", shell("git status")))
	p.reads("git status")
	p.tap("Deny")
	c.prints(`{"decision":"deny","reason":` + quote(denial(t, "Pixel 9", "")) + "}\n")
	p.reads("Denied. Accepted by " + host(t) + ".")
}

// Silence is no opinion: nothing printed, and the card says that it expired.
func TestSilence(t *testing.T) {
	m, p := paired(t)
	c := m.tool(fromTool("Bash", shell("git status --short")), "--wait", "2s")
	p.reads("git status --short")
	c.prints("")
	if c.took < 1500*time.Millisecond || c.took > 4*time.Second {
		t.Errorf("the hook waited %v, not the 2 s that it promised", c.took)
	}
	p.reads("Expired at")
	if p.hasAllow() {
		t.Error("an expired card offers Allow")
	}
}

// `answerback release` hands Claude's question back: no opinion, and the phone says where it was answered.
func TestClaudeReleased(t *testing.T) {
	m, p := paired(t)
	c := m.claude(recorded(t, "claude-code/PermissionRequest.WebFetch.json"))
	p.reads("Claude Code")
	if r := m.command("release", m.pending()); r.exit != 0 || !strings.Contains(r.out, "handed back to claude: it asks in its own terminal") {
		t.Errorf("release says %d, %s", r.exit, r.out)
	}
	c.prints("")
	p.reads("Answered at the terminal.")
}

// H10: the hook is killed, because Claude's own prompt was answered: the card is withdrawn within two seconds.
func TestHookKilledWithdrawsTheCard(t *testing.T) {
	m, p := paired(t)
	c := m.claude(recorded(t, "claude-code/PermissionRequest.Bash.json"))
	p.reads("Claude Code")
	p.card()
	c.kill()
	start := time.Now()
	p.reads("Withdrawn.")
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("the card was withdrawn after %v", took)
	}
	p.picture("withdrawn")
}

// `answerback try`: the sample call as a person first meets it, allowed, denied with words, and left alone.
func TestTry(t *testing.T) {
	m, p := paired(t)
	t.Run("allowed", func(t *testing.T) {
		m, p := m.of(t), p.of(t)
		p.home()
		tm := openTerminal(t, m.args("try")...)
		p.reads("echo hello from answerback")
		p.tap("Allow")
		tm.reads(`asking: Bash  echo hello from answerback\ncard on 1 device, 1\d\d s left\n\{"decision":"allow"\}\nallowed by Pixel 9 in [\d.]+ m?s\.`)
		if code := tm.ends(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		p.reads("Allowed. Accepted by " + host(t) + ".")
	})
	t.Run("denied with words", func(t *testing.T) {
		m, p := m.of(t), p.of(t)
		p.home()
		tm := openTerminal(t, m.args("try", "--", "rm", "-rf", "build")...)
		p.reads("rm -rf build")
		p.card()
		p.tap("Deny and say why")
		p.types("#dw", "Wait for the backup.")
		p.tapIn(".sheet", "Deny")
		tm.reads(`"decision":"deny","reason":"Wait for the backup\.`)
		tm.reads(`denied by Pixel 9 in`)
		if code := tm.ends(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
	t.Run("left alone", func(t *testing.T) {
		m := m.of(t)
		tm := openTerminal(t, m.args("try", "--wait", "1s")...)
		tm.reads(`no opinion after \d[^:]*: nobody answered in time\.  a caller that gets this asks in its own terminal`)
		if code := tm.ends(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
}
