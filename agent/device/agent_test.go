package device_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"sync"
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/device"
	abcrypto "answerback/crypto"
	"answerback/pairing"
	"answerback/relay"
	"answerback/relay/relayclient"
)

// canceled is a context that is over.
var canceled = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// testAgent speaks the agent's side of the protocol as a test tells it to. It decides nothing.
type testAgent struct {
	t     *testing.T
	relay *testRelay
	key   ed25519.PrivateKey
	id    abcrypto.ID
	link  *relayclient.Client
	ctx   context.Context

	mu       sync.Mutex
	paired   pairing.Paired
	seq      uint64
	open     map[card.RequestID]card.Written
	instance [16]byte
	role     card.Role
	silent   bool               // no state in answer to hello
	got      []abcrypto.Message // everything that opened
	raw      [][]byte           // the same, sealed
	onAnswer func(abcrypto.Message)
}

func newAgent(t *testing.T, r *testRelay) *testAgent {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &testAgent{t: t, relay: r, key: key, id: abcrypto.AgentID(key.Public().(ed25519.PublicKey)), open: map[card.RequestID]card.Written{}, instance: [16]byte{1}, role: card.Approver}
	a.link = relayclient.New(relayclient.Options{URL: r.url()})
	ctx, cancel := context.WithCancel(context.Background())
	a.ctx = ctx
	done := make(chan struct{})
	go func() { defer close(done); a.link.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return a
}

func now() uint64 { return uint64(time.Now().UnixMilli()) }

// pairWith runs the agent's half, and types what digits brings. It returns the link to give to the device.
func (a *testAgent) pairWith(digits <-chan string) (link string, done <-chan error) {
	a.t.Helper()
	side, err := pairing.NewAgentSide(pairing.AgentConfig{SignKey: a.key, AgentName: "studio", HostName: "studio.example.org", RelayURL: a.relay.url(), AppOrigin: a.relay.url(),
		ExpiresMS: now() + 600_000, Random: rand.Reader})
	if err != nil {
		a.t.Fatal(err)
	}
	boxes, inbox := side.PairBoxes(), make(chan []byte, 16)
	stop := a.link.Listen(boxes.R(abcrypto.ToAgent), boxes.W(abcrypto.ToAgent), func(b []byte) { inbox <- b })
	if err := a.link.WaitListening(a.ctx, boxes.R(abcrypto.ToAgent), boxes.W(abcrypto.ToAgent)); err != nil {
		a.t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() {
		defer stop()
		over <- a.shake(side, inbox, digits)
	}()
	return pairing.Link(a.relay.url(), side.Offer(), ""), over
}

func (a *testAgent) shake(side *pairing.AgentSide, inbox <-chan []byte, digits <-chan string) error {
	boxes := side.PairBoxes()
	send := func(b []byte) { a.link.Send(a.ctx, boxes.R(abcrypto.ToDevice), boxes.W(abcrypto.ToDevice), b) }
	var lock *pairing.Locked
	for {
		select {
		case <-a.ctx.Done():
			return a.ctx.Err()
		case b := <-inbox:
			reply, event, err := side.Receive(now(), b)
			if reply != nil {
				send(reply)
			}
			if event.Locked != nil {
				lock = event.Locked
			}
			if err != nil && !errors.Is(err, pairing.ErrIgnored) {
				return err
			}
		case typed := <-digits:
			if ok, _, err := side.Digits(typed); err != nil {
				send(side.Stop(pairing.StopWrongDigits))
				return err
			} else if ok {
				return a.bind(side, lock, send)
			}
		}
	}
}

// bind keeps the keys and repeats msg3 until the device's hello.
func (a *testAgent) bind(side *pairing.AgentSide, lock *pairing.Locked, send func([]byte)) error {
	roster, err := card.Roster{{ID: lock.Device, Name: lock.DeviceName, Platform: lock.Platform, Role: a.role, Key: [32]byte(lock.DeviceKey)}}.Marshal()
	if err != nil {
		return err
	}
	msg3, paired, err := side.Finish(now(), roster)
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.paired = paired
	a.mu.Unlock()
	a.link.Listen(paired.Boxes.R(abcrypto.ToAgent), paired.Boxes.W(abcrypto.ToAgent), a.receive)
	for {
		send(msg3)
		select {
		case <-a.ctx.Done():
			return a.ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
		if a.count(abcrypto.TypeHello) > 0 {
			return nil
		}
	}
}

func (a *testAgent) receive(sealed []byte) {
	a.mu.Lock()
	m, err := a.paired.Ratchet.OpenAgent(a.paired.Device, now(), sealed)
	if err == nil {
		a.got, a.raw = append(a.got, m), append(a.raw, sealed)
	}
	onAnswer, silent := a.onAnswer, a.silent
	a.mu.Unlock()
	switch {
	case err != nil:
	case m.Type == abcrypto.TypeHello && !silent:
		a.sendState(nil)
		a.resendCards()
	case m.Type == abcrypto.TypeAnswer && onAnswer != nil:
		onAnswer(m)
	}
}

func (a *testAgent) count(typ byte) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, m := range a.got {
		if m.Type == typ {
			n++
		}
	}
	return n
}

// send seals and sends to the device's inbox.
func (a *testAgent) send(typ byte, body []byte) []byte {
	a.mu.Lock()
	sealed, err := a.paired.Ratchet.SealAgent(a.paired.Device, now(), abcrypto.Message{Type: typ, Body: body}, rand.Reader)
	a.mu.Unlock()
	if err != nil {
		a.t.Error(err)
		return nil
	}
	a.sendRaw(sealed)
	return sealed
}

func (a *testAgent) sendRaw(sealed []byte) {
	for range 50 {
		err := a.link.Send(a.ctx, a.paired.Boxes.R(abcrypto.ToDevice), a.paired.Boxes.W(abcrypto.ToDevice), sealed)
		var unsent *relayclient.UnsentError
		if !errors.As(err, &unsent) || unsent.Reason != relay.UnsentRate {
			return
		}
		time.Sleep(100 * time.Millisecond) // the relay's limit for one box
	}
}

// answering sets what is done with an answer.
func (a *testAgent) answering(f func(abcrypto.Message)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.onAnswer = f
}

// marshaled gives a message's body.
func (a *testAgent) marshaled(m interface{ Marshal() ([]byte, error) }) []byte {
	body, err := m.Marshal()
	if err != nil {
		a.t.Error(err)
	}
	return body
}

func (a *testAgent) nextSeq() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seq++
	return a.seq
}

func (a *testAgent) sendState(change func(*card.State)) []byte {
	s := card.State{Seq: a.nextSeq(), Agent: "studio", Host: "studio.example.org", Time: now(), Protocols: []uint64{1}, Instance: a.instance}
	a.mu.Lock()
	s.Devices = []card.Device{{ID: a.paired.Device, Name: "test", Role: a.role}}
	for id := range a.open {
		s.Open = append(s.Open, id)
	}
	a.mu.Unlock()
	if change != nil {
		change(&s)
	}
	return a.send(abcrypto.TypeState, a.marshaled(s))
}

func (a *testAgent) resendCards() {
	a.mu.Lock()
	var bodies [][]byte
	for _, w := range a.open {
		bodies = append(bodies, w.Body)
	}
	a.mu.Unlock()
	for _, b := range bodies {
		a.send(abcrypto.TypeCard, b)
	}
}

// routine is a card of a plain command that is open for a minute.
func routine() card.Card {
	return card.Card{
		Kind: card.KindCall, Caller: "claude", Host: "studio.example.org", Folder: "/home/dev/project", Tool: "Bash", Input: `{"command":"git status"}`, Class: card.Routine,
		Needs: card.Needs{Via: card.NeedTap, Quorum: 1}, Made: now(), Expires: now() + 60_000, Log: card.Log{Size: 1},
	}
}

// ask sends a card and keeps it open.
func (a *testAgent) ask(c card.Card) card.Written {
	a.t.Helper()
	w, err := card.New(c, rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	a.mu.Lock()
	a.open[w.Card.Request] = w
	a.mu.Unlock()
	a.send(abcrypto.TypeCard, w.Body)
	return w
}

// judge verifies an answer as an agent does, and closes the card.
func (a *testAgent) judge(m abcrypto.Message) (card.Verified, error) {
	got, err := abcrypto.ParseAnswerMessage(m.Body)
	if err != nil {
		return card.Verified{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.open[card.RequestID(got.Answer.Request)]
	return card.VerifyAnswer(w.Asked(a.id), card.Answerer{Device: a.paired.Device, Key: a.paired.DeviceKey, Role: a.role}, m.Body)
}

// accept answers every good answer with "accepted", at the reply box first and then at the inbox, as agents do.
func (a *testAgent) accept(m abcrypto.Message) {
	v, err := a.judge(m)
	r := card.Receipt{Request: v.Request(), Answer: v.ReceiptHash(), Outcome: card.Accepted, Time: now()}
	if err != nil {
		got, parseErr := abcrypto.ParseAnswerMessage(m.Body)
		if parseErr != nil {
			return
		}
		r = card.Receipt{Request: got.Answer.Request, Answer: abcrypto.ReceiptHash(got.Raw), Outcome: card.Refused, Reason: "signature", Time: now()}
	}
	a.receipt(m, r)
}

func (a *testAgent) receipt(m abcrypto.Message, receipt card.Receipt) {
	body := a.marshaled(receipt)
	a.mu.Lock()
	sealed, err := a.paired.Ratchet.SealAgent(a.paired.Device, now(), abcrypto.Message{Type: abcrypto.TypeReceipt, Body: body}, rand.Reader)
	r, w, boxErr := a.paired.Ratchet.ReplyBox(m.Day, m.Nonce)
	a.mu.Unlock()
	if err != nil || boxErr != nil {
		a.t.Error(err, boxErr)
		return
	}
	if a.link.Send(a.ctx, r, w, sealed) != nil {
		a.sendRaw(sealed)
	}
}

func (a *testAgent) answers() [][]byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all [][]byte
	for i, m := range a.got {
		if m.Type == abcrypto.TypeAnswer {
			all = append(all, bytes.Clone(a.raw[i]))
		}
	}
	return all
}

// within gives a context that ends the test's patience.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// pair pairs a device with the agent over the relay, the person typing right.
func (a *testAgent) pair(o device.Options) device.State {
	a.t.Helper()
	digits := make(chan string, 1)
	link, done := a.pairWith(digits)
	s, err := device.Pair(within(a.t, 20*time.Second), link, device.PairOptions{Name: "test", Platform: "Go", OnDigits: func(d string) { digits <- d }}, o)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() {
		select {
		case err := <-done:
			if err != nil && !errors.Is(err, context.Canceled) {
				a.t.Error(err)
			}
		case <-time.After(5 * time.Second):
			a.t.Error("the agent's side of the pairing did not end")
		}
	})
	return s
}

// run opens the device and keeps it running until stop.
func run(t *testing.T, s device.State, o device.Options) (d *device.Device, stop func()) {
	t.Helper()
	d, err := device.Open(s, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); d.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return d, stop
}

// setUp is a relay, an agent, and a device that is paired, running and greeted.
func setUp(t *testing.T, o device.Options) (*testRelay, *testAgent, *device.Device) {
	t.Helper()
	r := newRelay(t)
	a := newAgent(t, r)
	d, _ := run(t, a.pair(o), o)
	eventually(t, "the agent's state", func() bool { _, ok := d.Agent(); return ok })
	return r, a, d
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come", what)
		}
	}
}

func mustNew(t *testing.T, c card.Card) card.Written {
	t.Helper()
	w, err := card.New(c, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// sized is a card whose log has this size.
func sized(n uint64) card.Card {
	c := routine()
	c.Log.Size = n
	return c
}

// keep makes a card an open one without sending it.
func (a *testAgent) keep(w card.Written) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[w.Card.Request] = w
}

// seal is a message as it would be sent, for a push.
func (a *testAgent) seal(typ byte, body []byte) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	sealed, err := a.paired.Ratchet.SealAgent(a.paired.Device, now(), abcrypto.Message{Type: typ, Body: body}, rand.Reader)
	if err != nil {
		a.t.Error(err)
	}
	return sealed
}

// leave stops listening until back is called.
func (a *testAgent) leave() (back func()) {
	r, w := a.paired.Boxes.R(abcrypto.ToAgent), a.paired.Boxes.W(abcrypto.ToAgent)
	a.link.Listen(r, w, a.receive)() // takes the place of the first, and ends it
	return func() {
		a.link.Listen(r, w, a.receive)
		a.link.WaitListening(a.ctx, r, w)
	}
}
