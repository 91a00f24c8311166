package agent

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"answerback/agent/card"
	"answerback/agent/internal/audit"
	abcrypto "answerback/crypto"
)

// B009: whoever holds captured bytes, the relay first of all, can send them for ever. The log grows by a bounded number of records, and says so.
func TestB009_ReplayFloodDoesNotFillTheLog(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test", "--wait", "1s")
	v := tr.card(phone, "npm test")
	late, err := phone.Raw().SealAnswer(v.Card.Request, allow())
	must(t, err)
	if got := h.wait(t); got != "" {
		t.Fatalf("the hook printed %q", got)
	}
	p := tr.agent.peerOf(phone.State().Device)
	other := phone.Raw().Statement(v.Card.Request, allow())
	for n := range 20 * maxRefusals {
		other.MadeMS = uint64(n) // other bytes each time
		sealed, err := phone.Raw().Seal(abcrypto.TypeAnswer, phone.Raw().Sign(other, phone.State().SignKey))
		must(t, err)
		p.receive(late)
		p.receive(sealed)
	}
	if n := tr.count(audit.Refused); n > maxRefusals+1 {
		t.Errorf("%d records of refused answers", n)
	}
	last := tr.records()[tr.agent.ledger.Head().Size-1]
	if last.Type != audit.Refused || !strings.Contains(last.Reason, "only counted") {
		t.Errorf("the log ends with %+v, which does not say that more came", last)
	}
	e, _ := tr.agent.pending.find(v.Card.Request)
	if n := len(e.receipts); n > maxReceipts {
		t.Errorf("%d receipts are remembered", n)
	}
}

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var th throttle
		for n := range maxRefusals {
			if say, missed := th.next(time.Now()); say != sayAll || missed != 0 {
				t.Fatalf("refusal %d: %v, %d", n, say, missed)
			}
		}
		if say, _ := th.next(time.Now()); say != sayLast {
			t.Errorf("the first one over the bound: %v", say)
		}
		for range 500 {
			if say, _ := th.next(time.Now()); say != sayNothing {
				t.Fatalf("one far over the bound: %v", say)
			}
		}
		time.Sleep(time.Minute)
		if say, missed := th.next(time.Now()); say != sayAll || missed != 500 {
			t.Errorf("a minute later: %v, %d were missed, want 500", say, missed)
		}
	})
}

// A device that says it speaks no version of ours gets the state, which names both, and no card, now or later.
func TestNoSharedVersionNoCards(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	p := tr.agent.peerOf(phone.State().Device)
	tr.agent.onMessage(p, abcrypto.Message{Type: abcrypto.TypeHello, Body: helloBody(t, Protocol+1)})
	h := tr.ask("npm test", "--wait", "2500ms")
	time.Sleep(1500 * time.Millisecond) // past the first reminder
	for _, v := range phone.Cards() {
		t.Errorf("it has a card: %q", v.Card.Input)
	}
	tr.agent.onMessage(p, abcrypto.Message{Type: abcrypto.TypeHello, Body: helloBody(t, Protocol, Protocol+1)})
	tr.card(phone, "npm test")
	h.wait(t)
}

// Before its first hello a new device can do nothing else: no answer, no order.
func TestNothingBeforeTheFirstHello(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	p := tr.agent.peerOf(phone.State().Device)
	p.mu.Lock()
	p.dev.Active = false
	p.mu.Unlock()
	must(t, phone.Admin(tr.within(), card.Admin{Action: card.Pause, Minutes: 15}))
	time.Sleep(100 * time.Millisecond)
	if tr.agent.paused() {
		t.Error("a device that is not paired yet paused the agent")
	}
}
