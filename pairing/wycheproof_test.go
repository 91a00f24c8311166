package pairing

import (
	"crypto/ecdh"
	"encoding/json"
	"os"
	"testing"

	abcrypto "answerback/crypto"
)

// X25519 as the handshake uses it, with every odd point of Wycheproof. A result
// of zeros is refused, all others are what the file says.
func TestExchangeOnWycheproof(t *testing.T) {
	raw, err := os.ReadFile("../crypto/testdata/wycheproof/x25519_test.json")
	if err != nil {
		t.Fatal(err)
	}
	var w struct {
		TestGroups []struct {
			Tests []struct {
				TcID                             int
				Comment, Public, Private, Shared string
			}
		}
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		t.Fatal(err)
	}
	s, ran, refused := testHash("s"), 0, 0
	for _, c := range w.TestGroups[0].Tests {
		own, err := ecdh.X25519().NewPrivateKey(unhex(t, c.Private))
		if err != nil {
			t.Fatal(err)
		}
		shared := [32]byte(unhex(t, c.Shared))
		x, err := newExchange(s, own, [32]byte(unhex(t, c.Public)), [32]byte{})
		if (err != nil) != (shared == [32]byte{}) {
			t.Errorf("%d, %s: %v", c.TcID, c.Comment, err)
		}
		if err == nil && x.r != abcrypto.Extract(s[:], shared[:]) {
			t.Errorf("%d, %s: another result", c.TcID, c.Comment)
		}
		if ran++; err != nil {
			refused++
		}
	}
	if ran < 500 || refused < 20 {
		t.Errorf("%d cases, %d refused", ran, refused)
	}
}
