package e2e

import (
	"testing"
	"time"
)

// pairedOverAir is a machine with a phone whose network can be taken away.
func pairedOverAir(t testing.TB) (*machine, *phone) {
	t.Helper()
	m, p := startUp(t), newPhone(t)
	p.air = newAir(t, m.address)
	m.pair(p, "Pixel 9")
	return m, p
}

// Offline at the tap: the page says that nothing was delivered, keeps the answer, and delivers it when the network is back.
func TestOfflineAtTheTap(t *testing.T) {
	m, p := pairedOverAir(t)
	c := m.claude(recorded(t, "claude-code/PermissionRequest.Bash.json"))
	p.reads("Claude Code")
	p.card()
	p.network(false)
	defer p.network(true)
	p.tap("Allow")
	p.reads("Not delivered.")
	p.reads("No way to " + host(t) + " just now. Your answer is kept and sent again until")
	p.picture("not-delivered")
	if !c.waits() || p.stamp() != "" {
		t.Errorf("offline the hook waits: %v, the stamp says %q", c.waits(), p.stamp())
	}
	p.network(true)
	c.prints(claudeAllows)
	p.reads("Allowed. Accepted by " + host(t) + ".")
}

// B041: a call that came while the phone was offline is there when it is back.
func TestB041_CardMadeWhileOffline(t *testing.T) {
	m, p := pairedOverAir(t)
	p.network(false)
	defer p.network(true)
	start := time.Now()
	p.reads("is out of reach.")
	if took := time.Since(start); took > 9*time.Second { // five for the silence
		t.Errorf("the page said that it is online for %v after it was not", took)
	}
	p.picture("home-out-of-reach")
	c := m.tool(fromTool("Bash", shell("make test")))
	p.never("make test", 500*time.Millisecond)
	p.network(true)
	p.reads("make test")
	p.tap("Allow")
	c.prints(toolAllows)
}

// B042: the relay is killed while a card is open, and answered while it is dead. It comes back with nothing that it knew, and the answer
// arrives, once.
func TestB042_RelayKilledWhileACardIsOpen(t *testing.T) {
	m, p := pairedApart(t)
	c := m.tool(fromTool("Bash", shell("make deploy")))
	p.reads("my-tool")
	p.card()
	m.relay.kill()
	p.holds(`!document.querySelector("#main .stamp")`)
	p.tap("Allow")
	p.reads("Not delivered.")
	if !c.waits() {
		t.Error("the hook ended with the relay")
	}
	m.startRelay()
	p.tap("Try now")
	c.prints(toolAllows)
	p.reads("Allowed. Accepted by " + host(t) + ".")
}

// B039: the relay is killed and restarted while nobody answers: the card stays, and can be answered.
func TestB039_RelayRestartsUnderAnOpenCard(t *testing.T) {
	m, p := pairedApart(t)
	c := m.tool(fromTool("Bash", shell("git status")))
	p.reads("git status")
	m.relay.kill()
	p.reads("offline")
	m.startRelay()
	p.reads("online")
	p.tap("Allow")
	c.prints(toolAllows)
	p.reads("Allowed. Accepted by " + host(t) + ".")
}

// B037: the agent is killed with three calls open, and starts again: the hooks hand back at once, and the page withdraws all three cards.
func TestB037_AgentKilledWithdrawsItsCards(t *testing.T) {
	m, p := pairedApart(t)
	calls := []*call{}
	for _, command := range []string{"make one", "make two", "make three"} {
		calls = append(calls, m.tool(fromTool("Bash", shell(command))))
		p.reads(command)
	}
	m.agent.kill()
	for _, c := range calls {
		c.prints("")
	}
	m.startAgent()
	start := time.Now()
	p.holds(`document.body.innerText.match(/Withdrawn\./g)?.length >= 3 && !document.querySelector(".cards button")`)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the page withdrew the cards after %v", took)
	}
	p.picture("home-withdrawn")
	c := m.tool(fromTool("Bash", shell("make four")))
	p.reads("make four")
	p.tap("Allow")
	c.prints(toolAllows)
}
