package relay

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// TestBoxFromItsFormula computes the id as the text of the protocol does.
func TestBoxFromItsFormula(t *testing.T) {
	r, w := ReaderKey{1, 2, 3}, WriterKey{4, 5, 6}
	hash := func(parts ...[]byte) []byte {
		h := sha256.New()
		for _, p := range parts {
			h.Write(p)
		}
		return h.Sum(nil)
	}
	hr := hash([]byte("answerback/1 r\x00"), r[:])
	hw := hash([]byte("answerback/1 w\x00"), w[:])
	want := hash([]byte("answerback/1 box\x00"), hr, hw)[:20]
	if got := BoxFor(r, w); string(got[:]) != string(want) {
		t.Errorf("BoxFor = %x, want %x", got, want)
	}
	if reader := (Listen{R: r, HW: HashW(w)}).Box(); reader != BoxFor(r, w) {
		t.Errorf("the reader's box is %x", reader)
	}
	if writer := (Send{HR: HashR(r), W: w}).Box(); writer != BoxFor(r, w) {
		t.Errorf("the writer's box is %x", writer)
	}
}

// TestBoxVector pins the id, for the phone app and for whoever writes another
// end: r = 00 01 .. 1f, w = 20 21 .. 3f.
func TestBoxVector(t *testing.T) {
	var r ReaderKey
	var w WriterKey
	for i := range 32 {
		r[i], w[i] = byte(i), byte(32+i)
	}
	box := BoxFor(r, w)
	if got, want := hex.EncodeToString(box[:]), "75fa365233d21732eeaafa21c83fc898f9db743b"; got != want {
		t.Errorf("box = %s, want %s", got, want)
	}
}

// TestBoxKeysAreNotInterchangeable: neither key, shown in the other's place,
// opens the box.
func TestBoxKeysAreNotInterchangeable(t *testing.T) {
	r, w := ReaderKey{1}, WriterKey{2}
	box := BoxFor(r, w)
	others := map[string]Box{
		"keys swapped":            BoxFor(ReaderKey(w), WriterKey(r)),
		"hashes swapped":          BoxOf(HashW(w), HashR(r)),
		"r hashed as a w":         BoxOf(HashW(WriterKey(r)), HashW(w)),
		"w read as r":             Listen{R: ReaderKey(w), HW: HashW(w)}.Box(),
		"r written as w":          Send{HR: HashR(r), W: WriterKey(r)}.Box(),
		"the hash shown as a key": Listen{R: ReaderKey(HashR(r)), HW: HashW(w)}.Box(),
	}
	for name, other := range others {
		if other == box {
			t.Errorf("%s: the same box", name)
		}
	}
}
