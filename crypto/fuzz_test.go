package crypto

import (
	"bytes"
	"errors"
	"testing"
)

// Each target: what parses prints the same bytes again, and what does not parse
// comes back as nothing.

func FuzzParseAnswer(f *testing.F) {
	for _, a := range goodAnswers() {
		f.Add(a.Bytes())
	}
	f.Add([]byte("answerback/1 answer\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := ParseAnswer(b)
		if err != nil {
			if a.Decision != 0 || a.Payload != nil || !errors.Is(err, ErrAnswer) {
				t.Fatalf("refused with %+v, %v", a, err)
			}
			return
		}
		if !bytes.Equal(a.Bytes(), b) || a.Check() != nil {
			t.Fatalf("%x\nprints as\n%x", b, a.Bytes())
		}
	})
}

func FuzzParseAnswerMessage(f *testing.F) {
	for _, via := range []Via{ViaNotification, ViaApp, ViaPasskey} {
		f.Add(signedAnswer(f, Answered, via).Bytes())
		f.Add(signedAnswer(f, Deny, via).Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseAnswerMessage(b)
		if err != nil {
			if m.Answer.Decision != 0 || m.Raw != nil {
				t.Fatalf("refused with %+v", m)
			}
			return
		}
		if !bytes.Equal(m.Bytes(), b) || !bytes.Equal(m.Raw, m.Answer.Bytes()) {
			t.Fatalf("%x\nprints as\n%x", b, m.Bytes())
		}
	})
}

func FuzzParseSignedMessage(f *testing.F) {
	m, _ := SignMessage(testKey("device"), testAgent, testDevice, TypePush, 1, []byte("{}"))
	f.Add(m.Bytes())
	f.Add(make([]byte, 73))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := ParseSignedMessage(b); err == nil && !bytes.Equal(m.Bytes(), b) {
			t.Fatalf("%x\nprints as\n%x", b, m.Bytes())
		}
	})
}

// One plaintext for one message.
func FuzzUnpad(f *testing.F) {
	for _, n := range []int{0, 1, 507, 508, 2555, 2556} {
		plain, _ := pad(TypeCard, make([]byte, n))
		f.Add(plain)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		typ, body, err := unpad(b)
		if err != nil {
			return
		}
		if again, err := pad(typ, body); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x\nprints as\n%x, %v", b, again, err)
		}
	})
}

// A stranger's bytes move nothing, on either side, and cost a bounded time.
func FuzzOpen(f *testing.F) {
	agent, device := pairOf("fuzz")
	f.Add(sealCard(f, agent, testNow, "card"), testNow)
	f.Add(sealHello(f, device, "hello"), testNow)
	f.Add(make([]byte, minSealed), ^uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, nowMS uint64) {
		a, d := pairOf("another")
		_, errA := a.OpenAgent(testDevice, nowMS, b)
		_, errD := d.OpenDevice(testDevice, b)
		before, _ := pairOf("another")
		if errA == nil || errD == nil || *a != *before || *d != *before {
			t.Fatalf("opened or moved: %v, %v", errA, errD)
		}
	})
}

func FuzzParseID(f *testing.F) {
	f.Add(testDevice.String())
	f.Add("00")
	f.Fuzz(func(t *testing.T, s string) {
		if id, err := ParseID(s); err == nil && id.String() != s {
			t.Fatalf("%q prints as %q", s, id)
		}
	})
}
