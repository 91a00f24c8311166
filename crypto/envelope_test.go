package crypto

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// pairOf returns the two sides of a fresh pairing whose code ended today.
func pairOf(name string) (agent, device *Ratchet) {
	a, d := NewRatchet(testChain(name), testNow), NewRatchet(testChain(name), testNow)
	return &a, &d
}

func card(body string) Message { return Message{Type: TypeCard, Body: []byte(body)} }

func sealCard(t testing.TB, agent *Ratchet, nowMS uint64, body string) []byte {
	t.Helper()
	sealed, err := agent.SealAgent(testDevice, nowMS, card(body), &stream{name: body})
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func sealHello(t testing.TB, device *Ratchet, body string) []byte {
	t.Helper()
	sealed, err := device.SealDevice(testDevice, Message{Type: TypeHello, Body: []byte(body)}, &stream{name: body})
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func TestOpenRefusesEveryChange(t *testing.T) {
	agent, device := pairOf("a")
	sealed := sealCard(t, agent, testNow, "one card")
	for i := range sealed {
		for _, bit := range []byte{1, 0x80} {
			bad := slices.Clone(sealed)
			bad[i] ^= bit
			before := *device
			if m, err := device.OpenDevice(testDevice, bad); err == nil || m.Type != 0 {
				t.Fatalf("byte %d ^ %#x opened", i, bit)
			}
			if *device != before {
				t.Fatalf("byte %d ^ %#x moved the ratchet", i, bit)
			}
		}
	}
	for n := range sealed {
		if _, err := device.OpenDevice(testDevice, sealed[:n]); !errors.Is(err, ErrSize) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	if _, err := device.OpenDevice(testDevice, append(slices.Clone(sealed), 0)); !errors.Is(err, ErrOpen) {
		t.Errorf("one byte more: %v", err)
	}
	if m, err := device.OpenDevice(testDevice, sealed); err != nil || string(m.Body) != "one card" || m.Type != TypeCard {
		t.Errorf("the unchanged one: %+v, %v", m, err)
	}
}

func TestOpenRefusesWhatWasMadeForAnother(t *testing.T) {
	agent, device := pairOf("a")
	_, stranger := pairOf("another pairing")
	sealed := sealCard(t, agent, testNow, "one card")
	otherDevice := testDevice
	otherDevice[15] ^= 1
	if _, err := device.OpenDevice(otherDevice, sealed); !errors.Is(err, ErrOpen) {
		t.Errorf("another device id: %v", err)
	}
	if _, err := stranger.OpenDevice(testDevice, sealed); !errors.Is(err, ErrOpen) {
		t.Errorf("another pairing: %v", err)
	}
	if _, err := agent.OpenAgent(testDevice, testNow, sealed); !errors.Is(err, ErrOpen) {
		t.Errorf("reflected to its sender: %v", err)
	}
	if _, err := device.OpenDevice(testDevice, sealHello(t, device, "x")); !errors.Is(err, ErrOpen) {
		t.Errorf("reflected to the device: %v", err)
	}
}

func TestHeader(t *testing.T) {
	agent, device := pairOf("a")
	sealed := sealCard(t, agent, testNow, "one card")
	day, nonce, err := Header(sealed)
	if err != nil || day != DayOf(testNow) || !bytes.Equal(nonce[:], sealed[5:17]) {
		t.Errorf("day %d, nonce %x, %v", day, nonce, err)
	}
	m, err := device.OpenDevice(testDevice, sealed)
	if err != nil || m.Day != day || m.Nonce != nonce {
		t.Errorf("opened: day %d, nonce %x, %v", m.Day, m.Nonce, err)
	}
	for version := range 256 {
		bad := slices.Clone(sealed)
		bad[0] = byte(version)
		if _, _, err := Header(bad); version != EnvelopeVersion && !errors.Is(err, ErrFormat) {
			t.Errorf("version %d: %v", version, err)
		}
	}
	if _, _, err := Header(make([]byte, maxSealed+1)); !errors.Is(err, ErrSize) {
		t.Errorf("too long: %v", err)
	}
}

// sealPlain seals any plaintext with the right key.
func sealPlain(r *Ratchet, d Direction, plain []byte) []byte {
	hdr := []byte{EnvelopeVersion, byte(r.Newest >> 24), byte(r.Newest >> 16), byte(r.Newest >> 8), byte(r.Newest)}
	key := r.Chain.Next().Key(d)
	return append(hdr, SealBox(key[:], plain, aad(hdr, testDevice), &stream{name: "plain"})...)
}

// A sender that has the key, and a plaintext that is not the one for its body.
func TestOpenRefusesOtherPlaintexts(t *testing.T) {
	good, _ := pad(TypeCard, []byte("body"))
	change := func(f func(b []byte)) []byte { b := slices.Clone(good); f(b); return b }
	for name, plain := range map[string][]byte{
		"padding not zero, first":  change(func(b []byte) { b[9] = 1 }),
		"padding not zero, last":   change(func(b []byte) { b[511] = 1 }),
		"bucket not the smallest":  append(slices.Clone(good), make([]byte, 512)...),
		"no bucket":                append(slices.Clone(good), 0),
		"length beyond the bucket": change(func(b []byte) { b[3] = 2 }),
		"length of 4 GiB":          change(func(b []byte) { copy(b[1:], "\xff\xff\xff\xff") }),
		"type 0":                   change(func(b []byte) { b[0] = 0 }),
		"type of the other side":   change(func(b []byte) { b[0] = TypeHello }),
		"unknown type":             change(func(b []byte) { b[0] = 7 }),
		"type 255":                 change(func(b []byte) { b[0] = 255 }),
	} {
		_, device := pairOf("a")
		before := *device
		if m, err := device.OpenDevice(testDevice, sealPlain(device, ToDevice, plain)); !errors.Is(err, ErrFormat) || m.Type != 0 {
			t.Errorf("%s: %v", name, err)
		}
		if *device != before {
			t.Errorf("%s: moved the ratchet", name)
		}
	}
}

func TestSealRefusesTypesOfTheOtherSide(t *testing.T) {
	agent, device := pairOf("a")
	for typ := range 256 {
		m := Message{Type: byte(typ)}
		_, errA := agent.SealAgent(testDevice, testNow, m, &stream{})
		_, errD := device.SealDevice(testDevice, m, &stream{})
		if want := typ >= 1 && typ <= 6; (errA == nil) != want {
			t.Errorf("agent, type %d: %v", typ, errA)
		}
		if want := typ >= 17 && typ <= 23; (errD == nil) != want {
			t.Errorf("device, type %d: %v", typ, errD)
		}
		if Direction(3).ValidType(byte(typ)) || Direction(0).ValidType(byte(typ)) {
			t.Errorf("type %d is valid in no direction", typ)
		}
	}
}

func TestBuckets(t *testing.T) {
	for body, want := range map[int]int{
		0: 512, 507: 512, 508: 1024, 1019: 1024, 1020: 2048, 2043: 2048, 2044: 2560, PushBody: 2560, PushBody + 1: 16384,
		16379: 16384, 16380: 32768, 245755: 245760, 245756: 262144, MaxBody: 262144,
	} {
		agent, device := pairOf("a")
		m := Message{Type: TypeCard, Body: bytes.Repeat([]byte{'x'}, body)}
		sealed, err := agent.SealAgent(testDevice, testNow, m, &stream{})
		if err != nil || len(sealed) != want+Overhead {
			t.Errorf("body of %d bytes: %d sealed, %v", body, len(sealed), err)
			continue
		}
		if got, err := device.OpenDevice(testDevice, sealed); err != nil || !bytes.Equal(got.Body, m.Body) {
			t.Errorf("body of %d bytes does not come back: %v", body, err)
		}
	}
	agent, _ := pairOf("a")
	if _, err := agent.SealAgent(testDevice, testNow, Message{Type: TypeCard, Body: make([]byte, MaxBody+1)}, &stream{}); !errors.Is(err, ErrSize) {
		t.Errorf("too long: %v", err)
	}
}

// With device_id in front and RFC 8291 around it, a message of the push bucket
// is the 2,712 bytes that every browser takes.
func TestPushBucketFits(t *testing.T) {
	if n := 16 + 2560 + Overhead + PushOverhead; n != 2712 {
		t.Errorf("%d bytes", n)
	}
	if 16+2560+Overhead > MaxPush {
		t.Error("SealPush would refuse it")
	}
}

// Without the key, messages of one bucket differ in nothing but random bytes.
func TestRelayCannotTellCardFromReceipt(t *testing.T) {
	agent, _ := pairOf("a")
	a := sealCard(t, agent, testNow, "one card of some length")
	b, err := agent.SealAgent(testDevice, testNow, Message{Type: TypeReceipt}, &stream{name: "b"})
	if err != nil || len(a) != len(b) || !bytes.Equal(a[:5], b[:5]) {
		t.Errorf("%d and %d bytes, headers %x and %x, %v", len(a), len(b), a[:5], b[:5], err)
	}
}

func TestB106_ReplayReflectAndReorderOpenNothing(t *testing.T) {
	agent, device := pairOf("a")
	day0 := sealHello(t, device, "day 0")
	for n := range uint64(3) { // both sides go on for three days
		if _, err := device.OpenDevice(testDevice, sealCard(t, agent, testNow+(n+1)*dayMS, fmt.Sprint(n))); err != nil {
			t.Fatal(err)
		}
		if _, err := agent.OpenAgent(testDevice, testNow+(n+1)*dayMS, sealHello(t, device, fmt.Sprint(n))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := agent.OpenAgent(testDevice, testNow+3*dayMS, day0); !errors.Is(err, ErrDay) {
		t.Errorf("a message of an older day, replayed: %v", err)
	}
	redated := slices.Clone(day0)
	copy(redated[1:5], sealHello(t, device, "now")[1:5])
	if _, err := agent.OpenAgent(testDevice, testNow+3*dayMS, redated); !errors.Is(err, ErrOpen) {
		t.Errorf("the same with today's header: %v", err)
	}
	// Within the day the envelope opens again by design, so that the same bytes
	// can be sent until the receipt; what makes it once is the number or the
	// request id inside, and both are signed.
	m, _ := SignMessage(testKey("device"), testAgent, testDevice, TypeAdmin, 7, []byte("{}"))
	m.Seq = 8
	if err := m.Verify(publicOf(testKey("device")), testAgent, TypeAdmin); !errors.Is(err, ErrSignature) {
		t.Errorf("a replayed message with a new number: %v", err)
	}
}
