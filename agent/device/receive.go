package device

import (
	"errors"
	"fmt"
	"slices"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
)

// Refusals of messages that the agent sealed. Each is an Event's Problem.
var (
	ErrTwoCards = errors.New("one request id came with two different cards; the second was not shown")
	ErrOld      = errors.New("a message came again or out of order; it was ignored")
	ErrVersion  = errors.New("the agent speaks no version that this device does; update the older of the two")
)

// settleLag is by how much a state must be younger than a card before the card's absence in it says that the card has ended: the state
// may have been written before the card was, and travelled behind it. In ms.
const settleLag = 2000

// Receive takes one sealed message. Run calls it for what comes over the socket; a push brings one by another way. Whatever does not
// open is nobody's, and is ignored.
func (d *Device) Receive(sealed []byte) {
	d.mu.Lock()
	events, err := d.open(sealed)
	d.broadcast()
	d.mu.Unlock()
	if err != nil {
		d.opt.Log.Debug("a message was ignored", "err", err)
	}
	for _, e := range events {
		d.opt.OnEvent(e)
	}
}

// open is called under the lock.
func (d *Device) open(sealed []byte) ([]Event, error) {
	m, err := d.state.Ratchet.OpenDevice(d.state.Device, sealed)
	if err != nil {
		return nil, err
	}
	events, err := d.take(m)
	if saveErr := d.save(); saveErr != nil {
		err = errors.Join(err, saveErr)
	}
	if err != nil {
		events = append(events, Event{Problem: err})
	}
	return events, err
}

func (d *Device) take(m abcrypto.Message) ([]Event, error) {
	switch m.Type {
	case abcrypto.TypeCard:
		return d.takeCard(m.Body)
	case abcrypto.TypeReceipt:
		return d.takeReceipt(m.Body)
	case abcrypto.TypeSettled:
		return d.takeSettled(m.Body)
	case abcrypto.TypeState:
		return d.takeState(m.Body)
	case abcrypto.TypePointer:
		p, err := card.ParsePointer(m.Body)
		if err != nil {
			return nil, err
		}
		return []Event{{Pointer: &p}}, nil
	case abcrypto.TypePage:
		p, err := card.ParsePage(m.Body)
		if err != nil {
			return nil, err
		}
		return []Event{{Page: &p}}, nil
	}
	return nil, fmt.Errorf("device: receive: message type %d is unknown", m.Type)
}

// takeCard keeps a new card. The agent sends open ones again whenever it is asked, so the same bytes again are nothing new; the same id
// with other bytes is refused, for good.
func (d *Device) takeCard(body []byte) ([]Event, error) {
	c, err := card.ParseCard(body)
	if err != nil {
		return nil, err
	}
	digest := card.Digest(body)
	before, known := d.state.memory.seen[c.Request]
	if known && before.digest != ([32]byte{}) && before.digest != digest {
		return nil, fmt.Errorf("device: receive card %s: %w", c.Request, ErrTwoCards)
	}
	if d.cards[c.Request] != nil {
		return nil, nil
	}
	d.clock.learn(c.Made)
	h := &held{card: c, body: body, digest: digest, logCut: before.logCut, again: before.ended}
	if !known {
		h.logCut = !d.state.memory.follows(&c)
	}
	d.state.memory.note(c.Request, seen{digest: digest, until: c.Expires, ended: before.ended, logCut: h.logCut})
	d.cards[c.Request] = h
	v := d.view(h)
	return []Event{{Card: &v}}, nil
}

// takeReceipt counts only for an answer of ours, and only if it names the very bytes that were sent.
func (d *Device) takeReceipt(body []byte) ([]Event, error) {
	r, err := card.ParseReceipt(body)
	if err != nil {
		return nil, err
	}
	sent := d.state.memory.outbox[r.Request]
	if sent == nil || sent.hash != r.Answer {
		return nil, nil // of another device, another call, or an answer that was never given
	}
	d.clock.learn(r.Time)
	if sent.receipt != nil && sent.receipt.Outcome != card.Counted {
		return nil, nil
	}
	sent.receipt = &r
	if r.Outcome != card.Counted {
		d.state.memory.end(r.Request, r.Time)
	}
	return d.ended(r.Request), nil
}

// next takes the sequence number of a state or settled, once and upwards.
func (d *Device) next(seq uint64) error {
	if seq <= d.state.SeqIn {
		return fmt.Errorf("device: receive: %w", ErrOld)
	}
	d.state.SeqIn = seq
	return nil
}

func (d *Device) takeSettled(body []byte) ([]Event, error) {
	s, err := card.ParseSettled(body)
	if err == nil {
		err = d.next(s.Seq)
	}
	if err != nil {
		return nil, err
	}
	d.clock.learn(s.Time)
	return d.settle(s), nil
}

func (d *Device) settle(s card.Settled) []Event {
	d.state.memory.end(s.Request, s.Time)
	h := d.cards[s.Request]
	if h == nil || h.settled != nil {
		return nil
	}
	h.settled = &s
	return d.ended(s.Request)
}

func (d *Device) ended(id card.RequestID) []Event {
	h := d.cards[id]
	if h == nil {
		return nil
	}
	v := d.view(h)
	return []Event{{Ended: &v}}
}

func (d *Device) takeState(body []byte) ([]Event, error) {
	s, err := card.ParseState(body)
	if err == nil {
		err = d.next(s.Seq)
	}
	if err != nil {
		return nil, err
	}
	restarted := d.agent != nil && d.agent.Instance != s.Instance
	d.agent = &s
	if d.hailed == d.epoch {
		d.greeted = d.epoch
	}
	d.clock.set(s.Time)
	d.state.memory.forget(s.Time)
	events := []Event{{State: &s}}
	if !slices.Contains(s.Protocols, Protocol) {
		events = append(events, Event{Problem: ErrVersion})
	}
	return append(events, d.sweep(s, restarted)...), nil
}

// sweep ends the cards that the agent does not know any more. Pending calls live in its memory only, so a new start ends all that are
// older. Cards that ended long ago go.
func (d *Device) sweep(s card.State, restarted bool) []Event {
	var events []Event
	for id, h := range d.cards {
		gone := !slices.Contains(s.Open, id) && (restarted || s.Time > h.card.Made+settleLag)
		if gone && h.settled == nil && !d.receipted(id) {
			events = append(events, d.settle(card.Settled{Seq: s.Seq, Request: id, Outcome: card.EndWithdrawn, Time: s.Time})...)
		}
		if s.Time > h.card.Expires+keepSeen {
			delete(d.cards, id)
		}
	}
	return events
}

func (d *Device) receipted(id card.RequestID) bool {
	r := d.state.memory.outbox[id]
	return r != nil && r.receipt != nil
}
