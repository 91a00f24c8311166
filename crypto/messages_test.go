package crypto

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"
)

func signedAnswer(t testing.TB, d Decision, via Via) AnswerMessage {
	t.Helper()
	var assertion []byte
	if via == ViaPasskey {
		assertion = []byte(`{"assertion":1}`)
	}
	m, err := SignAnswer(testKey("device"), goodAnswer(d, via), assertion)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnswerMessageRoundTrip(t *testing.T) {
	for _, via := range []Via{ViaNotification, ViaApp, ViaPasskey} {
		m := signedAnswer(t, Answered, via)
		got, err := ParseAnswerMessage(m.Bytes())
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("via %d: %+v, %v", via, got, err)
		}
		if err := got.Verify(publicOf(testKey("device"))); err != nil {
			t.Errorf("via %d: %v", via, err)
		}
	}
}

func TestAnswerMessageRefusesEveryChange(t *testing.T) {
	for _, via := range []Via{ViaApp, ViaPasskey} {
		m := signedAnswer(t, Answered, via)
		good := m.Bytes()
		for i := range good[:len(m.Raw)+66] {
			bad := slices.Clone(good)
			bad[i] ^= 1
			if got, err := ParseAnswerMessage(bad); err == nil && got.Verify(publicOf(testKey("device"))) == nil {
				t.Fatalf("via %d, byte %d changed: verified", via, i)
			}
		}
		for n := range good {
			if _, err := ParseAnswerMessage(good[:n]); !errors.Is(err, ErrAnswer) {
				t.Fatalf("via %d, cut to %d bytes: %v", via, n, err)
			}
		}
		if _, err := ParseAnswerMessage(append(good, 0)); !errors.Is(err, ErrAnswer) {
			t.Errorf("via %d, one byte more: %v", via, err)
		}
	}
}

func TestAnswerMessageRefusesOtherKeys(t *testing.T) {
	m := signedAnswer(t, Allow, ViaApp)
	if err := m.Verify(publicOf(testKey("other"))); !errors.Is(err, ErrSignature) {
		t.Errorf("another key: %v", err)
	}
	identity := append([]byte{1}, make([]byte, 31)...)
	m.Sig = [64]byte{0: 1}
	if err := m.Verify(identity); !errors.Is(err, ErrKey) {
		t.Errorf("a key of small order: %v", err)
	}
}

// The assertion is there exactly when the answer says so.
func TestAssertionFitsVia(t *testing.T) {
	for name, c := range map[string]struct {
		via       Via
		assertion []byte
	}{
		"app with an assertion":     {ViaApp, []byte("x")},
		"passkey without":           {ViaPasskey, nil},
		"passkey, too long":         {ViaPasskey, make([]byte, MaxAssertion+1)},
		"notification with":         {ViaNotification, []byte("x")},
		"passkey, length not exact": {ViaPasskey, make([]byte, 1<<16)},
	} {
		if _, err := SignAnswer(testKey("device"), goodAnswer(Allow, c.via), c.assertion); !errors.Is(err, ErrAnswer) {
			t.Errorf("%s: signed: %v", name, err)
		}
		m := signedAnswer(t, Allow, c.via)
		m.Assertion = c.assertion
		if _, err := ParseAnswerMessage(m.Bytes()); !errors.Is(err, ErrAnswer) {
			t.Errorf("%s: parsed: %v", name, err)
		}
	}
}

func TestSignedMessageRoundTrip(t *testing.T) {
	for typ := TypePush; typ <= TypeAdmin; typ++ {
		m, err := SignMessage(testKey("device"), testAgent, testDevice, typ, 9, []byte(`{"action":"pause"}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseSignedMessage(m.Bytes())
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Fatalf("%+v, %v", got, err)
		}
		if err := got.Verify(publicOf(testKey("device")), testAgent, typ); err != nil {
			t.Errorf("type %d: %v", typ, err)
		}
	}
}

func TestSignedMessageBytesLayout(t *testing.T) {
	b := SignedMessageBytes(testAgent, testDevice, TypePush, 0x0102, []byte("{}"))
	h := unhex(t, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a") // SHA-256 of {}
	want := slices.Concat([]byte("answerback/1 message\x00\x01"), testAgent[:], testDevice[:], []byte{21, 0, 0, 0, 0, 0, 0, 1, 2}, h)
	if !bytes.Equal(b, want) || len(b) != 95 {
		t.Errorf("%d bytes: %x", len(b), b)
	}
}

// A signed message is good for one agent, one device, one type, one number and
// one body.
func TestSignedMessageIsBoundToEverything(t *testing.T) {
	key := testKey("device")
	m, err := SignMessage(key, testAgent, testDevice, TypeAdmin, 9, []byte(`{"action":"resume"}`))
	if err != nil {
		t.Fatal(err)
	}
	for typ := range 256 {
		if err := m.Verify(publicOf(key), testAgent, byte(typ)); (err == nil) != (byte(typ) == TypeAdmin) {
			t.Errorf("as type %d: %v", typ, err)
		}
	}
	otherAgent := AgentID(publicOf(testKey("another agent")))
	if err := m.Verify(publicOf(key), otherAgent, TypeAdmin); !errors.Is(err, ErrSignature) {
		t.Errorf("for another agent: %v", err)
	}
	if err := m.Verify(publicOf(testKey("other")), testAgent, TypeAdmin); !errors.Is(err, ErrSignature) {
		t.Errorf("by another device: %v", err)
	}
	for i := range m.Bytes() {
		bad := m.Bytes()
		bad[i] ^= 1
		if got, err := ParseSignedMessage(bad); err == nil && got.Verify(publicOf(key), testAgent, TypeAdmin) == nil {
			t.Errorf("byte %d changed: verified", i)
		}
	}
}

func TestSignedMessageRefuses(t *testing.T) {
	key := testKey("device")
	for name, c := range map[string]struct {
		typ  byte
		seq  uint64
		body []byte
	}{
		"number 0":          {TypeAdmin, 0, []byte("{}")},
		"number over 2^53":  {TypeAdmin, MaxNumber + 1, []byte("{}")},
		"empty body":        {TypeAdmin, 1, nil},
		"body too long":     {TypeAdmin, 1, make([]byte, MaxBody-71)},
		"type of an answer": {TypeAnswer, 1, []byte("{}")},
		"type 0":            {0, 1, []byte("{}")},
		"agent's type":      {TypeState, 1, []byte("{}")},
	} {
		if _, err := SignMessage(key, testAgent, testDevice, c.typ, c.seq, c.body); !errors.Is(err, ErrSigned) {
			t.Errorf("%s: signed: %v", name, err)
		}
		if signedType(c.typ) {
			m := SignedMessage{Seq: c.seq, Body: c.body}
			if _, err := ParseSignedMessage(m.Bytes()); !errors.Is(err, ErrSigned) {
				t.Errorf("%s: parsed: %v", name, err)
			}
		}
	}
	for n := range 72 {
		if _, err := ParseSignedMessage(make([]byte, n)); !errors.Is(err, ErrSigned) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
