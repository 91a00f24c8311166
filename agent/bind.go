package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	"answerback/agent/internal/audit"
	"answerback/agent/internal/store"
	abcrypto "answerback/crypto"
	"answerback/pairing"
)

// finishWithin is how long a device may take for its first hello. Its person is done: the code's own end and a closed terminal change nothing
// any more.
const finishWithin = time.Minute

// finish makes the device part of the roster and repeats msg3 until its first hello under the new keys opens.
func (p *pairingRun) finish(ctx context.Context) error {
	d, msg3, paired, err := p.bind()
	if errors.Is(err, pairing.ErrTwoDevices) {
		err = errTwo
	}
	if err != nil {
		return p.stopped(ctx, err)
	}
	peer := p.a.addPeer(d, paired.Ratchet)
	if err := p.untilHello(peer, msg3); err != nil {
		return err
	}
	retired := p.a.retireSameMachine(d)
	p.t.say(control.PairEvent{Event: "paired", Name: card.Visible(d.Name), Platform: card.Visible(d.Platform), Device: d.ID.String(),
		SameMachine: d.SameMachine, Retired: retired})
	return nil
}

func (p *pairingRun) untilHello(peer *peer, msg3 []byte) error {
	ctx, cancel := context.WithTimeout(p.a.serving, finishWithin)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		p.send(ctx, msg3)
		select {
		case <-peer.activated:
			return nil
		case <-peer.ended:
			return errors.New("the device was revoked before it had spoken; nothing was paired")
		case <-ctx.Done():
			p.a.remove(peer.device().ID, "it never spoke under its new keys")
			return errors.New("the device never finished; nothing was paired. run it again: answerback pair")
		case _, open := <-p.t.input:
			if !open {
				p.t.input = nil
			}
		case <-tick.C:
		}
	}
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
	return d, msg3, paired, p.a.keepNew(d, paired.Ratchet)
}

// keepNew writes a new device's keys, then its record; the other way round a crash would leave a device that nobody can speak with. Keys
// without a record are swept at the next start.
func (a *Agent) keepNew(d device, r abcrypto.Ratchet) error {
	value, err := d.marshal()
	if err != nil {
		return err
	}
	if err := a.store.PutChain(d.ID, marshalRatchet(r)); err != nil {
		return err
	}
	return a.store.Update(func(b *store.Batch) error {
		b.PutDevice(d.ID, value)
		return nil
	})
}

// candidate is the device that locked the code.
func (p *pairingRun) candidate() device {
	l := p.lock
	d := device{ID: l.Device, Name: firstOf(l.DeviceName, "device"), Platform: l.Platform, Role: card.Approver,
		SameMachine: loopback(p.a.opts.RelayURL), Key: slices.Clone(l.DeviceKey), Passkey: p.passkey, Paired: nowMS(), Push: l.Push}
	if d.Push.Endpoint != "" {
		d.PushHealth = card.PushGood
	}
	return d
}

func (a *Agent) rosterWith(d device) ([]byte, error) {
	list := []device{d}
	for _, p := range a.activePeers() {
		list = append(list, p.device())
	}
	return roster(list).Marshal()
}

// activate puts a device into the roster once its first hello has opened. Its record, the note that a device was once paired, and the log's
// record of it come into being together: a crash between them would let the next device in without anybody's Allow.
func (a *Agent) activate(p *peer) error {
	d := p.device()
	if d.Active {
		return nil
	}
	d.Active = true
	_, _, err := a.ledger.Append(a.deviceRecord(audit.Paired, d, ""), p.save(d), func(b *store.Batch) error {
		if !d.SameMachine {
			b.SetMeta(everPaired, []byte{1})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("the pairing of %s could not be written down, so it is not paired yet: %w", d.Name, err)
	}
	p.mu.Lock()
	p.dev.Active = true
	p.mu.Unlock()
	close(p.activated)
	a.sendStates()
	return nil
}
