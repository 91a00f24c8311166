package pairing

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
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
