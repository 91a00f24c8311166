package pairing

import (
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	abcrypto "answerback/crypto"
)

// B093: a photo of the screen was enough to pair. Here the first device locks
// the code and is named, the second one aborts it, and none is bound before its
// digits were typed at the machine.
func TestB093_PhotoOfTheCode(t *testing.T) {
	for _, order := range []string{"thief first", "thief second", "thief alone"} {
		a := newAgent(t, "a")
		phone, phoneMsg1 := confirmed(t, a, "phone")
		thief, thiefMsg1 := confirmed(t, a, "thief")
		first, second := thiefMsg1, phoneMsg1
		if order == "thief second" {
			first, second = phoneMsg1, thiefMsg1
		}
		_, event := a.must(t, first)
		want := map[string]string{"thief first": "phone thief", "thief second": "phone phone", "thief alone": "phone thief"}[order]
		if event.Locked == nil || event.Locked.DeviceName != want {
			t.Errorf("%s: locked by %+v", order, event.Locked)
		}
		if _, _, err := a.Finish(testNow, nil); !errors.Is(err, ErrOrder) {
			t.Errorf("%s: bound without digits: %v", order, err)
		}
		if order == "thief alone" {
			continue
		}
		stop, _, err := a.Receive(testNow, second)
		if !errors.Is(err, ErrTwoDevices) {
			t.Errorf("%s: %v", order, err)
		}
		if stopReason(phone, stop) != StopTwoDevices || stopReason(thief, stop) != StopTwoDevices {
			t.Errorf("%s: a device does not hear of it", order)
		}
	}
}

// B093: the thief came first, the person sees digits nowhere; digits of the
// person's own phone for another code do not fit either.
func TestB093_DigitsBelongToOneDeviceAndOneCode(t *testing.T) {
	same := 0
	const runs = 200
	for i := range runs {
		mine, other := upToDigits(t, fmt.Sprint("mine", i)), upToDigits(t, fmt.Sprint("other", i))
		if ok, _, _ := mine.agent.Digits(other.digits); ok {
			same++
		}
	}
	if same > 1 { // one in a million each
		t.Errorf("%d of %d foreign codes were taken", same, runs)
	}
}

// B093: a code is good for one pairing.
func TestB093_UsedOnce(t *testing.T) {
	p := upToDigits(t, "a")
	late := newDevice(t, p.agent.Offer(), "late")
	late.must(t, p.bundle)
	msg1, _ := late.Confirm()
	p.finish(t)
	for _, msg := range [][]byte{msg1, late.Hello()} {
		if reply, event, err := p.agent.Receive(testNow, msg); reply != nil || event.Locked != nil || !errors.Is(err, ErrIgnored) {
			t.Errorf("type %d after the end: %v", msg[0], err)
		}
	}
}

// evilAgent is a machine of a thief, whose code the person was led to scan.
type evilAgent struct {
	*AgentSide
	x exchange
}

// msg2 answers msg1 with any nonce and key.
func (e *evilAgent) msg2(t *testing.T, msg1 []byte, nonce [32]byte, key ed25519.PrivateKey) []byte {
	t.Helper()
	x, _, err := e.openMsg1(msg1[1:])
	if err != nil {
		t.Fatal(err)
	}
	x.nonceA = nonce
	sig := ed25519.Sign(key, x.confirmBytes())
	e.x = x
	return append([]byte{typeMsg2}, abcrypto.SealBox(x.keyMsg2(), append(nonce[:], sig...), aad(abcrypto.WordMsg2, e.h1), e.random)...)
}

// The commitment: without it this machine would try nonces until its digits are
// those that the person will read elsewhere.
func TestAgentCannotChooseItsNonceLate(t *testing.T) {
	e := &evilAgent{AgentSide: newAgent(t, "evil")}
	d, msg1 := confirmed(t, e.AgentSide, "phone")
	target := "40" // two of the six digits are enough to show that trying works
	var nonce [32]byte
	var msg2 []byte
	for n := uint64(0); ; n++ {
		binary.BigEndian.PutUint64(nonce[:], n)
		if msg2 = e.msg2(t, msg1, nonce, e.signKey); e.x.digits()[:2] == target {
			break
		}
	}
	if _, event, err := d.Receive(msg2); event.Digits != "" || !errors.Is(err, ErrUnproven) {
		t.Fatalf("digits %q, %v", event.Digits, err)
	}
	if _, event, err := d.Receive(e.msg2(t, msg1, e.nonceA, e.signKey)); event.Digits != "" || !errors.Is(err, ErrUnproven) {
		t.Errorf("and goes on with the right one: %q, %v", event.Digits, err)
	}
}

// The signature: without it somebody who knows s and has the commitment opened
// could stand in for the machine.
func TestAgentMustSignThisTranscript(t *testing.T) {
	e := &evilAgent{AgentSide: newAgent(t, "a")}
	d, msg1 := confirmed(t, e.AgentSide, "phone")
	if _, event, err := d.Receive(e.msg2(t, msg1, e.nonceA, testKey("evil"))); event.Digits != "" || !errors.Is(err, ErrUnproven) {
		t.Errorf("another key: %q, %v", event.Digits, err)
	}
	// A signature over another device's transcript of the same code.
	d, msg1 = confirmed(t, e.AgentSide, "phone 2")
	_, otherMsg1 := confirmed(t, e.AgentSide, "phone 3")
	e.msg2(t, otherMsg1, e.nonceA, e.signKey)
	otherSig := ed25519.Sign(e.signKey, e.x.confirmBytes())
	e.msg2(t, msg1, e.nonceA, e.signKey)
	box := abcrypto.SealBox(e.x.keyMsg2(), slices.Concat(e.nonceA[:], otherSig), aad(abcrypto.WordMsg2, e.h1), e.random)
	if _, event, err := d.Receive(append([]byte{typeMsg2}, box...)); event.Digits != "" || !errors.Is(err, ErrUnproven) {
		t.Errorf("another transcript: %q, %v", event.Digits, err)
	}
}

// B106: replay and reflection inside a live pairing.
func TestB106_ReplayInsideAPairing(t *testing.T) {
	p := upToDigits(t, "a")
	other := upToDigits(t, "a") // the same code run again from the same stream, as a cloned machine would
	for _, msg := range [][]byte{p.bundle, p.msg2} {
		if reply, event, err := p.agent.Receive(testNow, msg); reply != nil || event.Locked != nil || !errors.Is(err, ErrIgnored) {
			t.Errorf("reflected to the agent, type %d: %v", msg[0], err)
		}
	}
	for _, msg := range [][]byte{p.hello, p.msg1} {
		if _, event, err := p.device.Receive(msg); event != (DeviceEvent{}) || !errors.Is(err, ErrIgnored) {
			t.Errorf("reflected to the device, type %d: %v", msg[0], err)
		}
	}
	stop := other.agent.Stop(StopCancelled)
	p.finish(t)
	if _, _, err := p.device.Receive(stop); !errors.Is(err, ErrIgnored) {
		t.Errorf("a stop after the end: %v", err)
	}
}

// Two pairings of the same machine and the same device share no key, box or day
// chain, and what the device signs for one is nothing in the other.
func TestPairingsShareNothing(t *testing.T) {
	a, b := upToDigits(t, "a").finish(t).atAgent, upToDigits(t, "b").finish(t).atAgent
	seen := map[[32]byte]bool{}
	for _, p := range []*Paired{a, b} {
		keys := append(p.Boxes.ReadKey[:], p.Boxes.WriteKey[:]...)
		for _, k := range append(keys, p.Ratchet.Chain) {
			if seen[k] || k == [32]byte{} {
				t.Errorf("key %x twice, or zero", k)
			}
			seen[k] = true
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d keys", len(seen))
	}
}
