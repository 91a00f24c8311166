package pairing

import (
	"crypto/ecdh"
	"crypto/rand"
	"testing"
)

// TestEndpoints: a device names an https address of its push service, or one on
// loopback; whether a relay posts there is the relay's to say.
func TestEndpoints(t *testing.T) {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for endpoint, want := range map[string]bool{
		"https://push.example.net/1": true, "http://localhost:9001/push/1": true, "http://127.0.0.1/1": true, "http://[::1]:9001/1": true,
		"http://push.example.net/1": false, "http://localhost": false, "http://localhost.example.net/1": false, "http://127.0.0.1.example.net/1": false,
		"http://127.0.0.10/1": false, "ftp://localhost/1": false, "https://": false, "https://push.example.net/ 1": false,
	} {
		s := PushSubscription{Endpoint: endpoint, P256dh: key.PublicKey().Bytes(), Auth: make([]byte, 16)}
		if s.fits() != want {
			t.Errorf("%s: fits %v", endpoint, s.fits())
		}
	}
}
