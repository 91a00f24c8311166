package agent

import (
	"crypto/ed25519"
	"path/filepath"
	"testing"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
)

// FuzzDeviceMessage: whatever a device's messages hold, the agent does not fall over, and no open card ends by one that its device did not sign.
func FuzzDeviceMessage(f *testing.F) {
	dir := f.TempDir()
	a, err := Open(Options{State: filepath.Join(dir, "s"), Socket: filepath.Join(dir, "k", "a.sock"), RelayURL: "http://127.0.0.1:1", Name: "studio", Host: "studio"})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		a.end()
		a.cancel()
		a.stopPeers()
		a.store.Close()
	})
	pub, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		f.Fatal(err)
	}
	d := device{ID: abcrypto.DeviceID(pub), Name: "tablet", Role: card.Approver, SameMachine: true, Key: pub, Paired: nowMS(), Active: true}
	r, _ := unmarshalRatchet(someChain(d.ID))
	if err := a.keepNew(d, r); err != nil {
		f.Fatal(err)
	}
	p := a.addPeer(d, r)
	e := newEntry(question{wait: time.Hour, card: card.Card{Kind: card.KindCall, Class: card.Routine}}, time.Now())
	e.id, e.roster = requestID{1}, map[abcrypto.ID]bool{d.ID: true}
	a.pending.add(e)
	answer := abcrypto.AnswerMessage{Raw: abcrypto.Answer{Agent: a.id, Device: d.ID, Request: e.id, CardDigest: e.Digest, Decision: abcrypto.Allow,
		Via: abcrypto.ViaApp, MadeMS: 1}.Bytes()}
	f.Add(abcrypto.TypeAnswer, answer.Bytes())
	f.Add(abcrypto.TypeHello, []byte(`{"app":"","protocols":[1],"visible":true}`))
	f.Add(abcrypto.TypeFetch, []byte(`{"request_id":"01000000000000000000000000000000"}`))
	f.Add(abcrypto.TypeSeen, []byte(`{"request_id":"01000000000000000000000000000000","visible":false}`))
	f.Add(abcrypto.TypeAdmin, append(make([]byte, 72), `{"action":"pause","minutes":5}`...))
	f.Add(abcrypto.TypePush, []byte{})
	f.Fuzz(func(t *testing.T, typ byte, body []byte) {
		a.onMessage(p, abcrypto.Message{Type: typ, Body: body})
		if _, isOpen := a.pending.find(e.id); !isOpen {
			t.Errorf("message %d ended the card: %x", typ, body)
		}
		if a.paused() || a.peerOf(d.ID) != p {
			t.Errorf("message %d was obeyed without a signature: %x", typ, body)
		}
	})
}
