package agent

import (
	"testing"

	abcrypto "answerback/crypto"
)

// What could not be written to disk has not happened: neither a message that moves the keys, nor one sealed with a later day.
func TestRatchetMovesOnDiskOrNotAtAll(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	p := tr.agent.peerOf(phone.State().Device)
	p.stop()
	<-p.ended                               // nobody else uses its keys from here on
	p.ratchet.Sealed = p.ratchet.Newest + 1 // so that the next day opens at any time of day: shortly before midnight a pairing starts with tomorrow
	message := tomorrow(t, phone, abcrypto.TypeHello, helloBody(t, Protocol))
	must(t, tr.agent.store.Close())
	before := p.ratchet
	for range 2 {
		if _, err := p.open(message); err == nil {
			t.Error("a message was taken whose keys could not be written")
		}
		if p.ratchet != before {
			t.Error("the keys in memory are ahead of those on disk")
		}
	}
	moved := before
	if _, err := moved.OpenAgent(p.dev.ID, nowMS(), message); err != nil {
		t.Fatal(err)
	}
	p.ratchet, p.ratchet.Sealed = moved, 0
	for range 2 {
		if _, err := p.seal(outgoing{typ: abcrypto.TypeState, body: []byte("{}")}); err == nil {
			t.Error("a message of a day went out that is not written down")
		}
	}
}

// FuzzRatchetRecord: what is read prints as the same bytes, and what is no key is refused.
func FuzzRatchetRecord(f *testing.F) {
	good := someChain(abcrypto.ID{1})
	f.Add(good[:])
	f.Add(make([]byte, ratchetSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		var record [ratchetSize]byte
		copy(record[:], b)
		r, ok := unmarshalRatchet(record)
		_, _, err := r.ReplyBox(r.Newest, [12]byte{})
		if ok != (err == nil) {
			t.Errorf("ok is %v, and using it gives %v", ok, err)
		}
		if again, _ := unmarshalRatchet(marshalRatchet(r)); again != r {
			t.Errorf("%+v was read as %+v", r, again)
		}
	})
}
