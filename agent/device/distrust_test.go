package device_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"sync"
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/device"
	abcrypto "answerback/crypto"
)

// problems collects what the device refused.
type problems struct {
	mu   sync.Mutex
	all  []error
	news int // cards
}

func (p *problems) on(e device.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Problem != nil {
		p.all = append(p.all, e.Problem)
	}
	if e.Card != nil {
		p.news++
	}
}

func (p *problems) has(want error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, err := range p.all {
		if errors.Is(err, want) {
			return true
		}
	}
	return false
}

func TestLogCutOrForkedHasNoAllow(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	made := now()
	with := func(size uint64, root byte, age uint64) card.Written {
		c := routine()
		c.Log, c.Made = card.Log{Size: size, Root: [32]byte{root}}, made+5-age
		return a.ask(c)
	}
	for _, c := range []struct {
		name string
		w    card.Written
		want card.NoAllow
	}{
		{"the first", with(10, 1, 5), card.Offered},
		{"a larger one", with(20, 2, 4), card.Offered},
		{"a smaller one, made later", with(19, 3, 1), card.LogCut},
		{"the largest size with another root", with(20, 4, 1), card.LogCut},
		{"an older size with another root", with(10, 5, 5), card.LogCut},
		{"one that is merely late", with(15, 6, 4), card.Offered},
		{"the size of the late one with another root", with(15, 7, 4), card.LogCut},
		{"a larger one still", with(21, 8, 0), card.Offered},
	} {
		if got := waitCard(t, d, c.w).NoAllow; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if c.want == card.LogCut {
			var no *device.NoAllowError
			if _, err := d.Answer(canceled, c.w.Card.Request, allow); !errors.As(err, &no) || no.Reason != card.LogCut {
				t.Errorf("%s was answered: %v", c.name, err)
			}
		}
	}
	if a.count(abcrypto.TypeAnswer) != 0 {
		t.Error("an answer went out")
	}
}

// TestLogCutOutlivesARestart: the heads are kept, and so is the verdict on a card.
func TestLogCutOutlivesARestart(t *testing.T) {
	r := newRelay(t)
	a := newAgent(t, r)
	d, stop := run(t, a.pair(device.Options{}), device.Options{})
	first := a.ask(sized(10))
	waitCard(t, d, first)
	cut := sized(5)
	cut.Made += 10
	second := a.ask(cut)
	waitCard(t, d, second)
	s := throughBytes(t, d.State())
	stop()
	d, _ = run(t, s, device.Options{})
	if v := waitCard(t, d, second); v.NoAllow != card.LogCut {
		t.Errorf("the cut card: %q", v.NoAllow)
	}
	if v := waitCard(t, d, first); v.NoAllow != card.Offered {
		t.Errorf("the first card: %q", v.NoAllow)
	}
	fork := sized(10)
	fork.Log.Root = [32]byte{9}
	if v := waitCard(t, d, a.ask(fork)); v.NoAllow != card.LogCut {
		t.Errorf("a fork after the restart: %q", v.NoAllow)
	}
}

func throughBytes(t *testing.T, s device.State) device.State {
	t.Helper()
	b, err := s.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	s, err = device.ParseState(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDuplicateCardIsOneCard(t *testing.T) {
	var p problems
	_, a, d := setUp(t, device.Options{OnEvent: p.on})
	w := a.ask(routine())
	waitCard(t, d, w)
	for range 3 {
		a.send(abcrypto.TypeCard, w.Body)
	}
	other := w.Card
	other.Input = `{"command":"rm -rf ~"}`
	a.send(abcrypto.TypeCard, mustNew(t, other).Body)
	eventually(t, "the refusal of the second card", func() bool { return p.has(device.ErrTwoCards) })
	if v := waitCard(t, d, w); v.Digest != w.Digest || v.NoAllow != card.Offered || len(d.Cards()) != 1 || p.news != 1 {
		t.Errorf("%d cards, %d events: %+v", len(d.Cards()), p.news, v)
	}
}

// TestB106_ReplayAndReorder: every message that the agent ever sent comes again, in reverse. Nothing changes, nothing is offered twice.
func TestB106_ReplayAndReorder(t *testing.T) {
	var p problems
	_, a, d := setUp(t, device.Options{OnEvent: p.on})
	a.answering(a.accept)
	w := mustNew(t, routine())
	a.keep(w)
	sent := [][]byte{a.sendState(func(s *card.State) { s.PauseUntil = 5 }), a.send(abcrypto.TypeCard, w.Body)}
	waitCard(t, d, w)
	if _, err := d.Answer(within(t, 10*time.Second), w.Card.Request, allow); err != nil {
		t.Fatal(err)
	}
	other := a.ask(sized(2))
	waitCard(t, d, other)
	sent = append(sent, a.send(abcrypto.TypeSettled, a.marshaled(card.Settled{Seq: a.nextSeq(), Request: other.Card.Request, Outcome: card.EndDenied, Time: now()})))
	sent = append(sent, a.sendState(func(s *card.State) { s.PauseUntil = 6 }))
	eventually(t, "the last state", func() bool { s, _ := d.Agent(); return s.PauseUntil == 6 })
	before, cards := a.count(abcrypto.TypeAnswer), d.Cards()
	for i := len(sent) - 1; i >= 0; i-- {
		a.sendRaw(sent[i])
	}
	eventually(t, "the refusal of what is old", func() bool { return p.has(device.ErrOld) })
	marker := a.ask(sized(3))
	waitCard(t, d, marker)
	if s, _ := d.Agent(); s.PauseUntil != 6 {
		t.Errorf("an old state counts again: %d", s.PauseUntil)
	}
	for _, v := range cards {
		if again := waitCard(t, d, card.Written{Card: v.Card}); again.NoAllow != card.Already || again.Open() {
			t.Errorf("%s is offered again: %+v", v.Card.Request, again)
		}
	}
	if after := a.count(abcrypto.TypeAnswer); after != before {
		t.Errorf("%d answers went out, %d before", after, before)
	}
}

// TestB009_AnsweredCardIsNotOfferedAfterARestart: the card comes again from the relay's hand after both were started anew.
func TestB009_AnsweredCardIsNotOfferedAfterARestart(t *testing.T) {
	r := newRelay(t)
	a := newAgent(t, r)
	a.answering(a.accept)
	d, stop := run(t, a.pair(device.Options{}), device.Options{})
	w := a.ask(routine())
	waitCard(t, d, w)
	if _, err := d.Answer(within(t, 10*time.Second), w.Card.Request, allow); err != nil {
		t.Fatal(err)
	}
	s := throughBytes(t, d.State())
	stop()
	d, _ = run(t, s, device.Options{})
	v := waitCard(t, d, w) // the agent's own open cards, after hello
	if v.Open() || v.NoAllow != card.Already || v.Decided != abcrypto.Allow {
		t.Errorf("%+v", v)
	}
	deny := device.Reply{Decision: abcrypto.Deny, Via: abcrypto.ViaApp}
	if _, err := d.Answer(canceled, w.Card.Request, deny); !errors.Is(err, device.ErrAlready) {
		t.Errorf("the other decision: %v", err)
	}
	if got, err := d.Answer(within(t, 10*time.Second), w.Card.Request, allow); err != nil || got.Outcome != card.Accepted {
		t.Errorf("the same decision: %+v %v", got, err)
	}
	all := a.answers()
	for _, sealed := range all {
		if string(sealed) != string(all[0]) {
			t.Error("the answer was sealed anew")
		}
	}
}

// TestUnreceiptedAnswerGoesOnAfterARestart: kept on disk before it was sent, and sent again by itself.
func TestUnreceiptedAnswerGoesOnAfterARestart(t *testing.T) {
	r := newRelay(t)
	a := newAgent(t, r)
	var saved device.State
	d, stop := run(t, a.pair(device.Options{}), device.Options{Save: func(s device.State) error { saved = s; return nil }})
	w := a.ask(routine())
	waitCard(t, d, w)
	if _, err := d.Answer(within(t, 200*time.Millisecond), w.Card.Request, allow); !errors.Is(err, device.ErrNoReceipt) {
		t.Fatal(err)
	}
	stop()
	before := len(a.answers())
	a.answering(a.accept)
	d, _ = run(t, throughBytes(t, saved), device.Options{})
	v, err := d.WaitCard(within(t, 10*time.Second), func(v device.View) bool { return v.Receipt != nil })
	if err != nil || v.Receipt.Outcome != card.Accepted {
		t.Fatalf("%+v %v", v, err)
	}
	all := a.answers()
	if len(all) == before || string(all[0]) != string(all[len(all)-1]) {
		t.Error("other bytes were sent")
	}
}

func TestNothingGoesOutThatCouldNotBeKept(t *testing.T) {
	full := errors.New("the disk is full")
	var broken bool
	_, a, d := setUp(t, device.Options{Save: func(device.State) error {
		if broken {
			return full
		}
		return nil
	}})
	w := a.ask(routine())
	waitCard(t, d, w)
	d.State() // the lock orders the next write before what follows
	broken = true
	if _, err := d.Answer(within(t, 5*time.Second), w.Card.Request, allow); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if v, _ := d.Card(w.Card.Request); v.Decided != 0 || a.count(abcrypto.TypeAnswer) != 0 {
		t.Errorf("%+v, %d answers", v, a.count(abcrypto.TypeAnswer))
	}
}

// TestB116_ClockOfTheDeviceIsWrong: by a day, ten minutes, a year. The answer counts, and the time left is the agent's.
func TestB116_ClockOfTheDeviceIsWrong(t *testing.T) {
	for name, off := range map[string]time.Duration{"-1 day": -24 * time.Hour, "+10 min": 10 * time.Minute, "+1 year": 365 * 24 * time.Hour, "1970": -time.Duration(time.Now().UnixNano()) + time.Hour} {
		t.Run(name, func(t *testing.T) {
			_, a, d := setUp(t, device.Options{Now: func() time.Time { return time.Now().Add(off) }})
			a.answering(a.accept)
			w := a.ask(routine())
			v := waitCard(t, d, w)
			if v.NoAllow != card.Offered || v.Left < 55*time.Second || v.Left > 61*time.Second {
				t.Errorf("%q, %v left", v.NoAllow, v.Left)
			}
			if r, err := d.Answer(within(t, 10*time.Second), w.Card.Request, allow); err != nil || r.Outcome != card.Accepted {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
}

// TestB076_ExpiredByTheAgentsClock: a card that comes after its end, or stays until it, has no Allow.
func TestB076_ExpiredByTheAgentsClock(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	old := routine()
	old.Made, old.Expires = now()-120_000, now()-60_000
	soon := sized(2)
	soon.Expires = now() + 400
	late, short := a.ask(old), a.ask(soon)
	if v := waitCard(t, d, late); v.NoAllow != card.Expired || v.Open() || v.Left >= 0 {
		t.Errorf("%+v", v)
	}
	waitCard(t, d, short)
	eventually(t, "the end of the short card", func() bool { v, _ := d.Card(short.Card.Request); return v.NoAllow == card.Expired })
	for _, w := range []card.Written{late, short} {
		var no *device.NoAllowError
		if _, err := d.Answer(canceled, w.Card.Request, allow); !errors.As(err, &no) || no.Reason != card.Expired {
			t.Errorf("an expired card was answered: %v", err)
		}
	}
}

// TestB080_NoAllowOnTheDevice: what the card cannot show is not allowed here either, and may be denied.
func TestB080_NoAllowOnTheDevice(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	a.answering(a.accept)
	for i, input := range []string{`{}`, `null`, ``, `"ls"`, `{"command":""}`, `{"a":1,"a":2}`} {
		c := sized(uint64(i + 1))
		c.Input = input
		w := a.ask(c)
		waitCard(t, d, w)
		var no *device.NoAllowError
		if _, err := d.Answer(canceled, w.Card.Request, allow); !errors.As(err, &no) {
			t.Errorf("%q: %v", input, err)
		}
		if r, err := d.Answer(within(t, 10*time.Second), w.Card.Request, device.Reply{Decision: abcrypto.Deny, Via: abcrypto.ViaApp}); err != nil || r.Outcome != card.Accepted {
			t.Errorf("%q: %+v %v", input, r, err)
		}
	}
}

func TestWatcherHasNoAnswer(t *testing.T) {
	r := newRelay(t)
	a := newAgent(t, r)
	a.role = card.Watcher
	d, _ := run(t, a.pair(device.Options{}), device.Options{})
	w := a.ask(routine())
	waitCard(t, d, w)
	for _, decision := range []abcrypto.Decision{abcrypto.Allow, abcrypto.Deny} {
		var no *device.NoAllowError
		if _, err := d.Answer(canceled, w.Card.Request, device.Reply{Decision: decision, Via: abcrypto.ViaApp}); !errors.As(err, &no) || no.Reason != card.Watching {
			t.Errorf("%d: %v", decision, err)
		}
	}
}

// TestB096_NotListedAnyMore: the newest roster does not name this device.
func TestB096_NotListedAnyMore(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	a.sendState(func(s *card.State) { s.Devices = nil })
	w := a.ask(routine())
	if v := waitCard(t, d, w); v.NoAllow != card.NotListed {
		t.Errorf("%+v", v)
	}
}

// TestM001_Misbehaviour: what the demo shows from outside. A forged signature, an answer for another call, the same answer twice, junk.
func TestM001_Misbehaviour(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	verdicts := make(chan error, 16)
	a.answering(func(m abcrypto.Message) { _, err := a.judge(m); verdicts <- err })
	first, second := a.ask(sized(1)), a.ask(sized(2))
	waitCard(t, d, first)
	waitCard(t, d, second)
	raw := d.Raw()
	_, forger, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	statement := raw.Statement(first.Card.Request, allow)
	swapped := statement
	swapped.Request = second.Card.Request
	for _, c := range []struct {
		name string
		body []byte
		want error
	}{
		{"another key", raw.Sign(statement, forger), card.ErrSignature},
		{"the digest of another call's card", raw.Sign(swapped, d.State().SignKey), card.ErrDigest},
		{"the true one", raw.Sign(statement, d.State().SignKey), nil},
		{"not an answer", []byte("yes"), card.ErrForm},
	} {
		sealed, err := raw.Seal(abcrypto.TypeAnswer, c.body)
		if err == nil {
			err = raw.Send(within(t, 5*time.Second), sealed)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := <-verdicts; !errors.Is(got, c.want) && !(c.want == card.ErrForm && got != nil) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if raw.Sealed(first.Card.Request) != nil {
		t.Error("a raw answer was kept")
	}
}

func TestAgentWithoutASharedVersion(t *testing.T) {
	var p problems
	_, a, _ := setUp(t, device.Options{OnEvent: p.on})
	a.sendState(func(s *card.State) { s.Protocols = []uint64{2, 3} })
	eventually(t, "the sentence about versions", func() bool { return p.has(device.ErrVersion) })
}
