package agent

import (
	"crypto/ed25519"
	"errors"
	"slices"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
)

// Protocol is the version that this agent speaks with devices.
const Protocol = 1

// onMessage takes one opened message of a device. It runs on the device's own goroutine of the relay link, in order.
func (a *Agent) onMessage(p *peer, m abcrypto.Message) {
	if p.present() != nil {
		return
	}
	a.seen(p)
	if err := a.heed(p, m); err != nil {
		p.warn("a message of a device was refused", "type", m.Type, "why", err)
	}
}

// heed does what a message asks for. Before the first hello, which ends a pairing, nothing else is heard.
func (a *Agent) heed(p *peer, m abcrypto.Message) (err error) {
	if m.Type != abcrypto.TypeHello && !p.device().Active {
		return errors.New("it came before the first hello")
	}
	switch m.Type {
	case abcrypto.TypeHello:
		err = a.onHello(p, m)
	case abcrypto.TypeFetch:
		err = a.onFetch(p, m)
	case abcrypto.TypeSeen:
		err = a.onSeen(p, m)
	case abcrypto.TypeAnswer:
		a.onAnswer(p, m)
	case abcrypto.TypeAdmin, abcrypto.TypePush:
		err = a.onSigned(p, m)
	case abcrypto.TypePasskey:
		err = errNoNewPasskey
	default:
		err = errors.New("this agent does not know the message; update the older of the two")
	}
	return err
}

// onHello answers with the state and every open card. The first hello under the new keys ends a pairing.
func (a *Agent) onHello(p *peer, m abcrypto.Message) error {
	h, err := card.ParseHello(m.Body)
	if err != nil {
		return err
	}
	if err := a.activate(p); err != nil {
		return err
	}
	p.speaks(slices.Contains(h.Protocols, Protocol))
	a.resync(p)
	return nil
}

// resync sends a device all that it needs to be right again. Without a common version it gets the state alone, which names both.
func (a *Agent) resync(p *peer) {
	a.sendState(p)
	for _, e := range a.pending.all() {
		if p.takes(e) {
			p.enqueue(outgoing{typ: abcrypto.TypeCard, body: e.Body, entry: e})
		}
	}
}

// onSeen notes that the device has a card, so that it is not sent again.
func (a *Agent) onSeen(p *peer, m abcrypto.Message) error {
	s, err := card.ParseSeen(m.Body)
	if err != nil {
		return err
	}
	e, isOpen := a.pending.find(s.Request)
	if isOpen {
		e.saw(p.device().ID)
		e.watch(p.device().ID, s.Visible)
	}
	if !s.Visible && (e != nil && e.confirms(p.device().ID) || p.confirms(s.Request)) {
		return a.change(p, func(d *device) { d.LastPush = nowMS() })
	}
	return nil
}

// onFetch sends one open card again; a card that is not open any more shows in the state.
func (a *Agent) onFetch(p *peer, m abcrypto.Message) error {
	f, err := card.ParseFetch(m.Body)
	if err != nil {
		return err
	}
	if e, isOpen := a.pending.find(f.Request); isOpen && p.takes(e) {
		p.enqueue(outgoing{typ: abcrypto.TypeCard, body: e.Body, entry: e})
		return nil
	}
	a.sendState(p)
	return nil
}

// onSigned does what a device asks of the agent itself. The signature is the device's, the sequence number never comes twice.
func (a *Agent) onSigned(p *peer, m abcrypto.Message) error {
	signed, err := abcrypto.ParseSignedMessage(m.Body)
	if err != nil {
		return err
	}
	d := p.device()
	statement := abcrypto.SignedMessageBytes(a.id, d.ID, m.Type, signed.Seq, signed.Body)
	if !ed25519.Verify(d.Key, statement, signed.Sig[:]) {
		return errors.New("the signature is not the device's")
	}
	if err := a.takeSeq(d.ID, signed.Seq); err != nil {
		a.sendState(p) // the device may send it again because it has not heard what became of it
		return err
	}
	if m.Type == abcrypto.TypePush {
		return a.onSubscription(p, signed.Body)
	}
	admin, err := card.ParseAdmin(signed.Body)
	if err != nil {
		return err
	}
	return a.administer(p, admin)
}

// administer does what narrows, at once. Nothing here widens anything: the end of a pause only lets calls be asked again.
func (a *Agent) administer(p *peer, admin card.Admin) error {
	switch admin.Action {
	case card.Unpair:
		return a.remove(p.device().ID, "unpaired on the device itself")
	case card.RemoveDevice:
		return a.remove(*admin.Device, "removed from "+p.name())
	case card.Pause:
		return a.setPause(p, admin.Minutes)
	case card.Resume:
		return a.setPause(p, 0)
	case card.SetLock:
		return a.change(p, func(d *device) { d.LockScreen = admin.LockScreen })
	case card.TestPush:
		return a.pushTest(p)
	}
	return errors.New("this agent does not do " + string(admin.Action) + " yet")
}
