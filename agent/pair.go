package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

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
