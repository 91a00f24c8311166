package agent

import (
	"crypto/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"answerback/agent/card"
	peerdevice "answerback/agent/device"
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
	e.mu.Lock()
	defer e.mu.Unlock()
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
	s := tr.stranger(t, true)
	e := newEntry(question{wait: time.Minute}, time.Now())
	e.roster = map[abcrypto.ID]bool{s.p.device().ID: true}
	for _, c := range []struct {
		protocols []uint64
		takes     bool
	}{{[]uint64{Protocol + 1}, false}, {nil, false}, {[]uint64{Protocol, Protocol + 1}, true}} {
		s.says(t, abcrypto.TypeHello, helloBody(t, c.protocols...))
		if got := s.p.takes(e); got != c.takes {
			t.Errorf("speaking %v it takes cards: %v", c.protocols, got)
		}
	}
	delete(e.roster, s.p.device().ID)
	if s.p.takes(e) {
		t.Error("it takes a card that does not name it")
	}
}

// Before its first hello a new device can do nothing else: no answer, no order.
func TestNothingBeforeTheFirstHello(t *testing.T) {
	tr := newTrip(t)
	s := tr.stranger(t, false)
	s.orders(t, card.Admin{Action: card.Pause, Minutes: 15})
	if tr.agent.paused() {
		t.Error("a device that is not paired yet paused the agent")
	}
	s.says(t, abcrypto.TypeHello, helloBody(t, Protocol))
	s.orders(t, card.Admin{Action: card.Pause, Minutes: 15})
	if !tr.agent.paused() {
		t.Error("a paired device cannot pause the agent")
	}
}

// A signed message counts once and upwards, over restarts too; replayed or out of order it does nothing. B106.
func TestB106_SignedMessagesCountOnce(t *testing.T) {
	tr := newTrip(t)
	s := tr.stranger(t, true)
	pause, resume := card.Admin{Action: card.Pause, Minutes: 15}, card.Admin{Action: card.Resume}
	old := s.signed(t, pause, 1)
	s.seq = 1
	s.orders(t, resume) // 2
	for range 2 {
		s.says(t, abcrypto.TypeAdmin, old)
		s.says(t, abcrypto.TypeAdmin, s.signed(t, pause, 2))
		if tr.agent.paused() {
			t.Fatal("a message that came again, or behind a later one, was obeyed")
		}
		tr.stop()
		tr.start()
		if s.agent, s.p = tr.agent, tr.agent.peerOf(s.p.device().ID); s.p == nil {
			t.Fatal("the device is not there after the restart")
		}
	}
	s.seq = 5
	bad := s.signed(t, pause, 6)
	bad[len(bad)-2] ^= 1
	s.says(t, abcrypto.TypeAdmin, bad) // its signature does not hold: the number is not used up
	s.orders(t, pause)                 // 6
	if !tr.agent.paused() {
		t.Error("a good message behind a bad one was not obeyed")
	}
}

// A device's word that it has a card, which anybody on the way can send again, is written down once.
func TestSeenIsWrittenDownOnce(t *testing.T) {
	tr := newTrip(t)
	s := tr.stranger(t, true)
	s.says(t, abcrypto.TypeHello, helloBody(t, Protocol)) // its time is written down
	e := newEntry(question{wait: time.Minute}, time.Now())
	e.id = requestID{1}
	must(t, tr.agent.pending.take(e.owner))
	tr.agent.pending.add(e)
	e.ringing(s.p.device().ID)
	body, err := card.Seen{Request: e.id}.Marshal()
	must(t, err)
	before := tr.agent.store.Commits()
	for range 50 {
		s.says(t, abcrypto.TypeSeen, body)
	}
	if n := tr.agent.store.Commits() - before; n != 1 {
		t.Errorf("%d writes of one confirmed push", n)
	}
	if s.p.device().LastPush == 0 {
		t.Error("the push is not confirmed")
	}
}

// B106: a message that is no answer is heard once: a hello that is sent again and again does not make the agent send again and again.
func TestB106_ReplayedHelloIsHeardOnce(t *testing.T) {
	tr := newTrip(t)
	s := tr.stranger(t, true)
	sealed, err := s.ratchet.SealDevice(s.p.device().ID, abcrypto.Message{Type: abcrypto.TypeHello, Body: helloBody(t, Protocol)}, rand.Reader)
	must(t, err)
	before := tr.quiet(t)
	for range 100 {
		s.p.receive(sealed)
	}
	if n := tr.agent.nextSeq() - before - 1; n != 1 {
		t.Errorf("%d states went out for one hello", n)
	}
}

func TestNoncesAreBounded(t *testing.T) {
	var n nonces
	for i := range 3 * maxNonces {
		nonce := [abcrypto.NonceSize]byte{byte(i), byte(i >> 8)}
		if n.again(nonce) {
			t.Fatalf("message %d was here before", i)
		}
		if !n.again(nonce) {
			t.Fatalf("message %d was not noted", i)
		}
	}
	if len(n.seen) != maxNonces || len(n.order) != maxNonces {
		t.Errorf("%d and %d are remembered", len(n.seen), len(n.order))
	}
	last := 3*maxNonces - 1
	if !n.again([abcrypto.NonceSize]byte{byte(last), byte(last >> 8)}) {
		t.Error("the last one is forgotten")
	}
}

// The same bytes get the same receipt though what the device may do has changed since: the call has run.
func TestSameReceiptThoughTheLockScreenChanged(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	p := tr.agent.peerOf(phone.State().Device)
	must(t, tr.agent.change(p, func(d *device) { d.LockScreen = card.LockAnswer }))
	h := tr.ask("ls")
	v := tr.card(phone, "ls")
	r := tr.answer(phone, v, peerdevice.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaNotification})
	if got := h.wait(t); got != allowed || r.Outcome != card.Accepted {
		t.Fatalf("the hook printed %q, the receipt says %s", got, r.Outcome)
	}
	must(t, tr.agent.change(p, func(d *device) { d.LockScreen = card.LockHide }))
	time.Sleep(2 * receiptEvery)
	must(t, phone.Raw().Send(tr.within(), phone.Raw().Sealed(v.Card.Request)))
	time.Sleep(200 * time.Millisecond)
	if n := tr.count(audit.Refused); n != 0 {
		t.Errorf("%d refusals of an answer that counted", n)
	}
}

// M007: no message of a device carries more than it says: one with an unknown member, or a member of another message, is refused whole.
func TestM007_UnknownMembersInEveryMessage(t *testing.T) {
	tr := newTrip(t)
	s := tr.stranger(t, true)
	s.says(t, abcrypto.TypeHello, helloBody(t, Protocol))
	state := tr.quiet(t)
	for name, m := range map[string]struct {
		typ  byte
		body string
	}{
		"hello with a mode":     {abcrypto.TypeHello, `{"app":"","protocols":[1],"visible":true,"mode":"bypassPermissions"}`},
		"hello with an allow":   {abcrypto.TypeHello, `{"app":"","protocols":[1],"visible":true,"allow":true}`},
		"hello, a member twice": {abcrypto.TypeHello, `{"app":"","protocols":[1],"visible":true,"Visible":true}`},
		"fetch with a decision": {abcrypto.TypeFetch, `{"request_id":"00000000000000000000000000000000","decision":"allow"}`},
		"seen with a decision":  {abcrypto.TypeSeen, `{"request_id":"00000000000000000000000000000000","visible":true,"decision":1}`},
		"a card from a device":  {abcrypto.TypeCard, `{}`},
		"a passkey":             {abcrypto.TypePasskey, `{"id":"","public_key":""}`},
	} {
		sealed, err := s.ratchet.SealDevice(s.p.device().ID, abcrypto.Message{Type: m.typ, Body: []byte(m.body)}, rand.Reader)
		if err != nil {
			continue // of no type of this direction: nobody can even seal it
		}
		s.p.receive(sealed)
		if n := tr.agent.nextSeq(); n != state+1 {
			t.Errorf("%s: the agent answered", name)
		}
		state++
	}
	for name, body := range map[string]string{
		"a pause that also resumes": `{"action":"pause","minutes":15,"rule":1}`,
		"a pause with a mode":       `{"action":"pause","minutes":15,"mode":"allow"}`,
		"a pause beyond a day":      `{"action":"pause","minutes":1441}`,
		"no action":                 `{"minutes":15}`,
		"an allow":                  `{"action":"allow"}`,
	} {
		s.seq++
		m, err := abcrypto.SignMessage(s.key, tr.agent.id, s.p.device().ID, abcrypto.TypeAdmin, s.seq, []byte(body))
		must(t, err)
		s.says(t, abcrypto.TypeAdmin, m.Bytes())
		if tr.agent.paused() {
			t.Fatalf("%s was obeyed", name)
		}
	}
}
