package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	"answerback/agent/internal/audit"
	"answerback/pairing"
)

// finish makes the device part of the roster and repeats msg3 until its first hello under the new keys opens.
func (p *pairingRun) finish(ctx context.Context) error {
	d, msg3, paired, err := p.bind()
	if err != nil {
		return p.stopped(ctx, err)
	}
	peer := p.a.addPeer(d, paired.Ratchet)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for !peer.device().Active {
		p.send(ctx, msg3)
		select {
		case <-ctx.Done():
			p.a.remove(d.ID, "it never spoke under its new keys")
			return errors.New("the device never finished; nothing was paired. run it again: answerback pair")
		case <-p.t.input:
			p.t.input = nil // digits are done: a closed terminal changes nothing now
		case <-peer.activated:
		case <-tick.C:
		}
	}
	retired := p.a.retireSameMachine(d)
	p.t.say(control.PairEvent{Event: "paired", Name: card.Visible(d.Name), Platform: card.Visible(d.Platform), Device: d.ID.String(),
		SameMachine: d.SameMachine, Retired: retired})
	return nil
}

// bind ends the handshake: keys to disk, then msg3.
func (p *pairingRun) bind() (d device, msg3 []byte, paired pairing.Paired, err error) {
	d = p.candidate()
	if p.a.peerOf(d.ID) != nil {
		return d, nil, paired, errors.New("this device's key is in the roster already; pair anew from the phone")
	}
	body, err := p.a.rosterWith(d)
	if err != nil {
		return d, nil, paired, err
	}
	if msg3, paired, err = p.side.Finish(nowMS(), body); err != nil {
		return d, nil, paired, err
	}
	d.Boxes = paired.Boxes
	if err = p.a.store.PutChain(d.ID, marshalRatchet(paired.Ratchet)); err == nil {
		err = p.a.putDevice(d)
	}
	return d, msg3, paired, err
}

// candidate is the device that locked the code.
func (p *pairingRun) candidate() device {
	l := p.lock
	return device{ID: l.Device, Name: firstOf(l.DeviceName, "device"), Platform: l.Platform, Role: card.Approver,
		SameMachine: loopback(p.a.opts.RelayURL), Key: slices.Clone(l.DeviceKey), Paired: nowMS()}
}

func (a *Agent) rosterWith(d device) ([]byte, error) {
	list := []device{d}
	for _, p := range a.activePeers() {
		list = append(list, p.device())
	}
	return roster(list).Marshal()
}

// activate marks a device as active once its first hello has opened.
func (a *Agent) activate(p *peer) {
	p.mu.Lock()
	first := !p.dev.Active
	p.dev.Active = true
	d := p.dev
	p.mu.Unlock()
	if !first {
		return
	}
	if err := a.putDevice(d); err != nil {
		a.log.Error("a paired device was not written down; it must pair again", "device", d.Name, "why", err)
	}
	if _, _, err := a.ledger.Append(a.deviceRecord(audit.Paired, d, "")); err != nil {
		a.log.Error("a pairing was not logged", "device", d.Name, "why", err)
	}
	close(p.activated)
	a.sendStates()
}
