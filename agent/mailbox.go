package agent

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	abcrypto "answerback/crypto"
)

// errRemoved ends whatever of a device was on its way when it was removed.
var errRemoved = errors.New("the device is not paired any more")

func (p *peer) seal(o outgoing) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.removed {
		return nil, errRemoved
	}
	before := p.ratchet
	sealed, err := p.ratchet.SealAgent(p.dev.ID, nowMS(), abcrypto.Message{Type: o.typ, Body: o.body}, rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("agent: seal message %d: %w", o.typ, err)
	}
	return sealed, p.keep(before)
}

// keep writes the ratchet to disk if it moved: a day that was sealed with, or a chain to forget, must survive a crash. What cannot be
// written has not happened: the next message tries again.
func (p *peer) keep(before abcrypto.Ratchet) error {
	if p.ratchet == before {
		return nil
	}
	if err := p.a.store.PutChain(p.dev.ID, marshalRatchet(p.ratchet)); err != nil {
		p.ratchet = before
		return fmt.Errorf("agent: keep the keys of %s: %w", p.dev.Name, err)
	}
	return nil
}

// receive opens one payload of the device's mailbox. Whatever does not open is nobody's: the relay, or an old device, put it there.
func (p *peer) receive(payload []byte) {
	m, err := p.open(payload)
	if err != nil {
		p.warn("a message in a device's mailbox does not open; ignored", "why", err)
		return
	}
	p.a.onMessage(p, m)
}

// warn logs a fault of what came from the device's mailbox, as often as is bearable.
func (p *peer) warn(what string, args ...any) {
	if say, missed := p.junk.next(time.Now()); say != sayNothing {
		p.a.log.Warn(what, append([]any{"device", p.name(), "more_before", missed, "more_to_come", say == sayLast}, args...)...)
	}
}

func (p *peer) open(payload []byte) (abcrypto.Message, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.removed {
		return abcrypto.Message{}, errRemoved
	}
	before := p.ratchet
	m, err := p.ratchet.OpenAgent(p.dev.ID, nowMS(), payload)
	if err == nil {
		err = p.keep(before)
	}
	if err == nil && m.Type != abcrypto.TypeAnswer && p.heard.again(m.Nonce) {
		err = errReplayed
	}
	return m, err
}

// errReplayed refuses a message that came before. A device seals each anew, but for its answers, which it sends until the receipt is there.
var errReplayed = errors.New("it came before")

// remove shuts the device out. What it has sent before may still lie in the link's queue; none of that may write its keys or its record
// again, or it would be back after a restart. It returns the one message that is still sealed for it; its ratchet is not kept any more.
func (p *peer) remove(last outgoing) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.removed = true
	return p.ratchet.SealAgent(p.dev.ID, nowMS(), abcrypto.Message{Type: last.typ, Body: last.body}, rand.Reader)
}

// present is asked by the store's writer before it writes anything of the device. So nobody may wait for the writer while holding the lock.
func (p *peer) present() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.removed {
		return errRemoved
	}
	return nil
}

// replyTo computes the reply box of a message that this device sent.
func (p *peer) replyTo(m abcrypto.Message) *replyBox {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, w, err := p.ratchet.ReplyBox(m.Day, m.Nonce)
	if err != nil {
		return nil
	}
	return &replyBox{r: r, w: w}
}
