package agent

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"answerback/agent/card"
	peerdevice "answerback/agent/device"
	"answerback/agent/internal/audit"
)

// An Allow that cannot be written to the log is none, and nobody is told that it was one.
func TestAllowThatCannotBeLogged(t *testing.T) {
	tr := newTrip(t)
	phone, tablet := tr.pair("Pixel 9"), tr.pair("tablet")
	h := tr.ask("npm test")
	v := tr.card(phone, "npm test")
	tr.card(tablet, "npm test")
	must(t, tr.agent.store.Close()) // as a full disk does it
	r := tr.answer(phone, v, allow())
	if r.Outcome != card.Refused || r.Reason != "log" {
		t.Errorf("the receipt says %+v", r)
	}
	if got := h.wait(t); got != "" {
		t.Errorf("the hook printed %q", got)
	}
	if end := tr.settled(tablet, v.Card.Request); end.Outcome != card.EndHandedBack || end.Decision != "" {
		t.Errorf("the other device hears %+v", end)
	}
}

// settled waits until a card has ended on a device that did not end it.
func (tr *trip) settled(d *peerdevice.Device, id card.RequestID) card.Settled {
	tr.t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if now, _ := d.Card(id); now.Settled != nil {
			return *now.Settled
		}
	}
	tr.t.Error("the card does not end on the other device")
	return card.Settled{}
}

// B013: while a changed script is looked at, and after, a second device's Allow is late, and nobody hears that the first one allowed.
func TestB013_LateAnswerToAChangedScript(t *testing.T) {
	tr := newTrip(t)
	phone, tablet := tr.pair("Pixel 9"), tr.pair("tablet")
	dir := t.TempDir()
	script := filepath.Join(dir, "s.sh")
	must(t, os.WriteFile(script, bytes.Repeat([]byte("# large\n"), 1<<20), 0o700)) // so that looking takes a while
	h := tr.askRaw(fmt.Sprintf(`{"cwd":%q,"tool_name":"Bash","tool_input":{"command":"sh ./s.sh"}}`, dir))
	v := tr.card(phone, "s.sh")
	tr.card(tablet, "s.sh")
	must(t, os.WriteFile(script, []byte("echo other\n"), 0o700))
	second, err := tablet.Raw().SealAnswer(v.Card.Request, allow())
	must(t, err)
	r := tr.answer(phone, v, allow())
	must(t, tablet.Raw().Send(tr.within(), second))
	if r.Outcome != card.Refused || r.Reason != "changed" {
		t.Errorf("the first receipt says %+v", r)
	}
	if got := h.wait(t); got != "" {
		t.Errorf("the hook printed %q", got)
	}
	tr.expectRecord(audit.Refused, "too late")
	e, _ := tr.agent.pending.find(v.Card.Request)
	e.mu.Lock()
	defer e.mu.Unlock()
	for hash, r := range e.receipts {
		if r.Outcome == card.Answered {
			t.Errorf("answer %x hears that another device allowed: %+v", hash[:4], r)
		}
	}
}

// A hook that dies with the verdict unread got nothing, and the receipt does not say otherwise.
func TestHookDiesWithTheVerdictUnread(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	c := tr.hookConnection("npm test")
	v := tr.card(phone, "npm test")
	got := make(chan card.Receipt, 1)
	go func() {
		r, err := phone.Answer(tr.within(), v.Card.Request, allow())
		if err == nil {
			got <- r
		}
	}()
	tr.expectRecord(audit.Outcome, "")
	time.Sleep(100 * time.Millisecond) // the verdict lies in the socket
	c.Close()
	select {
	case r := <-got:
		if r.Outcome != card.Undelivered {
			t.Errorf("the receipt says %s", r.Outcome)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no receipt came")
	}
	tr.expectRecord(audit.Undelivered, "")
}

// The hook drops a verdict that comes after its own end, by either clock. So the agent gives none then, and says so.
func TestNoVerdictAfterTheHooksEnd(t *testing.T) {
	e := newEntry(question{wait: time.Minute}, time.Now())
	for _, c := range []struct {
		name string
		at   time.Time
		late bool
	}{
		{"in time", e.deadline, false},
		{"written a moment after the deadline", e.deadline.Add(500 * time.Millisecond), false},
		{"the disk took too long", e.deadline.Add(verdictLag), true},
		{"the machine slept", time.Now().Round(0).Add(time.Hour), true},
	} {
		if got := e.tooLateToTell(c.at); got != c.late {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
