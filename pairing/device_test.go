package pairing

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"slices"
	"strings"
	"testing"

	abcrypto "answerback/crypto"
)

func TestNewDeviceSideRefuses(t *testing.T) {
	a := newAgent(t, "a")
	for name, change := range map[string]func(*DeviceConfig){
		"no offer":          func(c *DeviceConfig) { c.Offer = Offer{} },
		"no key":            func(c *DeviceConfig) { c.SignKey = nil },
		"no randomness":     func(c *DeviceConfig) { c.Random = nil },
		"no name":           func(c *DeviceConfig) { c.DeviceName = "" },
		"long name":         func(c *DeviceConfig) { c.DeviceName = strings.Repeat("x", 65) },
		"long platform":     func(c *DeviceConfig) { c.Platform = strings.Repeat("x", 65) },
		"half subscription": func(c *DeviceConfig) { c.Push.Endpoint = "https://push.example.net/1" },
		"half passkey":      func(c *DeviceConfig) { c.Passkey.ID = []byte{1} },
	} {
		cfg := DeviceConfig{Offer: a.Offer(), SignKey: testKey("p"), DeviceName: "phone", Random: &stream{}}
		change(&cfg)
		if d, err := NewDeviceSide(cfg); err == nil || d != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDeviceIgnoresEveryChangedByte(t *testing.T) {
	p := upToDigits(t, "a")
	p.agent.Digits(p.digits)
	msg3, _, err := p.agent.Finish(testNow, []byte("[]"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		msg    []byte
		device func() *DeviceSide
	}{
		"bundle": {p.bundle, func() *DeviceSide { return newDevice(t, newAgent(t, "a").Offer(), "x") }},
		"msg2":   {p.msg2, func() *DeviceSide { d, _ := confirmed(t, newAgent(t, "a"), "a's phone"); return d }},
		"msg3":   {msg3, func() *DeviceSide { return upToDigits(t, "a").device }},
		"stop":   {upToDigits(t, "a").agent.Stop(StopRefused), func() *DeviceSide { return upToDigits(t, "a").device }},
	} {
		d := c.device()
		for i := range c.msg {
			bad := slices.Clone(c.msg)
			bad[i] ^= 1
			if _, event, err := d.Receive(bad); !errors.Is(err, ErrIgnored) || event != (DeviceEvent{}) {
				t.Fatalf("%s, byte %d: %+v, %v", name, i, event, err)
			}
			if _, event, err := d.Receive(c.msg[:i]); !errors.Is(err, ErrIgnored) || event != (DeviceEvent{}) {
				t.Fatalf("%s cut to %d bytes: %+v, %v", name, i, event, err)
			}
		}
		if _, event, err := d.Receive(c.msg); event == (DeviceEvent{}) && name != "stop" {
			t.Errorf("%s unchanged: %v", name, err)
		}
	}
}

// The messages of another code, in every state of the device.
func TestDeviceIgnoresMessagesOfAnotherCode(t *testing.T) {
	other := upToDigits(t, "other").finish(t)
	otherStop := upToDigits(t, "third").agent.Stop(StopCancelled)
	d := newDevice(t, newAgent(t, "a").Offer(), "phone")
	inState := func(state string) {
		t.Helper()
		for _, msg := range [][]byte{other.bundle, other.msg2, other.msg3, otherStop, other.msg1, other.hello} {
			if _, event, err := d.Receive(msg); !errors.Is(err, ErrIgnored) || event != (DeviceEvent{}) {
				t.Errorf("%s: took message type %d: %+v, %v", state, msg[0], event, err)
			}
		}
	}
	inState("at the start")
	a := newAgent(t, "a")
	d.must(t, a.bundleMsg)
	inState("after the bundle")
	msg1, _ := d.Confirm()
	inState("after msg1")
	msg2, _ := a.must(t, msg1)
	d.must(t, msg2)
	inState("after msg2")
}

func TestDeviceIgnoresMessagesBeforeTheirTime(t *testing.T) {
	p := upToDigits(t, "a").finish(t)
	d := newDevice(t, newAgent(t, "a").Offer(), "a's phone")
	early := func(state string, msgs ...[]byte) {
		t.Helper()
		for _, msg := range msgs {
			if _, event, err := d.Receive(msg); !errors.Is(err, ErrIgnored) || event != (DeviceEvent{}) {
				t.Errorf("%s: message type %d: %+v, %v", state, msg[0], event, err)
			}
		}
	}
	if _, err := d.Confirm(); !errors.Is(err, ErrOrder) {
		t.Errorf("Confirm before the bundle: %v", err)
	}
	early("before the bundle", p.msg2, p.msg3)
	d.must(t, p.bundle)
	early("before msg1", p.msg2, p.msg3)
	if msg1, err := d.Confirm(); err != nil || !bytes.Equal(msg1, p.msg1) {
		t.Fatal("the stream gives another msg1")
	}
	early("before msg2", p.msg3)
	if d.must(t, p.msg2).Digits != p.digits {
		t.Error("other digits")
	}
}

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
// its choice.
func evilMsg1(t *testing.T, a *AgentSide, raw []byte, key ed25519.PrivateKey) []byte {
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
	box := abcrypto.SealBox(x.keyMsg1(), append(appendLong(nil, raw), sig...), aad(abcrypto.WordMsg1, a.h1), &stream{name: "n"})
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
	if _, event, err := a.Receive(testNow, evilMsg1(t, a, good.marshal(), key)); event.Locked == nil || err != nil {
		t.Errorf("the good one: %v", err)
	}
}

func TestDeviceForgets(t *testing.T) {
	d := upToDigits(t, "a").finish(t).device
	if d.offer.Secret != [32]byte{} || d.x != (exchange{}) || d.ephemeral != nil || d.signKey != nil || d.fields.Nonce != [32]byte{} {
		t.Error("a secret is left")
	}
}

func TestMsg3ForAnotherDevice(t *testing.T) {
	p := upToDigits(t, "a")
	plain := finish{device: abcrypto.ID{1}, roster: []byte("[]"), clockMS: testNow}.marshal()
	x := p.device.x
	box := abcrypto.SealBox(x.last(abcrypto.WordMsg3, 32), plain, aad(abcrypto.WordMsg3, p.device.h1), &stream{})
	if _, event, err := p.device.Receive(append([]byte{typeMsg3}, box...)); event.Paired != nil || !errors.Is(err, ErrUnproven) {
		t.Errorf("%v", err)
	}
}
