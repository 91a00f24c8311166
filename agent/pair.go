package agent

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	"answerback/agent/internal/passkey"
	abcrypto "answerback/crypto"
	"answerback/pairing"
	"answerback/relay"
)

// codeLife is how long a pairing code is good for.
const codeLife = 10 * time.Minute

// pairingSlot lets one pairing at a time go on: a person can tell whose digits they type.
type pairingSlot struct {
	mu   sync.Mutex
	busy bool
}

func (s *pairingSlot) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy {
		return false
	}
	s.busy = true
	return true
}

func (s *pairingSlot) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = false
}

// talk is the person's side of a pairing: what they see, and the digits that they type.
type talk struct {
	say   func(control.PairEvent)
	input <-chan control.PairInput // closed when the terminal is gone
}

// maxDevices is how many devices can be paired: each has a mailbox on the one socket to the relay, and so has a code; and while a new device
// has not spoken yet, its code is still listened for beside it.
const maxDevices = relay.MaxBoxes - 2

// pairNow runs one pairing from the code to the device's first hello. It returns a sentence for the person.
func (a *Agent) pairNow(ctx context.Context, t talk) error {
	if len(a.allPeers()) >= maxDevices {
		return fmt.Errorf("%d devices are paired, and the relay takes no more; revoke one first: answerback devices", maxDevices)
	}
	if !a.pairing.take() {
		return errors.New("another pairing is going on; finish it, or end it with Ctrl-C there")
	}
	defer a.pairing.give()
	ctx, cancel := context.WithTimeout(ctx, codeLife)
	defer cancel()
	p, err := a.newPairing(t)
	if err != nil {
		return err
	}
	defer p.unlisten()
	return p.run(ctx)
}

// pairingRun is one code: its state machine, its mailboxes, and what came through them.
type pairingRun struct {
	a        *Agent
	t        talk
	side     *pairing.AgentSide
	boxes    pairing.Boxes
	inbox    chan []byte
	lock     *pairing.Locked // the device that came first
	passkey  *passkey.Credential
	said     map[[32]byte]time.Time // replies, of which there are at most three
	unlisten func()
	expires  time.Time
}

func (a *Agent) newPairing(t talk) (*pairingRun, error) {
	expires := time.Now().Add(codeLife)
	side, err := pairing.NewAgentSide(pairing.AgentConfig{SignKey: a.key, AgentName: a.opts.Name, HostName: a.opts.Host, RelayURL: a.opts.RelayURL,
		AppOrigin: a.opts.AppOrigin, ExpiresMS: uint64(expires.UnixMilli()), Random: rand.Reader})
	if err != nil {
		return nil, err
	}
	p := &pairingRun{a: a, t: t, side: side, boxes: side.PairBoxes(), inbox: make(chan []byte, 64), said: map[[32]byte]time.Time{}, expires: expires}
	p.unlisten = a.link.Listen(p.boxes.R(abcrypto.ToAgent), p.boxes.W(abcrypto.ToAgent), func(b []byte) {
		select {
		case p.inbox <- b:
		default: // more than a device ever sends: junk
		}
	})
	unlisten := p.unlisten
	unadmit := a.link.Admit(relay.BoxFor(p.boxes.R(abcrypto.ToDevice), p.boxes.W(abcrypto.ToDevice)))
	p.unlisten = func() { unlisten(); unadmit() }
	return p, nil
}

// run is the whole conversation: code, lock, digits, admission, keys.
func (p *pairingRun) run(ctx context.Context) error {
	err := p.attended(ctx, func(ctx context.Context) error {
		return p.a.link.WaitListening(ctx, p.boxes.R(abcrypto.ToAgent), p.boxes.W(abcrypto.ToAgent))
	})
	switch {
	case errors.Is(err, errCancelled):
		return err
	case err != nil:
		return fmt.Errorf("the relay %s cannot be reached, so no device could find this code; look at: answerback doctor", p.a.opts.RelayURL)
	}
	p.t.say(p.code())
	if err := p.untilDigits(ctx); err != nil {
		return p.stopped(ctx, err)
	}
	if err := p.admitted(ctx); err != nil {
		return p.stopped(ctx, err)
	}
	return p.finish(ctx)
}

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

// code is the offer as the person sees it.
func (p *pairingRun) code() control.PairEvent {
	offer, relayHost := p.side.Offer(), ""
	if p.a.opts.RelayURL != p.a.opts.AppOrigin {
		relayHost = hostOf(p.a.opts.RelayURL)
	}
	return control.PairEvent{Event: "code", Link: pairing.Link(p.a.opts.AppOrigin, offer, relayHost), QR: pairing.LinkQR(p.a.opts.AppOrigin, offer, relayHost),
		Loopback: loopback(p.a.opts.RelayURL) || !isHTTPS(p.a.opts.AppOrigin), Expires: p.expires.UnixMilli()}
}

// Ends of a pairing, each with the reason byte that tells the device.
var (
	errCancelled    = errors.New("cancelled; the code is used up and nothing was paired")
	errOld          = errors.New("the code is too old: codes live for ten minutes; run it again: answerback pair")
	errRefused      = errors.New("a paired device refused it; the code is used up and nothing was paired")
	errDigits       = errors.New("the digits were wrong three times; the code is used up and nothing was paired. run it again: answerback pair")
	errTwo          = errors.New("this code was used by two devices, so one of them is not yours; nothing was paired. run it again, out of sight of others: answerback pair")
	errNobodyAdmits = errors.New("no paired device is left that could allow a new one; to start anew, stop the agent and move its state folder away")
	errRefusedHere  = errors.New("it was refused at this machine; the code is used up and nothing was paired")
	errUnasked      = errors.New("no paired device allowed it in time; the code is used up and nothing was paired")
)

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

// stopped tells the device why nothing was paired.
func (p *pairingRun) stopped(ctx context.Context, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	p.send(ctx, p.side.Stop(stopReason(why)))
	return why
}

func stopReason(why error) pairing.Reason {
	switch {
	case errors.Is(why, errCancelled):
		return pairing.StopCancelled
	case errors.Is(why, errOld):
		return pairing.StopExpired
	case errors.Is(why, errRefused), errors.Is(why, errRefusedHere), errors.Is(why, errUnasked), errors.Is(why, errNobodyAdmits):
		return pairing.StopRefused
	case errors.Is(why, errDigits):
		return pairing.StopWrongDigits
	case errors.Is(why, errTwo):
		return pairing.StopTwoDevices
	}
	return pairing.StopBadMessage
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

func isHTTPS(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "https"
}
