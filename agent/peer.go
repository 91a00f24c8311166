package agent

import (
	"context"
	"errors"
	"sync"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/relay"
	"answerback/relay/relayclient"
)

// outgoing is one message to a device.
type outgoing struct {
	typ   byte
	body  []byte
	entry *entry        // a card: marked as reached once a socket took it
	reply *replyBox     // a receipt: goes here first, then to the inbox
	sent  chan struct{} // no message: closed once everything before it was sent
}

// replyBox is the one-shot mailbox of one message of the device's.
type replyBox struct{ r, w [32]byte }

// queueSize bounds what waits for one device. What does not fit is dropped: the device asks for the state when it comes back.
const queueSize = 256

// sendTimeout bounds one send; the relay answers SENT or UNSENT at once, or the link is dead.
const sendTimeout = 5 * time.Second

// peer is the live side of one device: its ratchet and its queue. Everything here may be used from any goroutine.
type peer struct {
	a     *Agent
	queue chan outgoing
	stop  context.CancelFunc
	ended chan struct{}
	// activated is closed when the first hello under the new keys opens.
	activated chan struct{}
	refusals  throttle // of its answers
	junk      throttle // of what lies in its mailbox and is no message, or no good one

	mu      sync.Mutex
	dev     device
	ratchet abcrypto.Ratchet
	online  bool
	foreign bool        // its last hello named no version that is spoken here: it gets no cards
	rings   []time.Time // when it was rung in the last minute
	testing requestID   // the last test push
	removed bool        // out of the roster: nothing of it may be written any more
	heard   nonces      // of the last messages
}

// startPeer listens on the device's mailbox and begins to send what is queued.
func (a *Agent) startPeer(d device, r abcrypto.Ratchet) *peer {
	ctx, stop := context.WithCancel(a.ctx)
	p := &peer{a: a, queue: make(chan outgoing, queueSize), stop: stop, ended: make(chan struct{}), activated: make(chan struct{}), dev: d, ratchet: r}
	unlisten := a.link.Listen(d.Boxes.R(abcrypto.ToAgent), d.Boxes.W(abcrypto.ToAgent), p.receive)
	unadmit := a.admit(d)
	go func() {
		defer close(p.ended)
		defer unlisten()
		defer unadmit()
		p.run(ctx)
	}()
	return p
}

func (p *peer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case o := <-p.queue:
			if o.sent != nil {
				close(o.sent)
				continue
			}
			if err := p.send(ctx, o); err != nil {
				p.a.log.Debug("message not delivered", "device", p.name(), "type", o.typ, "why", err)
			}
		}
	}
}

// enqueue hands a message to the device's own goroutine, so that one slow device holds up nobody.
func (p *peer) enqueue(o outgoing) {
	select {
	case p.queue <- o:
	default:
		p.a.log.Warn("a device takes no messages; it gets the state when it comes back", "device", p.name())
	}
}

// send seals and sends one message. A receipt goes to the reply box of the message that it answers and, unsent, the same bytes to the inbox.
func (p *peer) send(ctx context.Context, o outgoing) error {
	sealed, err := p.seal(o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if o.reply != nil && p.a.link.Send(ctx, o.reply.r, o.reply.w, sealed) == nil {
		return nil
	}
	err = p.intoInbox(ctx, sealed)
	p.setOnline(err == nil)
	if err == nil && o.entry != nil {
		o.entry.reached(p.device().ID)
	}
	return err
}

// intoInbox sends to the device's inbox, and waits a little where the relay says that this was too much at once.
func (p *peer) intoInbox(ctx context.Context, sealed []byte) error {
	boxes := p.device().Boxes
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		err := p.a.link.Send(ctx, boxes.R(abcrypto.ToDevice), boxes.W(abcrypto.ToDevice), sealed)
		var unsent *relayclient.UnsentError
		if !errors.As(err, &unsent) || unsent.Reason != relay.UnsentRate {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

func (p *peer) device() device {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dev
}

func (p *peer) name() string { return p.device().Name }

func (p *peer) setOnline(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.online = on
}

func (p *peer) isOnline() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.online
}

// receipt queues the agent's word on one message.
func (p *peer) receipt(m abcrypto.Message, r card.Receipt) {
	body, err := r.Marshal()
	if err != nil {
		p.a.log.Error("receipt not made", "why", err)
		return
	}
	p.enqueue(outgoing{typ: abcrypto.TypeReceipt, body: body, reply: p.replyTo(m)})
}

func nowMS() uint64 { return uint64(time.Now().UnixMilli()) }

// drain waits until everything queued so far was sent.
func (p *peer) drain(ctx context.Context) {
	sent := make(chan struct{})
	select {
	case p.queue <- outgoing{sent: sent}:
	case <-ctx.Done():
		return
	}
	select {
	case <-sent:
	case <-ctx.Done():
	}
}

// admit asks a private relay to serve the device's inbox, which only devices listen on and which hold no token.
func (a *Agent) admit(d device) (stop func()) {
	return a.link.Admit(relay.BoxFor(d.Boxes.R(abcrypto.ToDevice), d.Boxes.W(abcrypto.ToDevice)))
}

// takes reports whether the device can show this card: it is in the roster that the card names, and speaks our version.
func (p *peer) takes(e *entry) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dev.Active && !p.foreign && e.roster[p.dev.ID]
}

// speaks notes whether the device's last hello named a version that is spoken here.
func (p *peer) speaks(shared bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.foreign = !shared
}
