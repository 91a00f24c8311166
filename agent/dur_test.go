package agent

import (
	"fmt"
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/internal/audit"
	"answerback/relay/relayserver"
)

// B037: after a restart nothing is pending: cards are withdrawn, hooks handed back, and the phone is told.
func TestB037_RestartWithdrawsCards(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	commands := []string{"echo one", "echo two", "echo three"}
	var hooks []*asking
	for _, c := range commands {
		hooks = append(hooks, tr.ask(c))
	}
	for _, c := range commands {
		tr.card(phone, c)
	}
	tr.stop()
	for i, h := range hooks {
		if got := h.wait(t); got != "" {
			t.Errorf("call %d was not handed back but printed %q", i, got)
		}
	}
	tr.start()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		waiting := 0
		for _, v := range phone.Cards() {
			if v.Open() {
				waiting++
			}
		}
		if waiting == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d cards still wait on the phone 5 s after the restart", waiting)
		}
	}
}

// B039: losing the relay changes nothing until the call's own deadline.
func TestB039_RelayCutWhileCardOpen(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test")
	v := tr.card(phone, "npm test")
	tr.relay.Kill()
	time.Sleep(1500 * time.Millisecond)
	if !h.still() {
		t.Fatal("the hook ended because the relay was gone")
	}
	tr.relay.Restart()
	if r := tr.answer(phone, v, allow()); r.Outcome != card.Accepted {
		t.Errorf("the receipt says %s", r.Outcome)
	}
	if got := h.wait(t); got != allowed {
		t.Errorf("the hook printed %q", got)
	}
}

// B041: a phone that was offline when the card opened gets it when it comes back, with the time that is left.
func TestB041_PhoneComesBackLater(t *testing.T) {
	tr := newTrip(t)
	state := tr.pair("Pixel 9").State()
	tr.relay.Kill()
	h := tr.ask("npm test", "--wait", "6s")
	time.Sleep(time.Second)
	tr.relay.Restart()
	again := tr.run(state)
	v := tr.card(again, "npm test")
	if v.Left > 5*time.Second || v.Left <= 0 {
		t.Errorf("the card has %v left of 6 s, after one", v.Left)
	}
	tr.answer(again, v, allow())
	if got := h.wait(t); got != allowed {
		t.Errorf("the hook printed %q", got)
	}
}

// B042: an answer given while the agent's way is down is kept and delivered, and the card ends by a receipt only.
func TestB042_AnswerWhileAgentIsAway(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test")
	v := tr.card(phone, "npm test")
	tr.relay.Kill()
	got := make(chan card.Receipt, 1)
	go func() {
		r, err := phone.Answer(tr.within(), v.Card.Request, allow())
		if err == nil {
			got <- r
		}
	}()
	time.Sleep(300 * time.Millisecond)
	if now, _ := phone.Card(v.Card.Request); now.Receipt != nil {
		t.Error("the phone has a receipt though nothing could be delivered")
	}
	tr.relay.Restart()
	select {
	case r := <-got:
		if r.Outcome != card.Accepted {
			t.Errorf("the receipt says %s", r.Outcome)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the answer was not delivered after the relay came back")
	}
	h.wait(t)
}

// B022: an answer after the deadline is told "too late", and nothing is allowed.
func TestB022_LateTap(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test", "--wait", "1s")
	v := tr.card(phone, "npm test")
	late, err := phone.Raw().SealAnswer(v.Card.Request, allow())
	must(t, err)
	if got := h.wait(t); got != "" {
		t.Fatalf("the hook printed %q", got)
	}
	must(t, phone.Raw().Send(tr.within(), late))
	tr.expectRecord(audit.Refused, "too late")
}

// B046: the caller is gone: its card is withdrawn within two seconds.
func TestB046_CancelledCallWithdrawsItsCard(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	c := tr.hookConnection("npm test")
	v := tr.card(phone, "npm test")
	c.Close()
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		now, _ := phone.Card(v.Card.Request)
		if now.Settled != nil {
			if now.Settled.Outcome != card.EndWithdrawn {
				t.Errorf("the card ended as %s", now.Settled.Outcome)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatal("the card still stands two seconds after its caller went away")
		}
	}
}

// M016: tapping after the caller has gone gets words, not an error.
func TestM016_TapAfterTheCallerIsGone(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	c := tr.hookConnection("npm test")
	v := tr.card(phone, "npm test")
	tap, err := phone.Raw().SealAnswer(v.Card.Request, allow())
	must(t, err)
	c.Close()
	tr.expectRecord(audit.Outcome, "")
	must(t, phone.Raw().Send(tr.within(), tap))
	tr.expectRecord(audit.Refused, "too late")
	if n := tr.count(audit.Outcome); n != 1 {
		t.Errorf("%d outcomes of one call", n)
	}
}

// unhurried is a relay that takes messages as fast as they come.
var unhurried = relayserver.Options{Limits: relayserver.Limits{BoxRate: 1 << 20, BoxBurst: 1 << 20, SocketRate: 1 << 20, SocketBurst: 1 << 20}}

// M008: an answer in the very instant of the card is not lost: the agent listens before the card goes out.
func TestM008_AnswerInTheSameInstant(t *testing.T) {
	tr := newTrip(t, unhurried)
	phone := tr.pair("Pixel 9")
	rounds := 1000
	if testing.Short() {
		rounds = 100
	}
	for i := range rounds {
		command := fmt.Sprintf("echo %d;", i)
		h := tr.ask(command)
		tr.answer(phone, tr.card(phone, command), allow())
		if got := h.wait(t); got != allowed {
			t.Fatalf("round %d: the hook printed %q", i, got)
		}
	}
}

// B044, B048: a relay that drops every answer gives no receipt, so the phone never shows success.
func TestB048_RefusedAnswerIsNoSuccess(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test", "--wait", "2s")
	v := tr.card(phone, "npm test")
	a := phone.Raw().Statement(v.Card.Request, allow())
	a.CardDigest[0] ^= 1
	tr.sendRaw(phone, a, phone.State().SignKey)
	if now, _ := phone.Card(v.Card.Request); now.Receipt != nil {
		t.Errorf("the phone took %+v for its answer's receipt", now.Receipt)
	}
	if got := h.wait(t); got != "" {
		t.Errorf("the hook printed %q", got)
	}
}
