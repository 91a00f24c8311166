package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"answerback/agent/card"
	"answerback/agent/internal/audit"
	"answerback/agent/internal/store"
	abcrypto "answerback/crypto"
)

func (a *Agent) addPeer(d device, r abcrypto.Ratchet) *peer {
	p := a.startPeer(d, r)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.peers[d.ID] = p
	return p
}

func (a *Agent) peerOf(id abcrypto.ID) *peer {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.peers[id]
}

func (a *Agent) allPeers() []*peer {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]*peer, 0, len(a.peers))
	for _, p := range a.peers {
		list = append(list, p)
	}
	return list
}

// activePeers are the devices of the roster: those whose first hello has opened.
func (a *Agent) activePeers() []*peer {
	var list []*peer
	for _, p := range a.allPeers() {
		if p.device().Active {
			list = append(list, p)
		}
	}
	return list
}

func (a *Agent) hasDevices() bool { return len(a.activePeers()) > 0 }

// rosterNow returns the hash that cards name, and who is in it.
func (a *Agent) rosterNow() (hash [32]byte, members map[abcrypto.ID]bool, err error) {
	members = map[abcrypto.ID]bool{}
	var list []device
	for _, p := range a.activePeers() {
		d := p.device()
		list = append(list, d)
		members[d.ID] = true
	}
	hash, err = roster(list).Hash()
	return hash, members, err
}

// seenEvery bounds how often the time of a device's last message is written down.
const seenEvery = time.Minute

// seen notes that a device has spoken.
func (a *Agent) seen(p *peer) {
	now := nowMS()
	p.mu.Lock()
	write := now > p.dev.LastSeen+uint64(seenEvery.Milliseconds())
	p.dev.LastSeen = now
	p.online = true
	d := p.dev
	p.mu.Unlock()
	if write && d.Active {
		if err := a.store.Update(p.save(d)); err != nil {
			a.log.Warn("a device's last message was not written down", "device", d.Name, "why", err)
		}
	}
}

// save returns the write of the device's record, for an event that may hold more.
func (p *peer) save(d device) func(*store.Batch) error {
	return func(b *store.Batch) error {
		value, err := d.marshal()
		if err == nil {
			err = p.present()
		}
		if err == nil {
			b.PutDevice(d.ID, value)
		}
		return err
	}
}

// remove takes a device out of the roster at once, open cards included: its mailbox is no longer listened to and its keys are overwritten.
// Either of record and keys being gone is enough: the next start sweeps the other.
func (a *Agent) remove(id abcrypto.ID, why string) error {
	a.mu.Lock()
	p := a.peers[id]
	delete(a.peers, id)
	a.mu.Unlock()
	if p == nil {
		return fmt.Errorf("no device %s is paired; see: answerback devices", id)
	}
	d := p.device()
	a.dismiss(p)
	a.log.Info("a device was removed", "device", d.Name, "why", why)
	err := a.forget(d, why)
	a.sendStates()
	if err != nil {
		return fmt.Errorf("%s is shut out now, but it could not be written down, so it may be back after a restart; free or check the disk, then revoke it again: %w", d.Name, err)
	}
	return nil
}

// dismiss shuts a device out and then says so to it: the last state that it gets does not name it. One that is away never hears it.
func (a *Agent) dismiss(p *peer) {
	body, err := a.farewell(p.device())
	last, err2 := p.remove(outgoing{typ: abcrypto.TypeState, body: body})
	if err = errors.Join(err, err2); err != nil {
		a.log.Error("a device was not told that it was removed", "device", p.name(), "why", err)
		p.stop()
		return
	}
	a.aside.Go(func() {
		defer p.stop()
		ctx, cancel := context.WithTimeout(a.ctx, sendTimeout)
		defer cancel()
		if err := p.intoInbox(ctx, last); err != nil {
			a.log.Debug("a device was not told that it was removed", "device", p.name(), "why", err)
		}
	})
}

// farewell is the state without the device's own name and without a call.
func (a *Agent) farewell(d device) ([]byte, error) {
	s, err := a.state(d)
	if err != nil {
		return nil, err
	}
	s.Open = nil
	return s.Marshal()
}

// forget deletes what is kept of a device, and logs it.
func (a *Agent) forget(d device, why string) error {
	_, _, err := a.ledger.Append(a.deviceRecord(audit.Revoked, d, why), func(b *store.Batch) error {
		b.DeleteDevice(d.ID)
		b.DeleteSeq("in/" + d.ID.String())
		return nil
	})
	return errors.Join(err, a.store.DropChain(d.ID))
}

// drainTime bounds how long the last messages (withdrawals) may take when the agent ends.
const drainTime = time.Second

// stopPeers sends what is queued for the devices, all at once, and ends their goroutines.
func (a *Agent) stopPeers() {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	var all sync.WaitGroup
	for _, p := range a.allPeers() {
		all.Go(func() {
			p.drain(ctx)
			p.stop()
			<-p.ended
		})
	}
	all.Wait()
}

// sendStates tells every device what changed.
func (a *Agent) sendStates() {
	for _, p := range a.activePeers() {
		a.sendState(p)
	}
}

func (a *Agent) sendState(p *peer) {
	s, err := a.state(p.device())
	if err != nil {
		a.log.Error("state message not made", "why", err)
		return
	}
	body, err := s.Marshal()
	if err != nil {
		a.log.Error("state message not made", "why", err)
		return
	}
	p.enqueue(outgoing{typ: abcrypto.TypeState, body: body})
}

// state is what a device shows of this machine.
func (a *Agent) state(d device) (card.State, error) {
	hash, _, err := a.rosterNow()
	s := card.State{Seq: a.nextSeq(), Version: a.opts.Version, Protocols: []uint64{Protocol}, Instance: a.instance, Agent: a.opts.Name,
		Host: a.opts.Host, Time: nowMS(), RosterHash: hash, Devices: a.stateDevices()}
	head := a.ledger.Head()
	s.Log = card.Log{Size: head.Size, Root: head.Root}
	a.pauseInto(&s)
	s.LockScreen, s.LastPush, s.Push = d.LockScreen, d.LastPush, d.PushHealth
	for _, e := range a.pending.all() {
		s.Open = append(s.Open, e.id)
	}
	return s, err
}

func (a *Agent) stateDevices() []card.Device {
	var list []card.Device
	for _, p := range a.activePeers() {
		d := p.device()
		list = append(list, card.Device{ID: d.ID, Name: d.Name, Platform: d.Platform, Role: d.Role, SameMachine: d.SameMachine,
			Passkey: d.Passkey != nil, LastSeen: d.LastSeen, Paired: d.Paired})
	}
	return list
}
