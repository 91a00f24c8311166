package e2e

import (
	"testing"
	"time"
)

// pairedApart is a machine whose relay and agent run alone, with a phone paired.
func pairedApart(t testing.TB) (*machine, *phone) {
	t.Helper()
	m, p := startApart(t), newPhone(t)
	m.pair(p, "Pixel 9")
	return m, p
}

// B048: a tap is not an Allow. With the agent frozen the relay takes the answer and nobody reads it: the page says so, and nothing is printed.
// Only the receipt makes it "Allowed". (All this within the 5 s after which a hook takes a frozen agent for dead.)
func TestB048_AllowedOnlyAfterTheReceipt(t *testing.T) {
	m, p := pairedApart(t)
	c := m.claude(recorded(t, "claude-code/PermissionRequest.Bash.json"))
	p.reads("Claude Code")
	p.card()
	m.agent.freeze()
	defer m.agent.thaw()
	p.tap("Allow")
	p.reads("Sent. Waiting for " + host(t) + ".")
	p.never("Allowed", 1500*time.Millisecond)
	if !c.waits() || p.stamp() != "" {
		t.Errorf("before the receipt the hook waits: %v, the stamp says %q", c.waits(), p.stamp())
	}
	m.agent.thaw()
	c.prints(claudeAllows)
	p.reads("Allowed. Accepted by " + host(t) + ".")
	p.reads("ACCEPTED BY")
}
