package crypto

import (
	"bytes"
	"crypto/ecdh"
	"encoding/base64"
	"errors"
	"slices"
	"testing"
)

func unbase64(t *testing.T, s string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// RFC 8291 section 5 and appendix A. The example's salt and sender key are what
// our function would have drawn.
const (
	rfcText   = "When I grow up, I want to be a watermelon"
	rfcSender = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
	rfcP256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	rfcAuth   = "BTBZMqHH6r4Tts7J_aSIgg"
	rfcSalt   = "DGv6ra1nlYgDCS1FRnbzlw"
	rfcBody   = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)

func TestSealPushAsInRFC8291(t *testing.T) {
	random := bytes.NewReader(slices.Concat(unbase64(t, rfcSalt), unbase64(t, rfcSender)))
	got, err := SealPush(unbase64(t, rfcP256dh), unbase64(t, rfcAuth), []byte(rfcText), random)
	if err != nil || !bytes.Equal(got, unbase64(t, rfcBody)) {
		t.Fatalf("%x, %v", got, err)
	}
	if len(got) != len(rfcText)+PushOverhead {
		t.Errorf("%d bytes over the text", len(got)-len(rfcText))
	}
}

// TestPushKeysAsInRFC8291: the values between, of appendix A.
func TestPushKeysAsInRFC8291(t *testing.T) {
	sender, err := ecdh.P256().NewPrivateKey(unbase64(t, rfcSender))
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := ecdh.P256().NewPublicKey(unbase64(t, rfcP256dh))
	if err != nil {
		t.Fatal(err)
	}
	shared, err := sender.ECDH(receiver)
	if err != nil || !bytes.Equal(shared, unbase64(t, "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")) {
		t.Fatalf("shared secret %x, %v", shared, err)
	}
	key, nonce := pushKeys(shared, unbase64(t, rfcAuth), unbase64(t, rfcSalt), receiver.Bytes(), sender.PublicKey().Bytes())
	if !bytes.Equal(key, unbase64(t, "oIhVW04MRdy2XN9CiKLxTg")) || !bytes.Equal(nonce, unbase64(t, "4h_95klXJ5E_qnoN")) {
		t.Errorf("key %x, nonce %x", key, nonce)
	}
}

// TestRecordAsInRFC8188: section 3.1, one record under a key that is given.
func TestRecordAsInRFC8188(t *testing.T) {
	salt := [16]byte(unbase64(t, "I1BsxtFttlv3u_Oo94xnmw"))
	key, nonce := recordKeys(unbase64(t, "yqdlZ-tYemfogSmv7Ws5PQ"), salt[:])
	got := newGCM(key).Seal(pushHeader(salt, nil), nonce, []byte("I am the walrus\x02"), nil)
	if want := unbase64(t, "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg"); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

func TestSealPushTakesUpTo2800Bytes(t *testing.T) {
	p256dh, auth := unbase64(t, rfcP256dh), unbase64(t, rfcAuth)
	got, err := SealPush(p256dh, auth, make([]byte, MaxPush), &stream{})
	if err != nil || len(got) != 2800 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := SealPush(p256dh, auth, make([]byte, MaxPush+1), &stream{}); !errors.Is(err, ErrPush) {
		t.Errorf("one byte more: %v", err)
	}
}

func TestSealPushRefusesBrokenSubscriptions(t *testing.T) {
	p256dh, auth := unbase64(t, rfcP256dh), unbase64(t, rfcAuth)
	offCurve := slices.Clone(p256dh)
	offCurve[64] ^= 1
	compressed := append([]byte{2}, p256dh[1:33]...)
	for name, key := range map[string][]byte{
		"none": nil, "short": p256dh[:64], "long": append(slices.Clone(p256dh), 0), "off the curve": offCurve,
		"compressed": compressed, "zeros": make([]byte, 65), "infinity": {0},
	} {
		if _, err := SealPush(key, auth, nil, &stream{}); !errors.Is(err, ErrPush) {
			t.Errorf("key %s: %v", name, err)
		}
	}
	for _, bad := range [][]byte{nil, auth[:15], append(slices.Clone(auth), 0)} {
		if _, err := SealPush(p256dh, bad, nil, &stream{}); !errors.Is(err, ErrPush) {
			t.Errorf("auth of %d bytes: %v", len(bad), err)
		}
	}
}

func TestSealPushNeedsRandomness(t *testing.T) {
	for _, n := range []int{0, 15, 16, 47} {
		if _, err := SealPush(unbase64(t, rfcP256dh), unbase64(t, rfcAuth), nil, bytes.NewReader(make([]byte, n))); err == nil {
			t.Errorf("%d random bytes are enough", n)
		}
	}
}

// Bytes that are no scalar are passed over.
func TestNewP256TakesTheNextBytes(t *testing.T) {
	good := unbase64(t, rfcSender)
	want, err := ecdh.P256().NewPrivateKey(good)
	if err != nil {
		t.Fatal(err)
	}
	got, err := newP256(bytes.NewReader(slices.Concat(make([]byte, 32), bytes.Repeat([]byte{0xff}, 32), good)))
	if err != nil || !got.Equal(want) {
		t.Errorf("%v", err)
	}
}
