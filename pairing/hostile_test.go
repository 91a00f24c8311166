package pairing

import (
	"crypto/ed25519"
	"errors"
	"slices"
	"testing"

	abcrypto "answerback/crypto"
)

// sealedBundle makes a bundle message as somebody who has s would.
func sealedBundle(o Offer, b []byte) []byte {
	box := abcrypto.SealBox(keysOfSecret(o.Secret).bundle, b, abcrypto.Label(abcrypto.WordBundle), &stream{name: "evil"})
	return append([]byte{typeBundle}, box...)
}

// A thief who knows s sends a bundle of his own: the fingerprint names another.
func TestDeviceRefusesABundleThatIsNotTheCodes(t *testing.T) {
	a := newAgent(t, "a")
	evil := a.bundle
	evil.AgentKey = testKey("evil").Public().(ed25519.PublicKey)
	d := newDevice(t, a.Offer(), "phone")
	if _, event, err := d.Receive(sealedBundle(a.Offer(), evil.Marshal())); !errors.Is(err, ErrNotOurs) || event.Bundle != nil {
		t.Fatalf("%+v, %v", event, err)
	}
	if _, _, err := d.Receive(a.bundleMsg); !errors.Is(err, ErrNotOurs) {
		t.Errorf("and goes on: %v", err)
	}
	if _, err := d.Confirm(); !errors.Is(err, ErrNotOurs) {
		t.Errorf("and confirms: %v", err)
	}
}

// Every byte of the code counts.
func TestDeviceRefusesABundleUnderAnotherCode(t *testing.T) {
	a := newAgent(t, "a")
	for i := range offerSize - 1 {
		o := a.Offer()
		want := ErrNotOurs
		if i < 32 {
			o.Secret[i] ^= 1
			want = ErrIgnored
		} else {
			o.Fingerprint[i-32] ^= 1
		}
		if _, event, err := newDevice(t, o, "phone").Receive(a.bundleMsg); event.Bundle != nil || !errors.Is(err, want) {
			t.Errorf("byte %d of the code changed: %v", i+1, err)
		}
	}
}

// What a hostile machine may put into its own code.
func TestDeviceRefusesHostileBundles(t *testing.T) {
	good := newAgent(t, "a").bundle
	for name, c := range map[string]struct {
		bundle []byte
		want   error
	}{
		"another suite":  {append([]byte{2}, good.Marshal()[1:]...), ErrVersion},
		"suite 0":        {append([]byte{0}, good.Marshal()[1:]...), ErrVersion},
		"empty":          {[]byte{}, ErrUnproven},
		"small order":    {with(good, func(b *Bundle) { b.AgentKey = make([]byte, 32) }), ErrUnproven},
		"identity":       {with(good, func(b *Bundle) { b.AgentKey = append([]byte{1}, make([]byte, 31)...) }), ErrUnproven},
		"no name":        {with(good, func(b *Bundle) { b.AgentName = "" }), ErrUnproven},
		"code of 1970":   {with(good, func(b *Bundle) { b.ExpiresMS = 1 }), ErrUnproven},
		"code after all": {with(good, func(b *Bundle) { b.ExpiresMS = 1 << 63 }), ErrUnproven},
		"relay is code":  {with(good, func(b *Bundle) { b.RelayURL = "javascript:1" }), ErrUnproven},
		"trailing":       {append(good.Marshal(), 0), ErrUnproven},
	} {
		o := Offer{Secret: [32]byte{1}, Fingerprint: fingerprint(c.bundle)}
		d := newDevice(t, o, "phone")
		if _, event, err := d.Receive(sealedBundle(o, c.bundle)); !errors.Is(err, c.want) || event.Bundle != nil {
			t.Errorf("%s: %+v, %v", name, event, err)
		}
	}
}

func with(b Bundle, change func(*Bundle)) []byte {
	change(&b)
	return b.Marshal()
}

// X25519 keys that make the shared secret zero, on both sides.
func TestZeroX25519(t *testing.T) {
	one := [32]byte{1}
	for _, point := range [][32]byte{{}, one} {
		b := with(newAgent(t, "a").bundle, func(b *Bundle) { b.Ephemeral = point })
		o := Offer{Secret: [32]byte{1}, Fingerprint: fingerprint(b)}
		d := newDevice(t, o, "phone")
		d.must(t, sealedBundle(o, b))
		if msg1, err := d.Confirm(); msg1 != nil || !errors.Is(err, ErrUnproven) {
			t.Errorf("device, e_a = %x: %v", point, err)
		}
		a := newAgent(t, "a")
		_, msg1 := confirmed(t, a, "phone")
		copy(msg1[1:], point[:])
		if _, event, err := a.Receive(testNow, msg1); event.Locked != nil || !errors.Is(err, ErrIgnored) {
			t.Errorf("agent, e_d = %x: %v", point, err)
		}
	}
}

// evilMsg1 makes msg1 as a device that holds s, with fields and a signature of
// its choice, and more behind them.
func evilMsg1(t *testing.T, a *AgentSide, raw []byte, key ed25519.PrivateKey, more ...byte) []byte {
	t.Helper()
	e, err := newX25519(&stream{name: "evil"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := newExchange(a.offer.Secret, e, a.bundle.Ephemeral, a.h1)
	if err != nil {
		t.Fatal(err)
	}
	public := [32]byte(e.PublicKey().Bytes())
	sig := make([]byte, 64)
	sig[0] = 1 // R = identity, S = 0
	if key != nil {
		sig = ed25519.Sign(key, pairBytes(a.h1, public, raw))
	}
	box := abcrypto.SealBox(x.keyMsg1(), slices.Concat(appendLong(nil, raw), sig, more), aad(abcrypto.WordMsg1, a.h1), &stream{name: "n"})
	return append(append([]byte{typeMsg1}, public[:]...), box...)
}

func TestAgentRefusesHostileFields(t *testing.T) {
	key := testKey("phone")
	good := fields{Key: key.Public().(ed25519.PublicKey), Name: "phone"}
	change := func(f func(*fields)) []byte { g := good; f(&g); return g.marshal() }
	for name, c := range map[string]struct {
		raw []byte
		key ed25519.PrivateKey
	}{
		"signed by another key": {good.marshal(), testKey("other")},
		"not signed":            {good.marshal(), nil},
		"key of small order":    {change(func(f *fields) { f.Key = make([]byte, 32) }), nil},
		"identity as key":       {change(func(f *fields) { f.Key = append([]byte{1}, make([]byte, 31)...) }), nil},
		"no name":               {change(func(f *fields) { f.Name = "" }), key},
		"name not UTF-8":        {change(func(f *fields) { f.Name = "\xff" }), key},
		"endpoint over http": {change(func(f *fields) {
			f.Push = PushSubscription{"http://push.example.net/1", make([]byte, 65), make([]byte, 16)}
		}), key},
		"push key is off curve": {change(func(f *fields) {
			f.Push = PushSubscription{"https://push.example.net/1", make([]byte, 65), make([]byte, 16)}
		}), key},
		"push key without address": {change(func(f *fields) { f.Push.Auth = make([]byte, 16) }), key},
		"passkey without key":      {change(func(f *fields) { f.Passkey.ID = []byte{1} }), key},
		"passkey id too long":      {change(func(f *fields) { f.Passkey = Passkey{make([]byte, 1024), []byte{1}} }), key},
		"trailing":                 {append(good.marshal(), 0), key},
		"empty":                    {nil, key},
	} {
		a := newAgent(t, "a")
		if reply, event, err := a.Receive(testNow, evilMsg1(t, a, c.raw, c.key)); reply != nil || event.Locked != nil || !errors.Is(err, ErrIgnored) {
			t.Errorf("%s: %+v, %v", name, event, err)
		}
	}
	a := newAgent(t, "a")
	if _, event, err := a.Receive(testNow, evilMsg1(t, a, good.marshal(), key, 0)); event.Locked != nil || !errors.Is(err, ErrIgnored) {
		t.Errorf("a byte behind the signature: %v", err)
	}
	if _, event, err := a.Receive(testNow, evilMsg1(t, a, good.marshal(), key)); event.Locked == nil || err != nil {
		t.Errorf("the good one: %v", err)
	}
}
