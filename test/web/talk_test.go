package web

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/relay"
)

// receive takes one message of the device: greets back, keeps answers and orders for the test to look at.
func (a *agent) receive(sealed []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m, err := a.paired.Ratchet.OpenAgent(a.paired.Device, nowMS(), sealed)
	if err != nil {
		a.t.Errorf("the device sent what does not open: %v", err)
		return
	}
	switch m.Type {
	case abcrypto.TypeHello:
		if _, err := card.ParseHello(m.Body); err != nil {
			a.t.Error(err)
		}
		a.hellos++
		if !a.deaf {
			a.greet()
		}
	case abcrypto.TypeAnswer:
		answer, err := abcrypto.ParseAnswerMessage(m.Body)
		if err == nil {
			err = answer.Verify(a.paired.DeviceKey)
		}
		if err != nil {
			a.t.Errorf("an answer is not right: %v", err)
		}
		a.answers = append(a.answers, answer)
		if a.outcome != "" {
			r := a.receipt(answer, a.outcome)
			if a.lies {
				r.Answer[0] ^= 1
			}
			a.reply(m, abcrypto.TypeReceipt, r)
		}
	case abcrypto.TypeAdmin:
		a.orders = append(a.orders, a.signed(m))
	case abcrypto.TypePush:
		target, err := card.ParsePush(a.signed(m).Body)
		if err != nil {
			a.t.Error(err)
		}
		a.targets = append(a.targets, target)
	case abcrypto.TypeSeen:
		seen, err := card.ParseSeen(m.Body)
		if err != nil {
			a.t.Error(err)
		}
		a.seen = append(a.seen, seen)
	}
}

// signed reads a message that the device signs, and holds it to its key.
func (a *agent) signed(m abcrypto.Message) abcrypto.SignedMessage {
	signed, err := abcrypto.ParseSignedMessage(m.Body)
	if err == nil {
		err = signed.Verify(a.paired.DeviceKey, a.paired.Agent, m.Type)
	}
	if err != nil {
		a.t.Errorf("a signed message is not right: %v", err)
	}
	return signed
}

// reply seals a message into the reply box of the device's, and, when nobody reads that, into the device's own, as an agent does.
func (a *agent) reply(to abcrypto.Message, typ byte, m interface{ Marshal() ([]byte, error) }) {
	body, err := m.Marshal()
	if err != nil {
		a.t.Error(err)
		return
	}
	r, w, err := a.paired.Ratchet.ReplyBox(to.Day, to.Nonce)
	if err != nil {
		a.t.Error(err)
		return
	}
	sealed, err := a.paired.Ratchet.SealAgent(a.paired.Device, nowMS(), abcrypto.Message{Type: typ, Body: body}, rand.Reader)
	if err != nil {
		a.t.Error(err)
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if a.client.Send(ctx, relay.ReaderKey(r), relay.WriterKey(w), sealed) != nil {
			a.send(a.paired.Boxes, sealed)
		}
	}()
}

// greet sends the state and every open card. The caller holds the lock.
func (a *agent) greet() {
	a.seq++
	s := card.State{Seq: a.seq, Version: "test", Protocols: []uint64{1}, Instance: [16]byte{1}, Agent: "studio", Host: "studio.example.com", Time: nowMS(),
		Devices:    []card.Device{{ID: a.paired.Device, Name: a.paired.Name, Platform: a.paired.Platform, Role: card.Approver, LastSeen: nowMS(), Paired: nowMS()}},
		RosterHash: a.roster, LockScreen: a.lock, LastPush: a.lastPush, Log: card.Log{Size: a.size}}
	for _, w := range a.open {
		s.Open = append(s.Open, w.Card.Request)
	}
	a.sayState(s)
	for _, w := range a.open {
		a.seal(abcrypto.TypeCard, w.Body)
	}
}

// sayState sends the state, with the machine's word on the push subscription where the test has one. The caller holds the lock.
func (a *agent) sayState(s card.State) {
	body, err := s.Marshal()
	if err != nil {
		a.t.Error(err)
		return
	}
	if a.health != nil {
		body = fmt.Appendf(body[:len(body)-1], `,"push":%q}`, *a.health)
	}
	a.seal(abcrypto.TypeState, body)
}

// say seals one message to the device. The caller holds the lock.
func (a *agent) say(typ byte, m interface{ Marshal() ([]byte, error) }) {
	body, err := m.Marshal()
	if err != nil {
		a.t.Error(err)
		return
	}
	a.seal(typ, body)
}

func (a *agent) seal(typ byte, body []byte) {
	sealed, err := a.paired.Ratchet.SealAgent(a.paired.Device, nowMS(), abcrypto.Message{Type: typ, Body: body}, rand.Reader)
	if err != nil {
		a.t.Error(err)
		return
	}
	go a.send(a.paired.Boxes, sealed)
}

// do runs one thing under the lock.
func (a *agent) do(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

// ask opens a call that waits for life, and sends its card unless the device is away.
func (a *agent) ask(input string, life time.Duration) card.Written {
	a.t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.size++
	return a.askAt(input, nowMS(), life, card.Log{Size: a.size, Root: [32]byte{byte(a.size)}})
}

// askAt does the same with a time and a log of its own. The caller holds the lock.
func (a *agent) askAt(input string, made uint64, life time.Duration, log card.Log) card.Written {
	a.t.Helper()
	w, err := card.New(card.Card{Kind: card.KindCall, Caller: "claude", Session: "s", Host: "studio.example.com", Folder: "/home/dev/project", Tool: "Bash",
		Input: input, Class: card.Routine, Needs: card.Needs{Via: card.NeedTap, Quorum: 1}, Made: made, Expires: made + uint64(life.Milliseconds()),
		RosterHash: a.roster, Log: log, Human: "you@example.com"}, rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	a.open = append(a.open, w)
	a.seal(abcrypto.TypeCard, w.Body)
	return w
}

// receipt says what became of an answer.
func (a *agent) receipt(answer abcrypto.AnswerMessage, outcome card.Outcome) card.Receipt {
	return card.Receipt{Request: card.RequestID(answer.Answer.Request), Answer: abcrypto.ReceiptHash(answer.Raw), Outcome: outcome, Time: nowMS()}
}

// waitAnswers waits until the device has sent n answers, copies included.
func (a *agent) waitAnswers(n int) []abcrypto.AnswerMessage {
	a.t.Helper()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		a.mu.Lock()
		got := append([]abcrypto.AnswerMessage(nil), a.answers...)
		a.mu.Unlock()
		if len(got) >= n {
			return got
		}
	}
	a.t.Fatalf("%d answers did not come", n)
	return nil
}

// id is a request id as the page knows it.
func id(w card.Written) string { return w.Card.Request.String() }

// progress is an expression for where a card of the page stands.
func progress(w card.Written) string {
	return fmt.Sprintf(`core.waiting().find((w) => w.card.request_id === %q)?.progress`, id(w))
}

// untilAt waits until a card of the page stands at one of the given points.
func untilAt(at string, w card.Written) string {
	return fmt.Sprintf(`until(() => %s, (p) => p?.at === %q)`, progress(w), at)
}

// answer is an expression that answers a card on the page's first machine.
func answerWith(w card.Written, decision, extra string) string {
	return fmt.Sprintf(`core.answer(core.machines()[0].id, %q, %q, %s).then(() => true)`, id(w), decision, extra)
}
