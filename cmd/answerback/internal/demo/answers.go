package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"answerback/agent/card"
	"answerback/agent/device"
	abcrypto "answerback/crypto"
)

func allow(ctx context.Context, w *world, t *trip) error {
	a, v, err := w.carded(ctx, t, newCall("echo hello from answerback"))
	if err == nil {
		err = w.answer(ctx, t, v, device.Reply{Decision: abcrypto.Allow}, card.Accepted)
	}
	if err != nil {
		return err
	}
	return a.prints(ctx, t, allowed)
}

func denyWithWords(ctx context.Context, w *world, t *trip) error {
	const words = "wait for the backup"
	a, v, err := w.carded(ctx, t, newCall("rm -rf build"))
	if err == nil {
		err = w.answer(ctx, t, v, device.Reply{Decision: abcrypto.Deny, Words: words}, card.Accepted)
	}
	if err != nil {
		return err
	}
	return a.denies(ctx, t, words)
}

// briefly is a wait that a person watching can sit through.
const briefly = time.Second

func silence(ctx context.Context, w *world, t *trip) error {
	c := newCall("echo nobody is here")
	c.Wait = briefly
	a, v, err := w.carded(ctx, t, c)
	if err == nil {
		err = a.prints(ctx, t, nothing)
	}
	if err != nil {
		return err
	}
	return w.endsAs(ctx, t, v.Card.Request, card.EndExpired)
}

// endsAs waits for the card's end on the device.
func (w *world) endsAs(ctx context.Context, t *trip, id card.RequestID, want card.End) error {
	v, err := w.device.WaitCard(ctx, func(v device.View) bool { return v.Card.Request == id && v.Settled != nil })
	if err != nil {
		return fmt.Errorf("the card did not end on the device: %w", err)
	}
	t.hop("card " + string(v.Settled.Outcome))
	if v.Settled.Outcome != want {
		return fmt.Errorf("the card ended as %s, not %s", v.Settled.Outcome, want)
	}
	return nil
}

// lateAnswer: the phone is in a tunnel when its person taps, and comes out after the deadline.
func lateAnswer(ctx context.Context, w *world, t *trip) error {
	c := newCall("echo too late")
	c.Wait = briefly
	a, v, err := w.carded(ctx, t, c)
	if err != nil {
		return err
	}
	w.offline()
	sent := w.answering(ctx, v, abcrypto.Allow)
	err = a.prints(ctx, t, nothing)
	w.online()
	if err != nil {
		return err
	}
	return sent.says(ctx, t, card.TooLate)
}

// pendingAnswer is an answer that the device goes on sending.
type pendingAnswer struct {
	done    chan struct{}
	receipt card.Receipt
	err     error
}

// answering lets the device answer beside what else happens.
func (w *world) answering(ctx context.Context, v device.View, d abcrypto.Decision) *pendingAnswer {
	p := &pendingAnswer{done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.receipt, p.err = w.device.Answer(ctx, v.Card.Request, device.Reply{Decision: d, Via: abcrypto.ViaApp})
	}()
	return p
}

// says waits for the receipt.
func (p *pendingAnswer) says(ctx context.Context, t *trip, want card.Outcome) error {
	select {
	case <-p.done:
	case <-ctx.Done():
		return errors.New("no receipt came for the answer")
	}
	if p.err != nil {
		return p.err
	}
	t.hop("receipt " + string(p.receipt.Outcome))
	return outcome(p.receipt, want)
}
