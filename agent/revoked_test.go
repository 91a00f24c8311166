package agent

import (
	"crypto/ed25519"
	"crypto/rand"
	"testing"

	"answerback/agent/card"
	peerdevice "answerback/agent/device"
	"answerback/agent/internal/store"
	abcrypto "answerback/crypto"
)

// tomorrow seals a message as the device would that has opened one of tomorrow: whoever opens it moves the ratchet.
func tomorrow(t *testing.T, phone *peerdevice.Device, typ byte, body []byte) []byte {
	t.Helper()
	s := phone.State()
	r := abcrypto.Ratchet{Stored: s.Ratchet.Stored + 1, Chain: s.Ratchet.Chain.Next(), Newest: s.Ratchet.Newest + 1}
	sealed, err := r.SealDevice(s.Device, abcrypto.Message{Type: typ, Body: body}, rand.Reader)
	must(t, err)
	return sealed
}

func helloBody(t *testing.T, protocols ...uint64) []byte {
	t.Helper()
	body, err := card.Hello{Protocols: protocols, Visible: true}.Marshal()
	must(t, err)
	return body
}

// B096: what a revoked device had sent before does not bring it back: not its answer, not its record, not its keys, not after a restart.
func TestB096_QueuedMessagesDoNotBringADeviceBack(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test", "--wait", "2s")
	v := tr.card(phone, "npm test")
	tap, err := phone.Raw().SealAnswer(v.Card.Request, allow())
	must(t, err)
	p := tr.agent.peerOf(phone.State().Device)
	must(t, tr.agent.remove(p.device().ID, "test"))
	p.mu.Lock()
	p.dev.LastSeen = 0 // so that any message would have its time written down
	p.mu.Unlock()
	for _, m := range [][]byte{tap, tomorrow(t, phone, abcrypto.TypeHello, helloBody(t, Protocol))} {
		p.receive(m)
	}
	tr.agent.onMessage(p, abcrypto.Message{Type: abcrypto.TypeHello, Body: helloBody(t, Protocol)}) // opened before the removal
	if _, err := p.seal(outgoing{typ: abcrypto.TypeState, body: []byte("{}")}); err == nil {
		t.Error("a message is still sealed for it")
	}
	if got := h.wait(t); got != "" {
		t.Errorf("the hook printed %q", got)
	}
	tr.nothingLeftOf(t, p.device().ID)
	tr.stop()
	tr.start()
	if len(tr.agent.allPeers()) != 0 {
		t.Error("the device came back with a restart")
	}
}

// A device that is removed before its first hello cannot finish the pairing by that hello.
func TestRemovedBeforeItsFirstHello(t *testing.T) {
	tr := newTrip(t)
	d := tr.strange(t)
	d.Active = false
	must(t, tr.agent.store.PutChain(d.ID, someChain(d.ID)))
	r, ok := unmarshalRatchet(someChain(d.ID))
	if !ok {
		t.Fatal("the chain is none")
	}
	p := tr.agent.addPeer(d, r)
	must(t, tr.agent.remove(d.ID, "test"))
	tr.agent.onMessage(p, abcrypto.Message{Type: abcrypto.TypeHello, Body: helloBody(t, Protocol)})
	if tr.agent.hasDevices() {
		t.Error("it is in the roster")
	}
	tr.nothingLeftOf(t, d.ID)
}

// nothingLeftOf holds that the store knows neither record nor keys of a device.
func (tr *trip) nothingLeftOf(t *testing.T, id abcrypto.ID) {
	t.Helper()
	if row, err := tr.agent.store.Device(id); err != nil || row != nil {
		t.Errorf("its record is there: %s, %v", row, err)
	}
	if _, there := tr.agent.store.Chains()[id]; there {
		t.Error("its keys are there")
	}
	if n, err := tr.agent.store.Seq("in/" + id.String()); err != nil || n != 0 {
		t.Errorf("its sequence number is there: %d, %v", n, err)
	}
}

// strange is a device that never paired here.
func (tr *trip) strange(t *testing.T) device {
	t.Helper()
	key, _, err := ed25519.GenerateKey(nil)
	must(t, err)
	return device{ID: abcrypto.DeviceID(key), Name: "tablet", Role: card.Approver, SameMachine: true, Key: key, Paired: nowMS(), Active: true}
}

func someChain(id abcrypto.ID) [ratchetSize]byte {
	return marshalRatchet(abcrypto.NewRatchet(abcrypto.Chain(abcrypto.Hash("chain", id[:])), nowMS()))
}

// A crash in the middle of a pairing or a removal leaves no device and no keys behind, and the agent starts.
func TestStartSweepsWhatACrashLeft(t *testing.T) {
	for name, leave := range map[string]func(tr *trip, d device){
		"keys without a record":  func(tr *trip, d device) { tr.putChain(d) },
		"before the first hello": func(tr *trip, d device) { d.Active = false; tr.putChain(d); tr.putRecord(d) },
		"a record without keys":  func(tr *trip, d device) { tr.putRecord(d) },
		"keys that are not whole": func(tr *trip, d device) {
			tr.putRecord(d)
			must(tr.t, tr.agent.store.PutChain(d.ID, [ratchetSize]byte{3: 1}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTrip(t)
			phone := tr.pair("Pixel 9")
			d := tr.strange(t)
			leave(tr, d)
			tr.stop()
			tr.start()
			if n := len(tr.agent.allPeers()); n != 1 {
				t.Errorf("%d devices after the restart, want the one that was paired", n)
			}
			tr.nothingLeftOf(t, d.ID)
			h := tr.ask("npm test")
			tr.answer(phone, tr.card(phone, "npm test"), allow())
			if got := h.wait(t); got != allowed {
				t.Errorf("the paired phone does not work any more: %q", got)
			}
		})
	}
}

// A record that this version cannot read is left out, and left as it is: a newer version may know it.
func TestStartLeavesOutWhatItCannotRead(t *testing.T) {
	tr := newTrip(t)
	d := tr.strange(t)
	tr.putChain(d)
	must(t, tr.agent.store.Update(func(b *store.Batch) error { b.PutDevice(d.ID, []byte(`{"newer":true}`)); return nil }))
	tr.stop()
	tr.start()
	if len(tr.agent.allPeers()) != 0 {
		t.Error("it is there")
	}
	if row, err := tr.agent.store.Device(d.ID); err != nil || string(row) != `{"newer":true}` {
		t.Errorf("its record is %q, %v", row, err)
	}
	if _, there := tr.agent.store.Chains()[d.ID]; !there {
		t.Error("its keys are gone")
	}
}

func (tr *trip) putChain(d device) {
	tr.t.Helper()
	must(tr.t, tr.agent.store.PutChain(d.ID, someChain(d.ID)))
}

func (tr *trip) putRecord(d device) {
	tr.t.Helper()
	value, err := d.marshal()
	must(tr.t, err)
	must(tr.t, tr.agent.store.Update(func(b *store.Batch) error { b.PutDevice(d.ID, value); return nil }))
}
