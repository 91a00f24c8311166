package e2e

import (
	"strings"
	"syscall"
	"testing"
)

// Every way in which a pairing stops: what the terminal says, what the page says, and that nothing was paired.
func TestPairingStops(t *testing.T) {
	m := startUp(t)
	stops := func(name string, run func(m *machine, p *phone, tm *terminal)) {
		t.Run(name, func(t *testing.T) {
			m := m.of(t)
			run(m, newPhone(t), openTerminal(t, m.args("pair")...))
			if devices := m.command("devices").out; !strings.Contains(devices, "no device is paired") {
				t.Errorf("something was paired: %s", devices)
			}
		})
	}
	stops("wrong digits three times", wrongDigits)
	stops("two browsers with one code", twoBrowsers)
	stops("cancelled at the terminal", cancelled)
	stops("cancelled on the page", leftOnThePage)
}

// wrong are six digits that are not those.
func wrong(digits string) string {
	if digits == "000000" {
		return "000001"
	}
	return "000000"
}

func wrongDigits(m *machine, p *phone, tm *terminal) {
	p.follow(tm.theLink(), "Pixel 9")
	digits := p.sixDigits()
	tm.reads(`digits: $`)
	tm.types("12345")
	tm.reads(`six digits, as the device shows them, are wanted\.  digits: $`)
	tm.types(wrong(digits))
	tm.reads(`wrong, 2 tries left\.  digits: $`)
	tm.types(wrong(digits))
	tm.reads(`wrong, 1 try left\.  digits: $`)
	tm.types(wrong(digits))
	tm.reads(`answerback: .*wrong three times`)
	if code := tm.ends(); code == 0 {
		m.Error("pair ended with exit code 0")
	}
	p.heads("The digits were wrong three times.")
	p.reads("The code is used up. Nothing was paired. Run answerback pair again and scan the new code.")
	p.picture("stopped-wrong-digits")
}

// twoBrowsers: whoever else has the code stops it, and the digits that stood on the first page are worth nothing.
func twoBrowsers(m *machine, p *phone, tm *terminal) {
	p.follow(tm.theLink(), "Pixel 9")
	p.sixDigits()
	other := newPhone(m)
	other.follow(tm.theLink(), "Somebody")
	tm.reads(`answerback: .*two devices`)
	if code := tm.ends(); code == 0 {
		m.Error("pair ended with exit code 0")
	}
	for _, page := range []*phone{p, other} {
		page.heads("This code was used by two devices.")
		page.reads("Nothing was paired. Run answerback pair again, out of sight of others, and scan the new code.")
	}
}

func cancelled(m *machine, p *phone, tm *terminal) {
	p.follow(tm.theLink(), "Pixel 9")
	p.sixDigits()
	tm.cmd.Process.Signal(syscall.SIGINT)
	tm.reads("cancelled; the code is used up and nothing was paired")
	if code := tm.ends(); code != 1 {
		m.Errorf("pair ended with exit code %d", code)
	}
	p.heads("Cancelled at the machine.")
	p.reads("Nothing was paired.")
}

func leftOnThePage(m *machine, p *phone, tm *terminal) {
	p.open(tm.theLink())
	p.reads("Name of this phone")
	p.tap("Cancel")
	p.heads("Pair with a machine")
}

// A code that was used is good for nothing: the page says so. A text that is no code is told apart.
func TestUsedCode(t *testing.T) {
	m, p := startUp(t), newPhone(t)
	tm := openTerminal(t, m.args("pair")...)
	link := tm.theLink()
	p.follow(link, "Pixel 9")
	tm.reads(`digits: $`)
	tm.types(p.sixDigits())
	tm.ends()
	p.reads("Paired with")
	late := newPhone(t)
	late.open(m.url() + "/")
	late.tap("Paste the link instead")
	late.types("#l", "https://example.com/hello")
	late.tap("Go on")
	late.heads("This is not an Answerback code.")
	late.tap("Paste the link instead")
	late.types("#l", "  "+link+"\n")
	late.tap("Go on")
	late.heads("This code is used up.")
	late.reads("Nothing was paired. Run answerback pair again and scan the new code.")
}
