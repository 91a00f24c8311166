package agent

import (
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/internal/audit"
)

// A pause asks at the terminal: no card, no opinion, until a device ends it or its time is up; a restart does not end it.
func TestPause(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	must(t, phone.Admin(tr.within(), card.Admin{Action: card.Pause, Minutes: 15}))
	tr.expectRecord(audit.Paused, "")
	if got := tr.ask("npm test").wait(t); got != "" {
		t.Errorf("during a pause the hook printed %q", got)
	}
	tr.stop()
	tr.start()
	if got := tr.ask("npm test 2").wait(t); got != "" || !tr.agent.paused() {
		t.Errorf("the pause ended with a restart; the hook printed %q", got)
	}
	must(t, phone.Admin(tr.within(), card.Admin{Action: card.Resume}))
	tr.expectRecord(audit.Resumed, "")
	h := tr.ask("npm test 3")
	tr.answer(phone, tr.card(phone, "npm test 3"), allow())
	if got := h.wait(t); got != allowed {
		t.Errorf("after the pause the hook printed %q", got)
	}
}

func TestAPauseEndsByItself(t *testing.T) {
	a := &Agent{pause: nowMS() + 20}
	if !a.paused() {
		t.Fatal("the pause does not hold")
	}
	time.Sleep(30 * time.Millisecond)
	if a.paused() {
		t.Error("the pause does not end")
	}
}
