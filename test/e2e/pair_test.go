package e2e

import (
	"regexp"
	"strings"
	"testing"
)

// sixDigits are the digits that the page shows.
func (p *phone) sixDigits() string {
	p.Helper()
	p.holds(`document.querySelector(".digits") !== null`)
	digits := ask[string](p, `document.querySelector(".digits").innerText.replace(/\D/g, "")`)
	if len(digits) != 6 {
		p.Fatalf("the page shows the digits %q", digits)
	}
	return digits
}

// follow opens a link and agrees to pair under a name.
func (p *phone) follow(link, name string) {
	p.Helper()
	p.open(link)
	p.reads("Name of this phone")
	p.types("#n", name)
	p.tap("Pair")
}

// pair pairs a phone by link, as a person with both in hand would, and returns the link.
func (m *machine) pair(p *phone, name string) (link string) {
	m.Helper()
	tm := openTerminal(m, m.args("pair")...)
	link = tm.theLink()
	if p.air != nil {
		link = strings.Replace(link, m.url(), p.air.url, 1)
	}
	p.follow(link, name)
	digits := p.sixDigits()
	tm.reads(`digits: $`)
	tm.types(digits)
	tm.reads("paired.  try it: answerback try")
	if code := tm.ends(); code != 0 {
		m.Fatalf("pair ended with exit code %d:\n%s", code, tm.screen())
	}
	p.reads("Paired with " + host(m) + ".")
	p.tap("Done")
	p.reads("Nothing waits.")
	return link
}

// Pair by link: the terminal prints it, the page opens it, a person agrees, reads six digits there and types them here.
func TestPairByLink(t *testing.T) {
	m, p := startUp(t), newPhone(t)
	tm := openTerminal(t, m.args("pair")...)
	link := tm.theLink()
	tm.reads(`open it within 10 min, then type the six digits that the device shows`)
	p.open(link)
	p.reads("Pair with " + host(t) + " on " + host(t) + "?")
	p.picture("pair-confirm")
	if at := ask[string](p, "location.href"); strings.Contains(at, "#AE") || strings.Contains(strings.ToLower(at), "/p#") {
		t.Errorf("the secret stays in the address bar: %s", at)
	}
	p.types("#n", "Pixel 9")
	p.tap("Pair")
	digits := p.sixDigits()
	p.reads("Type these digits on " + host(t))
	p.picture("pair-digits")
	if found := tm.reads(`locked by "(.+)" \((.+)\)\.  digits: $`); found[1] != "Pixel 9" {
		t.Errorf("the terminal says that %q locked the code", found[1])
	}
	tm.types(digits[:3] + " " + digits[3:])
	tm.reads("paired.  try it: answerback try")
	if code := tm.ends(); code != 0 {
		t.Errorf("pair ended with exit code %d", code)
	}
	p.reads("Paired with " + host(t) + ".")
	p.picture("paired")
	p.tap("Done")
	p.reads("Nothing waits.")
	p.picture("home-empty")
	devices := m.command("devices")
	if devices.exit != 0 || !regexp.MustCompile(`Pixel 9 .*approver +online`).MatchString(devices.out) {
		t.Errorf("devices says %d, %s", devices.exit, devices.out)
	}
}

// `answerback up` in a terminal is enough on a first day: it serves, offers a code by itself, pairs, and goes on serving until Ctrl-C.
func TestUpPairsByItself(t *testing.T) {
	m, p := newMachine(t), newPhone(t)
	tm := openTerminal(t, m.args("up", "--listen", m.address)...)
	tm.reads(`relay +` + regexp.QuoteMeta(m.url()) + ` +reads nothing, keeps nothing`)
	tm.reads(`devices +none yet`)
	p.follow(tm.theLink(), "Firefox on this desk")
	tm.reads(`locked by "Firefox on this desk" .*  digits: $`)
	tm.types(p.sixDigits())
	tm.reads(`Firefox on this desk is on this machine: good for trying out`)
	tm.reads("paired.  try it: answerback try")
	p.reads("Paired with " + host(t) + ".")
	p.tap("Done")
	c := m.tool(fromTool("Bash", shell("git status")))
	p.reads("git status")
	p.tap("Allow")
	c.prints(toolAllows)
	if again := m.command("up", "--listen", m.address); again.exit != 0 || !strings.Contains(again.out, "it runs already") {
		t.Errorf("a second up says %d, %s", again.exit, again.out)
	}
	tm.types("\x03")
	if code := tm.ends(); code != 0 {
		t.Errorf("up ended with exit code %d:\n%s", code, tm.screen())
	}
}
