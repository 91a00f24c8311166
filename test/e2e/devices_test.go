package e2e

import (
	"strings"
	"testing"
	"time"
)

// pairedTwice is a machine with two phones.
func pairedTwice(t testing.TB) (m *machine, pixel, ipad *phone) {
	t.Helper()
	m, pixel, ipad = startUp(t), newPhone(t), newPhone(t)
	ipad.air = newAir(t, m.address)
	m.pair(pixel, "Pixel 9")
	m.pair(ipad, "iPad")
	return m, pixel, ipad
}

// Two phones: the first answer wins, and the second phone, which answers too before it knows, is told by whom.
func TestFirstAnswerWins(t *testing.T) {
	m, pixel, ipad := pairedTwice(t)
	c := m.tool(fromTool("Bash", shell("git push origin main")))
	for _, p := range []*phone{pixel, ipad} {
		p.reads("git push origin main")
		p.card()
	}
	ipad.network(false)
	ipad.tap("Deny")
	pixel.tap("Allow")
	c.prints(toolAllows)
	pixel.reads("Allowed. Accepted by " + host(t) + ".")
	ipad.reads("Not delivered.")
	ipad.network(true)
	ipad.reads("Answered by Pixel 9 first.")
	ipad.reads("It was allowed there at")
	ipad.reads("Your answer was not used.")
	ipad.picture("answered-by-another-first")
	ipad.home()

	c = m.tool(fromTool("Bash", shell("git fetch")))
	ipad.reads("git fetch")
	pixel.home()
	pixel.tap("Deny")
	if got := c.ends(); !strings.HasPrefix(got, `{"decision":"deny"`) {
		t.Errorf("the hook printed %q", got)
	}
	ipad.reads("Answered by Pixel 9.")
	ipad.reads("It was denied there at")
	if ipad.shows("Your answer was not used.") || ipad.hasAllow() {
		t.Errorf("a phone that did not answer is told of its answer: %s", ipad.screen())
	}
}

// B096: a phone that is there when it is revoked is told so, and its cards go.
func TestB096_RevokedPhoneIsTold(t *testing.T) {
	m, pixel, ipad := pairedTwice(t)
	c := m.tool(fromTool("Bash", shell("make release")))
	ipad.reads("make release")
	if r := m.command("devices", "revoke", "iPad"); r.exit != 0 {
		t.Fatalf("revoke says %d, %s", r.exit, r.out)
	}
	ipad.reads(host(t) + " removed this device: nothing it answers counts there. Pair it again to answer from here.")
	ipad.holds(`![...document.querySelectorAll("button")].some((b) => b.innerText === "Deny")`)
	ipad.reads("Withdrawn. " + host(t) + " no longer asks this device.")
	if ipad.shows(host(t) + " online") {
		t.Errorf("a removed phone says that its machine is online: %s", ipad.screen())
	}
	ipad.picture("revoked-told")
	pixel.reads("make release")
	pixel.card()
	pixel.tap("Allow")
	c.prints(toolAllows)
}

// B096: a phone is revoked while a card is open on it. It cannot allow that card any more, nor see the next one; the other can.
func TestB096_RevokedUnderAnOpenCard(t *testing.T) {
	m, pixel, ipad := pairedTwice(t)
	c := m.tool(fromTool("Bash", shell("make release")))
	for _, p := range []*phone{pixel, ipad} {
		p.reads("my-tool")
		p.card()
	}
	ipad.network(false) // it does not hear of its end before it has signed
	ipad.tap("Allow")
	if r := m.command("devices", "revoke", "iPad"); r.exit != 0 || !strings.Contains(r.out, "iPad is revoked: no answer of it counts from now on, on open cards too") {
		t.Fatalf("revoke says %d, %s", r.exit, r.out)
	}
	ipad.network(true)
	ipad.holds(`navigator.onLine`)
	ipad.tap("Try now")
	ipad.never("Accepted by", time.Second)
	ipad.reads("Not delivered.") // nobody listens to it any more
	if !c.waits() {
		t.Fatalf("a revoked phone's answer ended the hook, which printed %q", c.ends())
	}
	next := m.tool(fromTool("Bash", shell("echo after the revocation")))
	pixel.tap("Deny")
	if got := c.ends(); !strings.HasPrefix(got, `{"decision":"deny"`) {
		t.Errorf("the hook printed %q", got)
	}
	pixel.reads("Denied. Accepted by " + host(t) + ".")
	pixel.home()
	pixel.reads("echo after the revocation")
	if ipad.shows("echo after the revocation") || ipad.shows("Accepted by") {
		t.Errorf("a revoked phone still sees calls: %s", ipad.screen())
	}
	pixel.tap("Allow")
	next.prints(toolAllows)
	ipad.picture("revoked")
}
