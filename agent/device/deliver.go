package device

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/relay"
	"answerback/relay/relayclient"
)

// Times between two sendings of the same bytes: 100 ms, then 1, 2, 4 .. 15 s, of which the second half is random.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 15 * time.Second
)

// postWait is how long a POST waits for the receipt.
const postWait = 10 * time.Second

// deliver sends the kept bytes of one answer until its receipt is here.
func (d *Device) deliver(ctx context.Context, id card.RequestID) (card.Receipt, error) {
	maybe := false // the agent may have it
	var last error
	for pause := firstPause; ; pause = min(max(2*pause, time.Second), maxPause) {
		if r, ok := d.receiptOf(id); ok {
			return r, nil
		}
		last = d.sendReply(ctx, id)
		maybe = maybe || !surelyUnsent(last)
		if d.pause(ctx, pause, func() bool { _, ok := d.receipt(id); return ok }) != nil {
			break
		}
	}
	if r, ok := d.receiptOf(id); ok {
		return r, nil
	}
	if maybe {
		return card.Receipt{}, errors.Join(ErrNoReceipt, ctx.Err())
	}
	return card.Receipt{}, errors.Join(ErrNotDelivered, last, ctx.Err())
}

// pause waits for done, a time with jitter, a link that comes up, or the end of ctx, which alone is an error.
func (d *Device) pause(ctx context.Context, wait time.Duration, done func() bool) error {
	timer := time.NewTimer(wait/2 + rand.N(wait/2+1))
	defer timer.Stop()
	first := true
	var epoch int
	return d.until(ctx, timer.C, func() bool {
		if first {
			epoch, first = d.epoch, false
		}
		return done() || d.epoch != epoch
	})
}

func (d *Device) receiptOf(id card.RequestID) (card.Receipt, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.receipt(id)
}

// receipt is called under the lock.
func (d *Device) receipt(id card.RequestID) (card.Receipt, bool) {
	r := d.state.memory.outbox[id]
	if r == nil || r.receipt == nil {
		return card.Receipt{}, false
	}
	return *r.receipt, true
}

// errAmbiguous marks a sending of which nobody can say whether it arrived.
var errAmbiguous = errors.New("the link broke while the message was on its way")

// surelyUnsent reports whether the bytes cannot have reached the agent. Every doubt is a no.
func surelyUnsent(err error) bool {
	var unsent *relayclient.UnsentError
	switch {
	case err == nil, errors.Is(err, errAmbiguous), errors.Is(err, relayclient.ErrNoReply):
		return false
	case errors.As(err, &unsent):
		return unsent.Reason != relay.UnsentTimeout
	case errors.Is(err, relayclient.ErrOffline):
		return true
	}
	var refused *relayclient.RefusedError
	return errors.As(err, &refused) || dialFailed(err)
}

func (d *Device) sendReply(ctx context.Context, id card.RequestID) error {
	d.mu.Lock()
	r := d.state.memory.outbox[id]
	d.mu.Unlock()
	if r == nil {
		return ErrNoCard // forgotten meanwhile
	}
	if d.opt.Post {
		return d.post(ctx, r.sealed)
	}
	return d.send(ctx, r.sealed)
}

// send writes to the agent's mailbox over the socket. nil: it is in a live reader's socket.
func (d *Device) send(ctx context.Context, sealed []byte) error {
	up := d.link.Connected()
	r, w := d.outbox()
	err := d.link.Send(ctx, r, w, sealed)
	var unsent *relayclient.UnsentError
	if err != nil && up && !errors.As(err, &unsent) {
		return errors.Join(errAmbiguous, err)
	}
	return err
}

// post sends by POST and takes what comes into the message's own reply box.
func (d *Device) post(ctx context.Context, sealed []byte) error {
	r, w := d.outbox()
	send := relay.Send{Tag: 1, HR: relay.HashR(r), W: w, Payload: sealed}
	reply, wait := d.replyBox(sealed)
	got, err := relayclient.Post(ctx, d.http, d.state.Relay, reply, send, wait)
	if len(got) > 0 {
		d.Receive(got)
	}
	return err
}

// replyBox is the one-shot mailbox of this message, and how long to wait at it. Where its day's keys are gone there is none; the receipt then
// comes to the inbox.
func (d *Device) replyBox(sealed []byte) (relay.Listen, time.Duration) {
	day, nonce, err := abcrypto.Header(sealed)
	if err != nil {
		return relay.Listen{}, 0
	}
	d.mu.Lock()
	r, w, err := d.state.Ratchet.ReplyBox(day, nonce)
	d.mu.Unlock()
	if err != nil {
		return relay.Listen{}, 0
	}
	return relay.Listen{R: r, HW: relay.HashW(w)}, postWait
}
