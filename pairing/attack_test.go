package pairing

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	abcrypto "answerback/crypto"
)

// B092: a key that comes from six digits is found by trying a million of them.
// Here the relay has the whole recording, the digits have no part in any key,
// and trying them opens nothing.
func TestB092_RecordingAndAllCodesOpenNothing(t *testing.T) {
	p := upToDigits(t, "a")
	secret := p.agent.offer.Secret
	p.finish(t)
	h1 := p.agent.h1 // more than the relay knows
	recording := []recorded{
		{p.bundle[1:], abcrypto.Label(abcrypto.WordBundle)}, {p.msg1[33:], aad(abcrypto.WordMsg1, h1)},
		{p.msg2[1:], aad(abcrypto.WordMsg2, h1)}, {p.msg3[1:], aad(abcrypto.WordMsg3, h1)},
	}
	if !opensAny(recording, secret) {
		t.Fatal("the attack would not work with the secret itself")
	}
	var wait sync.WaitGroup
	for part := range 4 {
		wait.Go(func() {
			for code := part; code < 1_000_000; code += 4 {
				if opensAny(recording, sha256.Sum256(fmt.Appendf(nil, "%06d", code))) {
					t.Errorf("code %06d opens a message", code)
				}
			}
		})
	}
	wait.Wait()
}

// recorded is one sealed message and what it was sealed over.
type recorded struct{ box, aad []byte }

// opensAny takes a guess as this protocol's secret, and as the key of any
// message: the two ways in which such systems use a code.
func opensAny(recording []recorded, guess [32]byte) bool {
	prk := abcrypto.Extract(nil, guess[:])
	if _, err := abcrypto.OpenBox(abcrypto.Expand(prk[:], abcrypto.WordBundle, nil, 32), recording[0].box, recording[0].aad); err == nil {
		return true
	}
	block, _ := aes.NewCipher(guess[:])
	gcm, _ := cipher.NewGCM(block)
	for _, r := range recording {
		if _, err := gcm.Open(nil, r.box[:12], r.box[12:], r.aad); err == nil {
			return true
		}
	}
	return false
}

// The relay that knows the digits besides (it looked over a shoulder) still
// cannot make a message of either side.
func TestB092_TheDigitsAloneForgeNothing(t *testing.T) {
	p := upToDigits(t, "a")
	if ok, _, _ := p.agent.Digits(p.digits); !ok {
		t.Fatal("digits")
	}
	key := sha256.Sum256([]byte(p.digits))
	forged := append([]byte{typeMsg3}, abcrypto.SealBox(key[:], make([]byte, 28), aad(abcrypto.WordMsg3, p.device.h1), &stream{})...)
	if _, event, err := p.device.Receive(forged); event.Paired != nil || !errors.Is(err, ErrIgnored) {
		t.Errorf("%v", err)
	}
}

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

// M014: the phone's key was a token that lay on the coding machine too. Here
// nothing that the machine holds, keeps or was sent can sign.
func TestM014_TheMachineHoldsNothingThatSigns(t *testing.T) {
	p := upToDigits(t, "a").finish(t)
	seed := testKey("a's phone").Seed()
	expanded := sha256.Sum256(seed)
	everything := memory(reflect.ValueOf([]any{p.atAgent, p.agent, p.hello, p.msg1, p.bundle, p.msg2, p.msg3}))
	if !bytes.Contains(everything, p.atAgent.DeviceKey) || !bytes.Contains(everything, p.agent.signKey.Seed()) {
		t.Fatal("the search itself finds nothing")
	}
	for _, secret := range [][]byte{seed, expanded[:], fmt.Appendf(nil, "%x", seed)} {
		if bytes.Contains(everything, secret) {
			t.Error("the device's private key is on the machine")
		}
	}
	if !bytes.Equal(p.atAgent.DeviceKey, testKey("a's phone").Public().(ed25519.PublicKey)) {
		t.Error("the machine bound another key")
	}
}

// memory joins all bytes and texts that can be reached from v.
func memory(v reflect.Value) (all []byte) {
	switch v.Kind() {
	case reflect.Uint8:
		return []byte{byte(v.Uint())}
	case reflect.String:
		return []byte(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return memory(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			all = append(all, memory(v.Index(i))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, memory(v.Field(i))...)
		}
	}
	return all
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
