// Package device is a device in Go: it pairs, opens cards, signs answers, and says "accepted" for a receipt only. The terminal, the
// demo and the tests use it.
//
//	state, err := device.Pair(ctx, link, device.Options{..}, ..)
//	d, err := device.Open(state, device.Options{Save: ..})
//	go d.Run(ctx)
//	view, err := d.WaitCard(ctx, nil)
//	receipt, err := d.Answer(ctx, view.Card.Request, device.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaApp})
//
// It believes nothing that does not open, nothing twice, and of the agent's messages only those with a higher sequence number than
// before. An answer is signed and sealed once; the same bytes are sent until a receipt names them.
package device

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/relay/relayclient"
)

// Protocol is the version that this device speaks.
const Protocol = 1

// Options say how a device works. The zero value is a visible device with the state's own key, which keeps nothing on disk.
type Options struct {
	// Save is called with every change of the state that has to survive a restart, before the bytes that rest on it are sent. It is
	// called under the device's lock, one call at a time: it must not call the device. Nil: nothing is kept.
	Save func(State) error
	// Key gives the key to sign this decision with, and may ask a person for a passphrase first; for a signed message that is no
	// answer the decision is 0. Nil: State.SignKey.
	Key func(abcrypto.Decision) (ed25519.PrivateKey, error)
	// Passkey makes a WebAuthn assertion for an answer by abcrypto.ViaPasskey. Nil: there is no passkey.
	Passkey func(challenge [32]byte) (assertion []byte, err error)
	// OnEvent is told what happens, in order, and must return soon. Nil: nobody is told.
	OnEvent func(Event)
	// App is this device's build, as the agent shows it.
	App string
	// Hidden: no person can see this device, so the agent rings it.
	Hidden bool
	// Post sends answers by POST with a one-shot reply box, as a phone's service worker does, instead of over the socket.
	Post bool

	Random    io.Reader        // nil: crypto/rand
	Now       func() time.Time // nil: time.Now
	TLSConfig *tls.Config      // further certificate authorities; nil: the system's
	Proxy     func(*http.Request) (*url.URL, error)
	Log       *slog.Logger // nil: nothing is logged
}

func (o Options) withDefaults() Options {
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.OnEvent == nil {
		o.OnEvent = func(Event) {}
	}
	return o
}

func (o Options) client(relayURL string) *relayclient.Client {
	return relayclient.New(relayclient.Options{URL: relayURL, TLSConfig: o.TLSConfig, Proxy: o.Proxy, Log: o.Log})
}

func (o Options) httpClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: o.TLSConfig, Proxy: o.Proxy, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Event is one thing that happened. At most one field is set; the zero Event is none.
type Event struct {
	Card    *View         // a new card
	Ended   *View         // a card that has ended without this device, or with its receipt
	State   *card.State   // the agent's newest
	Page    *card.Page    // a piece of history
	Pointer *card.Pointer // something waits that did not fit a push
	Link    *bool         // the way to the relay came up or went down
	Problem error         // something came that was refused, though it was sealed by the agent
}

// Device is one paired device. Its methods may be called concurrently.
type Device struct {
	opt  Options
	link *relayclient.Client
	http *http.Client

	mu      sync.Mutex
	state   State
	clock   agentClock
	agent   *card.State // the newest; nil before the first
	cards   map[card.RequestID]*held
	epoch   int           // how often the link came up
	hailed  int           // the epoch in which a hello was sent
	greeted int           // the epoch in which it was answered with a state
	changed chan struct{} // closed and made anew with every change
}

// Open makes a device of its state. It does nothing before Run.
func Open(s State, o Options) (*Device, error) {
	o = o.withDefaults()
	if s.SignKey == nil && o.Key == nil {
		return nil, errors.New("device: open: the state holds no signing key, and there is no other way to it")
	}
	s.memory = s.memory.clone()
	d := &Device{
		opt: o, state: s, link: o.client(s.Relay), http: o.httpClient(), clock: agentClock{now: o.Now}, cards: map[card.RequestID]*held{}, changed: make(chan struct{}),
	}
	d.link.OnState(d.onLink)
	return d, nil
}

// Run keeps the device connected, takes what comes and sends what waits, until ctx is done; it then returns ctx's error. It returns
// earlier only if the relay's address can never work.
func (d *Device) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	r, w := d.inbox()
	stop := d.link.Listen(r, w, func(sealed []byte) { d.Receive(sealed) })
	defer stop()
	working.Go(func() { d.greet(ctx) })
	working.Go(func() { d.tellSeen(ctx) })
	for _, id := range d.unreceipted() {
		working.Go(func() { d.deliver(ctx, id) })
	}
	if err := d.link.Run(ctx); err != nil {
		return fmt.Errorf("device: run: %w", err)
	}
	return nil
}

func (d *Device) inbox() (r, w [32]byte) {
	return d.state.Boxes.R(abcrypto.ToDevice), d.state.Boxes.W(abcrypto.ToDevice)
}

func (d *Device) outbox() (r, w [32]byte) {
	return d.state.Boxes.R(abcrypto.ToAgent), d.state.Boxes.W(abcrypto.ToAgent)
}

// onLink is told by the link, on the goroutine that Receive is called on.
func (d *Device) onLink(up bool) {
	d.mu.Lock()
	if up {
		d.epoch++
	}
	d.broadcast()
	d.mu.Unlock()
	d.opt.OnEvent(Event{Link: &up})
}

// State is a copy of what would be saved now.
func (d *Device) State() State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.snapshot()
}

func (d *Device) snapshot() State {
	s := d.state
	s.memory = s.memory.clone()
	return s
}

// Agent is the agent's newest word on itself; false before its first.
func (d *Device) Agent() (card.State, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.agent == nil {
		return card.State{}, false
	}
	return *d.agent, true
}

// AgentTime is what the agent's clock shows now, ms since 1970; 0 before the agent has spoken.
func (d *Device) AgentTime() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.clock.time()
}

// Online reports whether the relay listens for this device. It says nothing of the agent.
func (d *Device) Online() bool { return d.link.Connected() }

// save hands the state to Options.Save. The caller holds the lock.
func (d *Device) save() error {
	if d.opt.Save == nil {
		return nil
	}
	if err := d.opt.Save(d.snapshot()); err != nil {
		return fmt.Errorf("device: save state: %w", err)
	}
	return nil
}

// broadcast wakes everybody who waits for a change. The caller holds the lock.
func (d *Device) broadcast() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// until waits for a condition on what the lock guards, for stop, or for ctx.
func (d *Device) until(ctx context.Context, stop <-chan time.Time, ok func() bool) error {
	for {
		d.mu.Lock()
		done, changed := ok(), d.changed
		d.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-stop:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
