package agent

import (
	"errors"
	"strings"
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	"answerback/agent/internal/audit"
	abcrypto "answerback/crypto"
)

// What a device orders for itself or for another device narrows, at once.
func TestDevicesRemoveDevices(t *testing.T) {
	tr := newTrip(t)
	phone, tablet, third := tr.pair("Pixel 9"), tr.pair("tablet"), tr.pair("third")
	id := third.State().Device
	must(t, phone.Admin(tr.within(), card.Admin{Action: card.RemoveDevice, Device: &id}))
	tr.expectRecord(audit.Revoked, "removed from Pixel 9")
	must(t, tablet.Admin(tr.within(), card.Admin{Action: card.Unpair}))
	tr.expectRecord(audit.Revoked, "unpaired on the device itself")
	must(t, phone.Admin(tr.within(), card.Admin{Action: card.RemoveDevice, Device: &id})) // again: nothing
	for end := time.Now().Add(5 * time.Second); len(tr.agent.allPeers()) != 1 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
	if p := tr.agent.peerOf(phone.State().Device); p == nil || len(tr.agent.allPeers()) != 1 {
		t.Errorf("%d devices are left, want the phone", len(tr.agent.allPeers()))
	}
	tr.nothingLeftOf(t, id)
}

// A fetch brings the open card again; what is not open shows in the state, and a stranger's card stays with those that it names.
func TestFetch(t *testing.T) {
	tr := newTrip(t)
	s := tr.stranger(t, true)
	s.says(t, abcrypto.TypeHello, helloBody(t, Protocol))
	s.p.stop() // what is queued for it stays in its queue from here on
	<-s.p.ended
	open := func(n byte, named bool) *entry {
		e := newEntry(question{wait: time.Minute}, time.Now())
		e.id, e.Body, e.roster = requestID{n}, []byte{n}, map[abcrypto.ID]bool{s.p.device().ID: named}
		must(t, tr.agent.pending.take(e.owner))
		tr.agent.pending.add(e)
		return e
	}
	mine, others, ended := open(1, true), open(2, false), open(3, true)
	tr.agent.pending.settle(ended, outcome{how: expired})
	for _, c := range []struct {
		id   requestID
		want byte
	}{{mine.id, abcrypto.TypeCard}, {others.id, abcrypto.TypeState}, {ended.id, abcrypto.TypeState}, {requestID{9}, abcrypto.TypeState}} {
		for len(s.p.queue) > 0 {
			<-s.p.queue
		}
		body, err := card.Fetch{Request: c.id}.Marshal()
		must(t, err)
		s.says(t, abcrypto.TypeFetch, body)
		states, cards := 0, 0
		for first := true; first || len(s.p.queue) > 0; first = false { // the link's coming up sends the state and every open card, too, whenever it does
			switch o := <-s.p.queue; {
			case o.typ == abcrypto.TypeState:
				states++
			case o.typ == abcrypto.TypeCard && o.body[0] == c.id[0]:
				cards++
			}
		}
		if c.want == abcrypto.TypeCard && cards == 0 || c.want == abcrypto.TypeState && (states == 0 || cards > 0) {
			t.Errorf("card %d: %d states and that card %d times, want %d", c.id[0], states, cards, c.want)
		}
	}
}

// A device that takes nothing has a bounded queue, and holds up nobody.
func TestQueueIsBounded(t *testing.T) {
	tr := newTrip(t)
	s := tr.stranger(t, true)
	s.p.stop()
	<-s.p.ended
	start := time.Now()
	for range 10 * queueSize {
		s.p.enqueue(outgoing{typ: abcrypto.TypeState, body: []byte("{}")})
	}
	if len(s.p.queue) != queueSize || time.Since(start) > 2*time.Second {
		t.Errorf("%d messages wait after %v", len(s.p.queue), time.Since(start))
	}
}

// A phone admits a device, and the answer cannot be logged: nobody is admitted, and the phone is not told that it counted.
func TestAdmissionThatCannotBeLogged(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	p, _, ended, v := tr.upToAdmission(t, phone)
	must(t, tr.agent.store.Close())
	if r := tr.answer(phone, v, allow()); r.Outcome != card.Refused || r.Reason != "log" {
		t.Errorf("the receipt says %+v", r)
	}
	if err := p.end(t); err == nil {
		t.Error("the terminal hears that it was paired")
	}
	if err := <-ended; err == nil {
		t.Error("the device hears that it was paired")
	}
	if n := len(tr.agent.allPeers()); n != 1 {
		t.Errorf("%d devices are there", n)
	}
}

// An admission is ended at the terminal as any other card: deny and release admit nobody.
func TestAdmissionDeniedAtTheTerminal(t *testing.T) {
	for _, do := range []string{control.DoDeny, control.DoRelease} {
		t.Run(do, func(t *testing.T) {
			tr := newTrip(t)
			phone := tr.pair("Pixel 9")
			p, _, ended, v := tr.upToAdmission(t, phone)
			_, err := tr.lines(t, control.Request{Do: do, ID: v.Card.Request.String()})
			must(t, err)
			if err := p.end(t); !errors.Is(err, errRefusedHere) {
				t.Errorf("the pairing ended with %v", err)
			}
			if err := <-ended; err == nil {
				t.Error("the device hears that it was paired")
			}
		})
	}
}

// A second agent on one state folder, or on one socket, does not start, says why, and harms nothing of the first.
func TestSecondAgentDoesNotStart(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	var locked ErrLocked
	if a, err := Open(tr.opts); !errors.As(err, &locked) {
		t.Errorf("a second agent on the state folder: %v, %v", a, err)
	}
	other := tr.opts
	other.State = t.TempDir() + "/s"
	if a, err := Open(other); err == nil || !strings.Contains(err.Error(), "another agent") {
		t.Errorf("a second agent on the socket: %v, %v", a, err)
	}
	h := tr.ask("npm test")
	tr.answer(phone, tr.card(phone, "npm test"), allow())
	if got := h.wait(t); got != allowed {
		t.Errorf("the first agent is hurt: the hook printed %q", got)
	}
}

// A card that fits no bound is not asked: the caller asks its own user at once, and the room is there again.
func TestCallThatHasNoCard(t *testing.T) {
	tr := newTrip(t)
	tr.pair("Pixel 9")
	_, err := tr.agent.ask(tr.within(), question{card: card.Card{Kind: card.KindCall, Caller: strings.Repeat("c", 65), Class: card.Sensitive,
		Needs: card.Needs{Via: card.NeedApp, Quorum: 1}}, wait: time.Minute})
	if err == nil {
		t.Error("it was asked")
	}
	tr.agent.pending.mu.Lock()
	defer tr.agent.pending.mu.Unlock()
	if p := tr.agent.pending; p.taken != 0 || len(p.open) != 0 {
		t.Errorf("%d slots are taken, %d cards are open", p.taken, len(p.open))
	}
}
