package agent

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	abcrypto "answerback/crypto"
	"answerback/pairing"
)

// attended does what takes time, while the person may give up and devices may speak; either can end it early, with the reason.
func (p *pairingRun) attended(ctx context.Context, do func(context.Context) error) error {
	ctx, end := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { p.watch(ctx, end) })
	err := do(ctx)
	end(errDone)
	watching.Wait() // the state machine is one goroutine's
	if why := context.Cause(ctx); !errors.Is(why, errDone) {
		return why
	}
	return err
}

// errDone is no fault: what was attended has come to its own end.
var errDone = errors.New("done")

func (p *pairingRun) watch(ctx context.Context, end context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case in, ok := <-p.t.input:
			if !ok || in.Cancel {
				end(errCancelled)
				return
			}
		case b := <-p.inbox:
			if err := p.step(ctx, b); err != nil {
				end(err)
				return
			}
		}
	}
}

// untilDigits answers the device's messages until the person has typed its six digits right.
func (p *pairingRun) untilDigits(ctx context.Context) error {
	input := p.t.input
	for {
		select {
		case <-ctx.Done():
			return errOld
		case b := <-p.inbox:
			if err := p.step(ctx, b); err != nil {
				return err
			}
		case in, ok := <-input:
			if !ok || in.Cancel {
				return errCancelled
			}
			right, err := p.digits(in.Digits)
			if err != nil {
				return err
			}
			if right {
				return p.heard(ctx)
			}
		}
	}
}

// heard takes what has come before the digits were right: a second device's message may be among it.
func (p *pairingRun) heard(ctx context.Context) error {
	for {
		select {
		case b := <-p.inbox:
			if err := p.step(ctx, b); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// digits checks what the person typed. What is not six digits, or came too early, costs no try.
func (p *pairingRun) digits(typed string) (right bool, err error) {
	if nowMS() >= uint64(p.expires.UnixMilli()) { // the other clock stops in sleep
		return false, errOld
	}
	right, left, err := p.side.Digits(typed)
	switch {
	case errors.Is(err, pairing.ErrOrder):
		p.t.say(control.PairEvent{Event: "early"})
	case errors.Is(err, pairing.ErrSixDigits):
		p.t.say(control.PairEvent{Event: "not_six"})
	case err != nil:
		return false, errDigits
	case !right:
		p.t.say(control.PairEvent{Event: "wrong", Left: left})
	}
	return right, nil
}

// step gives one message of the pairing mailbox to the state machine and sends its reply.
func (p *pairingRun) step(ctx context.Context, b []byte) error {
	reply, event, err := p.side.Receive(nowMS(), b)
	if reply != nil && p.due(reply, time.Now()) {
		p.send(ctx, reply)
	}
	if errors.Is(err, pairing.ErrIgnored) || errors.Is(err, pairing.ErrVersion) {
		return nil
	}
	if event.Locked != nil {
		p.lock = event.Locked
		if p.passkey, err = p.a.newPasskey(p.lock.Passkey); err != nil {
			return err
		}
		p.t.say(control.PairEvent{Event: "locked", Name: card.Visible(event.Locked.DeviceName), Platform: card.Visible(event.Locked.Platform)})
	}
	switch {
	case errors.Is(err, pairing.ErrTwoDevices):
		return errTwo
	case errors.Is(err, pairing.ErrExpired):
		return errOld
	}
	return err
}

// sayAgain is the least time between two sendings of one reply: a device asks again after a second, and whoever has kept its message could use
// up what the relay lets us send.
const sayAgain = 300 * time.Millisecond

func (p *pairingRun) due(reply []byte, now time.Time) bool {
	key := sha256.Sum256(reply)
	if now.Sub(p.said[key]) < sayAgain {
		return false
	}
	p.said[key] = now
	return true
}

// send writes to the device's pairing mailbox; a device that misses it sends its own message again.
func (p *pairingRun) send(ctx context.Context, b []byte) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if err := p.a.link.Send(ctx, p.boxes.R(abcrypto.ToDevice), p.boxes.W(abcrypto.ToDevice), b); err != nil {
		p.a.log.Debug("a pairing message was not delivered", "why", err)
	}
}
