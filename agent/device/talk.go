package device

import (
	"context"
	"errors"
	"fmt"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
)

// greet says hello whenever the link has come up, until the agent's state is here. Each hello is sealed anew.
func (d *Device) greet(ctx context.Context) {
	for pause := firstPause; ctx.Err() == nil; {
		d.mu.Lock()
		due, epoch := d.greeted != d.epoch, d.epoch
		d.mu.Unlock()
		if !due {
			pause = firstPause
			d.until(ctx, nil, func() bool { return d.greeted != d.epoch })
			continue
		}
		d.greetOnce(ctx, epoch)
		d.pause(ctx, pause, func() bool { return d.greeted == epoch })
		pause = min(max(2*pause, time.Second), maxPause)
	}
}

// greetOnce says one hello. Only a state that comes after it counts as its answer: one that the agent sent of its own accord says nothing
// of the cards that were missed.
func (d *Device) greetOnce(ctx context.Context, epoch int) {
	d.mu.Lock()
	d.hailed = epoch
	d.mu.Unlock()
	err := d.hello(ctx)
	if err == nil {
		return
	}
	d.opt.Log.Debug("the hello was not delivered", "err", err)
	d.mu.Lock()
	d.hailed, d.greeted = 0, min(d.greeted, epoch-1)
	d.mu.Unlock()
}

func (d *Device) hello(ctx context.Context) error {
	body, err := card.Hello{App: d.opt.App, Protocols: []uint64{Protocol}, Visible: !d.opt.Hidden}.Marshal()
	if err != nil {
		return err
	}
	return d.say(ctx, abcrypto.TypeHello, body)
}

// tellSeen tells the agent of each card that has come.
func (d *Device) tellSeen(ctx context.Context) {
	for {
		var id card.RequestID
		if d.until(ctx, nil, func() bool { return d.untold(&id) }) != nil {
			return
		}
		body, err := card.Seen{Request: id, Visible: !d.opt.Hidden}.Marshal()
		if err == nil {
			err = d.say(ctx, abcrypto.TypeSeen, body)
		}
		if err != nil {
			d.opt.Log.Debug("the agent was not told that a card is here", "err", err)
		}
	}
}

// untold finds a card of which the agent has not been told, once. It is called under the lock.
func (d *Device) untold(id *card.RequestID) bool {
	for found, h := range d.cards {
		if !h.told {
			h.told, *id = true, found
			return true
		}
	}
	return false
}

// say seals one message and sends it once. nil: it is in a live reader's socket.
func (d *Device) say(ctx context.Context, typ byte, body []byte) error {
	d.mu.Lock()
	sealed, err := d.seal(typ, body)
	d.mu.Unlock()
	if err != nil {
		return err
	}
	return d.send(ctx, sealed)
}

// Hello says hello again, now: the agent answers with its state and every open card.
func (d *Device) Hello(ctx context.Context) error {
	if err := d.hello(ctx); err != nil {
		return fmt.Errorf("device: say hello: %w", err)
	}
	return nil
}

// Fetch asks for one card, which a push has pointed to.
func (d *Device) Fetch(ctx context.Context, id card.RequestID) error {
	body, err := card.Fetch{Request: id}.Marshal()
	if err == nil {
		err = d.say(ctx, abcrypto.TypeFetch, body)
	}
	if err != nil {
		return fmt.Errorf("device: fetch %s: %w", id, err)
	}
	return nil
}

// Admin orders something of the agent, signed; Options.Key is asked for the key with no decision. It sends the same bytes until they were delivered; what became of them shows in the
// agent's next state. When ctx ends first, the error wraps ErrNotDelivered or ErrNoReceipt.
func (d *Device) Admin(ctx context.Context, order card.Admin) error {
	body, err := order.Marshal()
	if err == nil {
		err = d.signed(ctx, abcrypto.TypeAdmin, body)
	}
	if err != nil {
		return fmt.Errorf("device: admin %s: %w", order.Action, err)
	}
	return nil
}

// Push gives the agent a new push subscription, signed, or takes it back.
func (d *Device) Push(ctx context.Context, p card.Push) error {
	body, err := p.Marshal()
	if err == nil {
		err = d.signed(ctx, abcrypto.TypePush, body)
	}
	if err != nil {
		return fmt.Errorf("device: push subscription: %w", err)
	}
	return nil
}

func (d *Device) signed(ctx context.Context, typ byte, body []byte) error {
	key, err := d.key(0)
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.state.SeqOut++
	m, err := abcrypto.SignMessage(key, d.state.Agent, d.state.Device, typ, d.state.SeqOut, body)
	if err == nil {
		err = d.save() // before it is sent: a number must not be used for two messages
	}
	var sealed []byte
	if err == nil {
		sealed, err = d.seal(typ, m.Bytes())
	}
	d.mu.Unlock()
	if err != nil {
		return err
	}
	return d.insist(ctx, sealed)
}

// insist sends the same bytes until they are in the agent's socket.
func (d *Device) insist(ctx context.Context, sealed []byte) error {
	maybe := false
	for pause := firstPause; ; pause = min(max(2*pause, time.Second), maxPause) {
		err := d.send(ctx, sealed)
		if err == nil {
			return nil
		}
		maybe = maybe || !surelyUnsent(err)
		if d.pause(ctx, pause, func() bool { return false }) == nil {
			continue
		}
		if maybe {
			return errors.Join(ErrNoReceipt, ctx.Err())
		}
		return errors.Join(ErrNotDelivered, err, ctx.Err())
	}
}
