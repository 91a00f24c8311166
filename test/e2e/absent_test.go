package e2e

import (
	"testing"
	"time"
)

// No agent: the real hook is done within 300 ms, with nothing said and exit 0, where there never was one and where one was killed and left its
// socket. The best of five, so that a busy machine cannot fail it.
func TestNoAgent(t *testing.T) {
	m := newMachine(t)
	best := func(what string) {
		t.Helper()
		least := time.Hour
		for range 5 {
			c := m.claude(recorded(t, "claude-code/PermissionRequest.Bash.json"))
			c.prints("")
			least = min(least, c.took)
		}
		if least > 300*time.Millisecond {
			t.Errorf("%s: the hook took %v", what, least)
		}
		t.Logf("%s: %v", what, least.Round(100*time.Microsecond))
	}
	best("no socket")
	m.startRelay()
	defer m.relay.end()
	m.startAgent()
	m.agent.kill()
	best("the socket of a killed agent")
}

// A frozen agent: a hook that starts then, and one that waits already, are both done within 5 s, with no opinion. The Allow that was tapped
// meanwhile is never said to be one: first there is no receipt, then the word that nobody waited any more.
func TestFrozenAgent(t *testing.T) {
	m, p := pairedApart(t)
	waiting := m.tool(fromTool("Bash", shell("make test")))
	p.reads("make test")
	p.card()
	m.agent.freeze()
	defer m.agent.thaw()
	frozen := time.Now()
	starting := m.tool(fromTool("Bash", shell("make lint")))
	p.tap("Allow")
	p.reads("Sent. Waiting for " + host(t) + ".")
	p.picture("sent")
	p.reads("No receipt yet.")
	p.picture("no-receipt")
	starting.prints("")
	waiting.prints("")
	const slack = 1500 * time.Millisecond // for this machine, not for the hook
	if starting.took > 5*time.Second+slack {
		t.Errorf("a hook that started with the agent frozen took %v", starting.took)
	}
	if took := waiting.started.Add(waiting.took).Sub(frozen); took > 6*time.Second+slack {
		t.Errorf("a hook that waited ended %v after the agent froze", took)
	}
	m.agent.thaw()
	p.holds(`/Withdrawn\.|Accepted by .*, delivered to nobody\./.test(document.querySelector(".outcome")?.innerText ?? "")`)
	if p.shows("Allowed.") {
		t.Errorf("the page says that an Allow was one, which nobody got: %s", p.screen())
	}
}
