package pairing

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ed25519"
	"errors"
	"testing"
)

// Each target: what parses prints the same bytes again.

func FuzzParseBundle(f *testing.F) {
	f.Add(newAgent(f, "a").bundle.Marshal())
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, data []byte) {
		if b, err := ParseBundle(data); err == nil && !bytes.Equal(b.Marshal(), data) {
			t.Fatalf("%x\nprints as\n%x", data, b.Marshal())
		}
	})
}

func FuzzParseFields(f *testing.F) {
	key := testKey("phone").Public().(ed25519.PublicKey)
	f.Add(fields{Key: key, Name: "phone"}.marshal())
	f.Add(fullFields(f).marshal())
	f.Fuzz(func(t *testing.T, data []byte) {
		if g, err := parseFields(data); err == nil && !bytes.Equal(g.marshal(), data) {
			t.Fatalf("%x\nprints as\n%x", data, g.marshal())
		}
	})
}

// fullFields has everything that a phone may send.
func fullFields(t testing.TB) fields {
	t.Helper()
	seed := testHash("p256")
	subscription, err := ecdh.P256().NewPrivateKey(seed[:])
	if err != nil {
		t.Fatal(err)
	}
	return fields{
		Key: testKey("phone").Public().(ed25519.PublicKey), Nonce: testHash("N_d"), Name: "phone", Platform: "Android",
		Push:    PushSubscription{Endpoint: "https://push.example.net/1", P256dh: subscription.PublicKey().Bytes(), Auth: make([]byte, 16)},
		Passkey: Passkey{ID: []byte("id"), PublicKey: []byte("key")},
	}
}

func FuzzParseFinish(f *testing.F) {
	f.Add(finish{roster: []byte("[]"), clockMS: testNow}.marshal())
	f.Fuzz(func(t *testing.T, data []byte) {
		if g, err := parseFinish(data); err == nil && !bytes.Equal(g.marshal(), data) {
			t.Fatalf("%x\nprints as\n%x", data, g.marshal())
		}
	})
}

// A link may be written in more than one way, but every one of them means what
// its one printed form means.
func FuzzParseLink(f *testing.F) {
	f.Add(Link("https://relay.example.org", testOffer(), ""))
	f.Add(LinkQR("https://app.example.org", testOffer(), "relay.example.org"))
	f.Add("https://relay.example.org/p#")
	f.Fuzz(func(t *testing.T, text string) {
		app, o, relay, err := ParseLink(text)
		if err != nil {
			if app != "" || relay != "" || o != (Offer{}) {
				t.Fatalf("%q: refused with %q, %q", text, app, relay)
			}
			return
		}
		printed := Link(app, o, relay)
		if app2, o2, relay2, err := ParseLink(printed); err != nil || app2 != app || o2 != o || relay2 != relay {
			t.Fatalf("%q prints as %q: %v", text, printed, err)
		}
		if b, err := ParseOffer(o.Payload()); err != nil || b != o {
			t.Fatal(err)
		}
	})
}

// Noise changes nothing and is answered by nothing but the bundle and stops.
func FuzzAgentReceive(f *testing.F) {
	p := upToDigits(f, "seed").finish(f)
	for _, msg := range [][]byte{p.hello, p.bundle, p.msg1, p.msg2, p.msg3} {
		f.Add(uint64(testNow), msg)
	}
	f.Fuzz(func(t *testing.T, nowMS uint64, msg []byte) {
		a := newAgent(t, "a")
		_, event, err := a.Receive(nowMS, msg)
		if event.Locked != nil || a.lock != nil {
			t.Fatalf("locked by noise: %v", err)
		}
		if ok, _, _ := a.Digits("000000"); ok {
			t.Fatal("digits without a device")
		}
	})
}

func FuzzDeviceReceive(f *testing.F) {
	p := upToDigits(f, "seed").finish(f)
	for _, msg := range [][]byte{p.hello, p.bundle, p.msg1, p.msg2, p.msg3} {
		f.Add(msg)
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		d := upToDigits(t, "a").device
		if _, event, err := d.Receive(msg); event != (DeviceEvent{}) || !errors.Is(err, ErrIgnored) {
			t.Fatalf("took noise: %+v, %v", event, err)
		}
	})
}
