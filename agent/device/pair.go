package device

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	abcrypto "answerback/crypto"
	"answerback/pairing"
	"answerback/relay/relayclient"
)

// The ends of a pairing that this side brings about. Those of the handshake are package pairing's.
var (
	ErrDeclined    = errors.New("pairing was declined here; nothing was paired")
	ErrUnreachable = errors.New("no agent answered for this code: the code is too old, or its machine or the relay is out of reach. run answerback pair again")
)

// PairOptions say what a device tells of itself, and how it asks its person.
type PairOptions struct {
	Name     string // this device's, 1 to 64 bytes
	Platform string
	Push     pairing.PushSubscription
	Passkey  pairing.Passkey
	// SignKey is made for this pairing, and for no other. Nil: one is drawn from Options.Random.
	SignKey ed25519.PrivateKey
	// OnConfirm asks whether to pair with what the bundle names. Nil: yes.
	OnConfirm func(pairing.Bundle) bool
	// OnDigits shows the six digits that the person types at the machine.
	OnDigits func(digits string)
}

// pairRetry is the time between two sendings of the same pairing message.
const pairRetry = time.Second

// Pair runs the device's side of one pairing, from the link to the end of the handshake, and returns the state to keep. Keep it before
// Open and Run: the agent counts the device as paired with the first hello that opens.
// Errors: ErrDeclined, ErrUnreachable, those of package pairing, and ctx's.
func Pair(ctx context.Context, link string, p PairOptions, o Options) (State, error) {
	s, err := pair(ctx, link, p, o.withDefaults())
	if err != nil {
		return State{}, fmt.Errorf("device: pair: %w", err)
	}
	return s, nil
}

func pair(ctx context.Context, link string, p PairOptions, o Options) (State, error) {
	app, offer, relayHost, err := pairing.ParseLink(link)
	if err != nil {
		return State{}, err
	}
	if p.SignKey == nil {
		if _, p.SignKey, err = ed25519.GenerateKey(o.Random); err != nil {
			return State{}, err
		}
	}
	side, err := pairing.NewDeviceSide(pairing.DeviceConfig{
		Offer: offer, SignKey: p.SignKey, DeviceName: p.Name, Platform: p.Platform, Push: p.Push, Passkey: p.Passkey, Random: o.Random,
	})
	if err != nil {
		return State{}, err
	}
	h := &handshake{side: side, boxes: side.PairBoxes(), ask: p, link: o.client(relayURL(app, relayHost)), inbox: make(chan []byte, 16)}
	paired, err := h.connected(ctx)
	if err != nil {
		return State{}, err
	}
	return newState(paired, p.SignKey), nil
}

// relayURL is where the pairing mailbox is: the app's own host, or the host behind the code, by the same scheme.
func relayURL(app, relayHost string) string {
	if relayHost == "" {
		return app
	}
	scheme, _, _ := strings.Cut(app, "://")
	return scheme + "://" + relayHost
}

// handshake is one pairing under way.
type handshake struct {
	side  *pairing.DeviceSide
	boxes pairing.Boxes
	ask   PairOptions
	link  *relayclient.Client
	inbox chan []byte
	heard bool // a bundle of the right code came
}

// connected runs the handshake while the link to the relay is kept.
func (h *handshake) connected(ctx context.Context) (*pairing.Paired, error) {
	linked, unlink := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer unlink()
	r, w := h.boxes.R(abcrypto.ToDevice), h.boxes.W(abcrypto.ToDevice)
	stop := h.link.Listen(r, w, func(b []byte) {
		select {
		case h.inbox <- b:
		default: // more than an agent ever sends: junk
		}
	})
	defer stop()
	working.Go(func() { h.link.Run(linked) })
	if err := h.link.WaitListening(ctx, r, w); err != nil {
		return nil, h.late(err)
	}
	return h.talk(ctx)
}

// late names the end of ctx.
func (h *handshake) late(err error) error {
	if h.heard {
		return err
	}
	return errors.Join(ErrUnreachable, h.link.State().Err, err)
}

// talk sends what is due, again and again, and takes what comes.
func (h *handshake) talk(ctx context.Context) (*pairing.Paired, error) {
	due := h.side.Hello()
	for {
		again := time.NewTimer(pairRetry)
		h.send(ctx, due)
		paired, next, err := h.listen(ctx, again.C)
		again.Stop()
		if paired != nil || err != nil {
			return paired, err
		}
		if next != nil {
			due = next
		}
	}
}

// listen takes messages until there is something to send, or it is time to send the last one again.
func (h *handshake) listen(ctx context.Context, again <-chan time.Time) (paired *pairing.Paired, next []byte, err error) {
	for {
		select {
		case <-ctx.Done():
			return nil, nil, h.late(ctx.Err())
		case <-again:
			return nil, nil, nil
		case b := <-h.inbox:
			_, event, err := h.side.Receive(b)
			if errors.Is(err, pairing.ErrIgnored) {
				continue
			}
			if paired, next, err = h.on(event, err); paired != nil || next != nil || err != nil {
				return paired, next, err
			}
		}
	}
}

// on does what an event asks for.
func (h *handshake) on(event pairing.DeviceEvent, err error) (*pairing.Paired, []byte, error) {
	switch {
	case err != nil:
		return nil, nil, err
	case event.Bundle != nil:
		h.heard = true
		if h.ask.OnConfirm != nil && !h.ask.OnConfirm(*event.Bundle) {
			return nil, nil, ErrDeclined
		}
		msg1, err := h.side.Confirm()
		return nil, msg1, err
	case event.Digits != "" && h.ask.OnDigits != nil:
		h.ask.OnDigits(event.Digits)
	}
	return event.Paired, nil, nil
}

func (h *handshake) send(ctx context.Context, b []byte) {
	ctx, cancel := context.WithTimeout(ctx, pairRetry)
	defer cancel()
	h.link.Send(ctx, h.boxes.R(abcrypto.ToAgent), h.boxes.W(abcrypto.ToAgent), b) // lost ones are sent again
}
