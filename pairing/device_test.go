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

func TestDeviceForgets(t *testing.T) {
	d := upToDigits(t, "a").finish(t).device
	if d.offer.Secret != [32]byte{} || d.x != (exchange{}) || d.ephemeral != nil || d.signKey != nil || d.fields.Nonce != [32]byte{} {
		t.Error("a secret is left")
	}
}

// What an agent that signs well must still not send.
func TestDeviceRefusesHostileMsg3(t *testing.T) {
	own := abcrypto.DeviceID(testKey("a's phone").Public().(ed25519.PublicKey))
	for name, f := range map[string]finish{
		"another device":  {device: abcrypto.ID{1}, roster: []byte("[]"), clockMS: testNow},
		"roster too long": {device: own, roster: make([]byte, MaxRoster+1), clockMS: testNow},
		"clock too far":   {device: own, roster: []byte("[]"), clockMS: abcrypto.MaxNumber + 1},
	} {
		p := upToDigits(t, "a")
		x := p.device.x
		box := abcrypto.SealBox(x.last(abcrypto.WordMsg3, 32), f.marshal(), aad(abcrypto.WordMsg3, p.device.h1), &stream{})
		if _, event, err := p.device.Receive(append([]byte{typeMsg3}, box...)); event.Paired != nil || !errors.Is(err, ErrUnproven) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
