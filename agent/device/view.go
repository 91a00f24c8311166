package device

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
)

// held is one card that is here. It is guarded by the device's lock.
type held struct {
	card    card.Card
	body    []byte
	digest  [32]byte
	logCut  bool
	told    bool // the agent was told that it is here
	again   bool // it was answered or ended before this device started
	settled *card.Settled
}

// View is one card as it can be shown now.
type View struct {
	Card    card.Card
	Body    []byte   // as it came: what Digest is over
	Digest  [32]byte // what an answer signs
	NoAllow card.NoAllow
	Left    time.Duration // until the end by the agent's clock; below 0 after it
	Decided abcrypto.Decision
	Receipt *card.Receipt // of this device's answer; nil until one came that names its bytes
	Settled *card.Settled // how it ended without this device
}

// Open reports whether the card still waits for a person.
func (v View) Open() bool {
	return v.Decided == 0 && v.Settled == nil && v.NoAllow != card.Already && v.NoAllow != card.Expired
}

// Cards are the cards that are here, the nearest end first.
func (d *Device) Cards() []View {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]View, 0, len(d.cards))
	for _, h := range d.cards {
		all = append(all, d.view(h))
	}
	slices.SortFunc(all, func(a, b View) int {
		return cmp.Or(cmp.Compare(a.Card.Expires, b.Card.Expires), bytes.Compare(a.Card.Request[:], b.Card.Request[:]))
	})
	return all
}

// Card is one card that is here.
func (d *Device) Card(id card.RequestID) (View, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.cards[id]
	if h == nil {
		return View{}, false
	}
	return d.view(h), true
}

// WaitCard waits until a card is here that match accepts; nil accepts every open one.
func (d *Device) WaitCard(ctx context.Context, match func(View) bool) (View, error) {
	if match == nil {
		match = View.Open
	}
	var found View
	err := d.until(ctx, nil, func() bool {
		for _, h := range d.cards {
			if found = d.view(h); match(found) {
				return true
			}
		}
		return false
	})
	return found, err
}

// view is called under the lock.
func (d *Device) view(h *held) View {
	v := View{
		Card: h.card, Body: h.body, Digest: h.digest, Settled: h.settled, NoAllow: d.noAllow(h),
		Left: time.Duration(int64(h.card.Expires)-int64(d.clock.time())) * time.Millisecond,
	}
	if r := d.state.memory.outbox[h.card.Request]; r != nil {
		v.Decided, v.Receipt = r.decision, r.receipt
	}
	return v
}

// noAllow is called under the lock. What can never change comes first.
func (d *Device) noAllow(h *held) card.NoAllow {
	if h.again || h.settled != nil || d.state.memory.outbox[h.card.Request] != nil {
		return card.Already
	}
	if own := h.card.NoAllow(); own != card.Offered {
		return own
	}
	role, listed := d.role()
	switch {
	case h.logCut:
		return card.LogCut
	case !listed:
		return card.NotListed
	case role != card.Approver:
		return card.Watching
	case d.clock.time() >= h.card.Expires:
		return card.Expired
	}
	return card.Offered
}

// role is this device's, by the agent's newest state, or before the first by the roster of the pairing. It is called under the lock.
func (d *Device) role() (role card.Role, listed bool) {
	if d.agent == nil {
		role = d.state.role()
		return role, role != ""
	}
	for _, other := range d.agent.Devices {
		if other.ID == d.state.Device {
			return other.Role, true
		}
	}
	return "", false
}
