package device_test

import (
	"crypto/ed25519"
	"errors"
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/device"
	abcrypto "answerback/crypto"
)

var allow = device.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaApp}

// waitCard waits for this very card.
func waitCard(t *testing.T, d *device.Device, w card.Written) device.View {
	t.Helper()
	v, err := d.WaitCard(within(t, 10*time.Second), func(v device.View) bool { return v.Card.Request == w.Card.Request })
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAllowOverTheSocket(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	a.answering(a.accept)
	w := a.ask(routine())
	v := waitCard(t, d, w)
	if v.NoAllow != card.Offered || !v.Open() || v.Digest != w.Digest || string(v.Body) != string(w.Body) {
		t.Fatalf("%+v", v)
	}
	r, err := d.Answer(within(t, 10*time.Second), w.Card.Request, allow)
	if err != nil || r.Outcome != card.Accepted {
		t.Fatalf("%+v %v", r, err)
	}
	if v, _ := d.Card(w.Card.Request); v.Open() || v.Decided != abcrypto.Allow || v.Receipt == nil || v.NoAllow != card.Already {
		t.Errorf("%+v", v)
	}
	eventually(t, "seen", func() bool { return a.count(abcrypto.TypeSeen) == 1 })
}

func TestAllowByPostWithItsOwnReplyBox(t *testing.T) {
	_, a, d := setUp(t, device.Options{Post: true})
	a.answering(a.accept)
	w := a.ask(routine())
	waitCard(t, d, w)
	r, err := d.Answer(within(t, 10*time.Second), w.Card.Request, allow)
	if err != nil || r.Outcome != card.Accepted {
		t.Fatalf("%+v %v", r, err)
	}
	if n := len(a.answers()); n != 1 {
		t.Errorf("the answer was sent %d times", n)
	}
}

// TestPostWithoutASocket is what a service worker does: the card came by a push, and there is no socket at all.
func TestPostWithoutASocket(t *testing.T) {
	r := newRelay(t)
	a := newAgent(t, r)
	s := a.pair(device.Options{})
	d, stop := run(t, s, device.Options{})
	eventually(t, "the hello", func() bool { return a.count(abcrypto.TypeHello) > 0 })
	s = d.State()
	stop()
	worker, err := device.Open(s, device.Options{Post: true})
	if err != nil {
		t.Fatal(err)
	}
	a.answering(a.accept)
	w := mustNew(t, routine())
	a.keep(w)
	worker.Receive(a.seal(abcrypto.TypeCard, w.Body))
	got, err := worker.Answer(within(t, 10*time.Second), w.Card.Request, allow)
	if err != nil || got.Outcome != card.Accepted {
		t.Fatalf("%+v %v", got, err)
	}
}

func TestDenyCarriesTheWords(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	words := make(chan string, 1)
	a.answering(func(m abcrypto.Message) {
		v, err := a.judge(m)
		if err != nil || v.Allows() {
			t.Errorf("%v", err)
		}
		words <- v.Words()
		a.accept(m)
	})
	w := a.ask(routine())
	waitCard(t, d, w)
	if _, err := d.Answer(within(t, 10*time.Second), w.Card.Request, device.Reply{Decision: abcrypto.Deny, Via: abcrypto.ViaNotification, Words: "use trash instead"}); err != nil {
		t.Fatal(err)
	}
	if got := <-words; got != "use trash instead" {
		t.Errorf("%q", got)
	}
}

func TestQuestionIsAnsweredAndNeverAllowed(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	answers := make(chan card.Answers, 1)
	a.answering(func(m abcrypto.Message) {
		v, err := a.judge(m)
		if err != nil || v.Allows() {
			t.Errorf("%v", err)
		}
		answers <- v.Answers()
		a.accept(m)
	})
	c := routine()
	c.Kind, c.Input = card.KindQuestion, `{"questions":[{"question":"Which?"}]}`
	w := a.ask(c)
	waitCard(t, d, w)
	if _, err := d.Answer(canceled, w.Card.Request, allow); !errors.Is(err, device.ErrDecision) {
		t.Errorf("an Allow of a question: %v", err)
	}
	reply := device.Reply{Decision: abcrypto.Answered, Via: abcrypto.ViaApp, Answers: card.Answers{{Question: "Which?", Values: []string{"A", "B"}, Many: true}}}
	if _, err := d.Answer(within(t, 10*time.Second), w.Card.Request, reply); err != nil {
		t.Fatal(err)
	}
	if got := <-answers; len(got) != 1 || len(got[0].Values) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestM008_AnswerInTheSameInstant(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	a.answering(a.accept)
	for i := range 40 {
		c := routine()
		c.Log.Size = uint64(i + 1)
		w := a.ask(c)
		waitCard(t, d, w)
		if r, err := d.Answer(within(t, 10*time.Second), w.Card.Request, allow); err != nil || r.Outcome != card.Accepted {
			t.Fatalf("%d: %+v %v", i, r, err)
		}
	}
}

// TestReceiptsThatAreNotOurs: of another call, of other bytes, from the right call but for another answer, replayed; and junk in the box.
func TestReceiptsThatAreNotOurs(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	first, second := a.ask(sized(1)), a.ask(sized(2))
	waitCard(t, d, first)
	waitCard(t, d, second)
	replayed := make(chan []byte, 1)
	a.answering(func(m abcrypto.Message) {
		got, _ := abcrypto.ParseAnswerMessage(m.Body)
		replayed <- a.send(abcrypto.TypeReceipt, a.marshaled(card.Receipt{Request: got.Answer.Request, Answer: abcrypto.ReceiptHash(got.Raw), Outcome: card.Accepted, Time: now()}))
	})
	if _, err := d.Answer(within(t, 10*time.Second), first.Card.Request, allow); err != nil {
		t.Fatal(err)
	}
	old := <-replayed
	a.answering(func(m abcrypto.Message) {
		got, _ := abcrypto.ParseAnswerMessage(m.Body)
		a.sendRaw(old)               // of the first call
		a.sendRaw([]byte("junk"))    // anybody's
		a.sendRaw(make([]byte, 545)) // of a message's size
		spoiled := append([]byte(nil), old...)
		spoiled[len(spoiled)-1] ^= 1
		a.sendRaw(spoiled)
		for _, r := range []card.Receipt{
			{Request: got.Answer.Request, Answer: [32]byte{1}, Outcome: card.Accepted, Time: now()},
			{Request: first.Card.Request, Answer: abcrypto.ReceiptHash(got.Raw), Outcome: card.Accepted, Time: now()},
			{Request: card.RequestID{7}, Answer: abcrypto.ReceiptHash(got.Raw), Outcome: card.Accepted, Time: now()},
		} {
			a.send(abcrypto.TypeReceipt, a.marshaled(r))
		}
		a.send(abcrypto.TypeReceipt, []byte(`{"outcome":"accepted"}`))
	})
	r, err := d.Answer(within(t, 1500*time.Millisecond), second.Card.Request, allow)
	if !errors.Is(err, device.ErrNoReceipt) {
		t.Errorf("%+v %v, want ErrNoReceipt", r, err)
	}
	if v, _ := d.Card(second.Card.Request); v.Receipt != nil || v.Decided != abcrypto.Allow {
		t.Errorf("%+v", v)
	}
}

// TestB044_NoSuccessWithoutAReceipt: every answer is lost on the way; the device keeps it, says which of the two it is, and goes on.
func TestB044_NoSuccessWithoutAReceipt(t *testing.T) {
	r, a, d := setUp(t, device.Options{})
	w := a.ask(routine())
	waitCard(t, d, w)
	if _, err := d.Answer(within(t, 500*time.Millisecond), w.Card.Request, allow); !errors.Is(err, device.ErrNoReceipt) || errors.Is(err, device.ErrNotDelivered) {
		t.Errorf("with a silent agent: %v", err)
	}
	r.kill()
	eventually(t, "the end of the link", func() bool { return !d.Online() })
	w2 := mustNew(t, sized(2))
	d.Receive(a.seal(abcrypto.TypeCard, w2.Body))
	if _, err := d.Answer(within(t, 500*time.Millisecond), w2.Card.Request, allow); !errors.Is(err, device.ErrNotDelivered) || errors.Is(err, device.ErrNoReceipt) {
		t.Errorf("without a relay: %v", err)
	}
	a.keep(w2)
	a.answering(a.accept)
	r.start()
	if got, err := d.Answer(within(t, 20*time.Second), w2.Card.Request, allow); err != nil || got.Outcome != card.Accepted {
		t.Errorf("after the relay came back: %+v %v", got, err)
	}
	if got, err := d.Answer(within(t, 20*time.Second), w.Card.Request, allow); err != nil || got.Outcome != card.Accepted {
		t.Errorf("the first one: %+v %v", got, err)
	}
	sent := a.answers()
	distinct := map[string]bool{}
	for _, s := range sent {
		distinct[string(s)] = true
	}
	if len(sent) < 3 || len(distinct) != 2 {
		t.Errorf("%d answers of %d kinds: the same bytes must go again", len(sent), len(distinct))
	}
}

// TestB042_AnswerWhileTheAgentIsAway: the relay is up, the agent is not. Nothing is lost, and the card does not clear.
func TestB042_AnswerWhileTheAgentIsAway(t *testing.T) {
	r := newRelay(t)
	a := newAgent(t, r)
	d, _ := run(t, a.pair(device.Options{}), device.Options{})
	eventually(t, "the agent's state", func() bool { _, ok := d.Agent(); return ok })
	w := mustNew(t, routine())
	a.keep(w)
	d.Receive(a.seal(abcrypto.TypeCard, w.Body))
	back := a.leave()
	eventually(t, "the relay's word that nobody listens", func() bool {
		return d.Raw().Send(within(t, 5*time.Second), make([]byte, 545)) != nil
	})
	if _, err := d.Answer(within(t, 400*time.Millisecond), w.Card.Request, allow); !errors.Is(err, device.ErrNotDelivered) {
		t.Errorf("%v", err)
	}
	if v, _ := d.Card(w.Card.Request); v.Receipt != nil || v.Settled != nil {
		t.Errorf("the card cleared: %+v", v)
	}
	a.answering(a.accept)
	back()
	if got, err := d.Answer(within(t, 20*time.Second), w.Card.Request, allow); err != nil || got.Outcome != card.Accepted {
		t.Errorf("%+v %v", got, err)
	}
}

// TestB048_RefusedIsNoSuccess: the agent rejects the signature.
func TestB048_RefusedIsNoSuccess(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	_, other, _ := ed25519.GenerateKey(nil)
	a.mu.Lock()
	a.paired.DeviceKey = other.Public().(ed25519.PublicKey)
	a.mu.Unlock()
	a.answering(a.accept)
	w := a.ask(routine())
	waitCard(t, d, w)
	r, err := d.Answer(within(t, 10*time.Second), w.Card.Request, allow)
	if err != nil || r.Outcome != card.Refused || r.Reason != "signature" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestRelayRestartedWhileACardIsOpen(t *testing.T) {
	r, a, d := setUp(t, device.Options{})
	a.answering(a.accept)
	w := a.ask(routine())
	waitCard(t, d, w)
	for range 2 {
		r.kill()
		r.start()
	}
	if got, err := d.Answer(within(t, 20*time.Second), w.Card.Request, allow); err != nil || got.Outcome != card.Accepted {
		t.Fatalf("%+v %v", got, err)
	}
	late := a.ask(sized(2))
	waitCard(t, d, late)
}

func TestAnotherDeviceAnswered(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	w := a.ask(routine())
	waitCard(t, d, w)
	a.send(abcrypto.TypeSettled, a.marshaled(card.Settled{Seq: a.nextSeq(), Request: w.Card.Request, Outcome: card.EndAllowed, Time: now(), Device: "Pixel", Decision: card.WordAllow}))
	v, err := d.WaitCard(within(t, 10*time.Second), func(v device.View) bool { return v.Settled != nil })
	if err != nil || v.Open() || v.Settled.Device != "Pixel" || v.NoAllow != card.Already {
		t.Fatalf("%+v %v", v, err)
	}
	if _, err := d.Answer(canceled, w.Card.Request, allow); err == nil || a.count(abcrypto.TypeAnswer) != 0 {
		t.Errorf("a settled card was answered: %v", err)
	}
}

// TestB037_RestartedAgentWithdraws: the agent started anew, and knows the card no more.
func TestB037_RestartedAgentWithdraws(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	w := a.ask(routine())
	waitCard(t, d, w)
	a.mu.Lock()
	a.open, a.instance = map[card.RequestID]card.Written{}, [16]byte{2}
	a.mu.Unlock()
	a.sendState(nil)
	v, err := d.WaitCard(within(t, 10*time.Second), func(v device.View) bool { return v.Settled != nil })
	if err != nil || v.Settled.Outcome != card.EndWithdrawn {
		t.Fatalf("%+v %v", v, err)
	}
}

func TestOrdersAreSignedAndCounted(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	for want := uint64(1); want <= 2; want++ {
		if err := d.Admin(within(t, 10*time.Second), card.Admin{Action: card.Pause, Minutes: 15}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "two orders", func() bool { return a.count(abcrypto.TypeAdmin) == 2 })
	a.mu.Lock()
	defer a.mu.Unlock()
	seq := uint64(0)
	for _, m := range a.got {
		if m.Type != abcrypto.TypeAdmin {
			continue
		}
		s, err := abcrypto.ParseSignedMessage(m.Body)
		if err == nil {
			err = s.Verify(a.paired.DeviceKey, a.id, abcrypto.TypeAdmin)
		}
		if order, parseErr := card.ParseAdmin(s.Body); err != nil || parseErr != nil || order.Minutes != 15 || s.Seq != seq+1 {
			t.Errorf("%+v %v %v", s, err, parseErr)
		}
		seq = s.Seq
	}
}

// TestB041_CardsMissedWhileTheLinkWasDownCome: also when the agent's own state comes before the hello.
func TestB041_CardsMissedWhileTheLinkWasDownCome(t *testing.T) {
	r, a, d := setUp(t, device.Options{})
	r.kill()
	eventually(t, "the end of the link", func() bool { return !d.Online() })
	w := mustNew(t, routine())
	a.keep(w)
	r.start()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for range 40 {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				a.sendState(nil)
			}
		}
	}()
	if v := waitCard(t, d, w); v.NoAllow != card.Offered {
		t.Errorf("%+v", v)
	}
}
