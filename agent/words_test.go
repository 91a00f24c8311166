package agent

import (
	"strings"
	"testing"

	"answerback/agent/internal/audit"
	abcrypto "answerback/crypto"
)

// The agent's own log holds no word of a call, whatever goes wrong with it, and a refusal's record holds none either.
func TestLogHoldsNoWordOfACall(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	ask := func(stdin string) *asking {
		return tr.askAs("claude", stdin, "--wait", "2s")
	}
	h := ask(`{"hook_event_name":"PermissionRequest","session_id":"s","cwd":"/home/dev/zebra","tool_name":"AskUserQuestion",
		"tool_input":{"questions":[{"question":"Which zebra?","header":"zebra","options":[{"label":"zebra one"},{"label":"two"}]}]}}`)
	v := tr.card(phone, "Which zebra?")
	a := phone.Raw().Statement(v.Card.Request, allow())
	a.Decision = abcrypto.Answered
	for _, payload := range []string{`{"Which zebra?":"one","Which zebra?":"two"}`, `{"Another zebra?":"one"}`, `{"zebra":`, `{"Which zebra?":{"zebra":1}}`} {
		a.Payload = []byte(payload)
		tr.sendRaw(phone, a, phone.State().SignKey)
	}
	for _, stdin := range []string{`{"zebra":1`, `{"tool_name":"zebra"}`, `{"hook_event_name":"zebra","tool_name":"zebra","tool_input":{"zebra":1},"tool_input":{}}`,
		`{"hook_event_name":"PermissionRequest","session_id":"s","cwd":"zebra","tool_name":"Bash","tool_input":{"command":"zebra"}}`} {
		if got := ask(stdin).wait(t); got != "" {
			t.Errorf("a call that cannot be read printed %q", got)
		}
	}
	h.wait(t)
	tr.expectRecord(audit.Refused, "not in their form")
	for _, r := range tr.records() {
		if r.Type == audit.Refused && strings.Contains(r.Reason, "zebra") {
			t.Errorf("a refusal's record says %q", r.Reason)
		}
	}
	tr.stop()
	for line := range strings.Lines(tr.log.String()) {
		if strings.Contains(line, "zebra") {
			t.Errorf("the log says: %s", line)
		}
	}
	if !strings.Contains(tr.log.String(), "refused") {
		t.Error("the log is empty: nothing was looked at")
	}
}

func TestNoHomeInARecord(t *testing.T) {
	for _, c := range []struct{ text, home, want string }{
		{"changed since shown: /home/dev/project/s.sh", "/home/dev", "changed since shown: ~/project/s.sh"},
		{"changed since shown: /home/dev/project/s.sh", "/home/dev/", "changed since shown: ~/project/s.sh"},
		{"changed since shown: /home/developer/s.sh", "/home/dev", "changed since shown: /home/developer/s.sh"},
		{"changed since shown: /srv/s.sh", "/", "changed since shown: /srv/s.sh"},
		{"changed since shown: /srv/s.sh", "", "changed since shown: /srv/s.sh"},
	} {
		if got := noHome(c.text, c.home); got != c.want {
			t.Errorf("%q of %q: %q", c.text, c.home, got)
		}
	}
}
