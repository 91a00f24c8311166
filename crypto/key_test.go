package crypto

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"math/big"
	"slices"
	"testing"

	"filippo.io/edwards25519"
)

// smallOrderEncodings makes the 14 encodings anew: every y from 0 to 2^255-1 is
// too many, so it walks the eight points, and beside each canonical y the one
// that is larger by p where that still fits, with both sign bits.
func smallOrderEncodings(t *testing.T) (all []string) {
	t.Helper()
	for _, y := range smallOrderY(t) {
		for _, sign := range []byte{0, 0x80} {
			b := slices.Clone(y)
			b[31] |= sign
			all = append(all, hex.EncodeToString(b))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func smallOrderY(t *testing.T) (ys [][]byte) {
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	for _, point := range torsion(t) {
		y := point.Bytes()
		y[31] &= 0x7f
		ys = append(ys, y)
		if n := new(big.Int).Add(littleEndian(y), p); n.BitLen() <= 255 {
			ys = append(ys, toLittleEndian(n))
		}
	}
	return ys
}

// torsion returns the eight points P with 8P = 0: multiples of L*Q for a point Q
// of full order.
func torsion(t *testing.T) (points []*edwards25519.Point) {
	t.Helper()
	generator := fullTorsionPoint(t)
	point := edwards25519.NewIdentityPoint()
	for range 8 {
		points = append(points, new(edwards25519.Point).Set(point))
		point.Add(point, generator)
	}
	if point.Equal(edwards25519.NewIdentityPoint()) != 1 {
		t.Fatal("eight times the generator is not the identity")
	}
	return points
}

func fullTorsionPoint(t *testing.T) *edwards25519.Point {
	t.Helper()
	four := edwards25519.NewIdentityPoint()
	for i := byte(2); i < 255; i++ {
		q, err := new(edwards25519.Point).SetBytes(append([]byte{i}, make([]byte, 31)...))
		if err != nil {
			continue
		}
		g := timesL(q)
		four.Add(g, g)
		if four.Add(four, four).Equal(edwards25519.NewIdentityPoint()) == 0 {
			return g
		}
	}
	t.Fatal("no point of order eight found")
	return nil
}

// timesL multiplies by the group's prime order L, as (L-1)Q + Q, because L
// itself is the scalar 0.
func timesL(q *edwards25519.Point) *edwards25519.Point {
	one, _ := edwards25519.NewScalar().SetCanonicalBytes(append([]byte{1}, make([]byte, 31)...))
	minusOne := edwards25519.NewScalar().Negate(one)
	p := new(edwards25519.Point).ScalarMult(minusOne, q)
	return p.Add(p, q)
}

func littleEndian(b []byte) *big.Int {
	c := slices.Clone(b)
	slices.Reverse(c)
	return new(big.Int).SetBytes(c)
}

func toLittleEndian(n *big.Int) []byte {
	b := n.FillBytes(make([]byte, 32))
	slices.Reverse(b)
	return b
}

func TestSmallOrderTableIsWhatTheCurveSays(t *testing.T) {
	var table []string
	for _, y := range smallOrder {
		for _, sign := range []byte{0, 0x80} {
			b := y
			b[31] |= sign
			table = append(table, hex.EncodeToString(b[:]))
		}
	}
	slices.Sort(table)
	if want := smallOrderEncodings(t); len(want) != 14 || !slices.Equal(table, want) {
		t.Fatalf("table:\n%q\nthe curve's:\n%q", table, want)
	}
}

// The attack that the table is for: a "signature" that nobody made.
func TestSmallOrderKeysSignNothing(t *testing.T) {
	sig := append([]byte{1}, make([]byte, 63)...) // R = identity, S = 0
	taken := 0
	for _, enc := range smallOrderEncodings(t) {
		pub := unhex(t, enc)
		for i := range 64 {
			message := []byte{byte(i)}
			if ed25519.Verify(pub, message, sig) {
				taken++
			}
			if err := Verify(pub, message, sig); !errors.Is(err, ErrKey) {
				t.Fatalf("key %s: %v", enc, err)
			}
		}
	}
	if taken == 0 {
		t.Error("the standard library took none of these signatures: the test shows nothing any more")
	}
}

func TestCheckPublicKeyRefuses(t *testing.T) {
	good := publicOf(testKey("device"))
	for name, pub := range map[string][]byte{
		"nothing": nil, "31 bytes": good[:31], "33 bytes": append(slices.Clone(good), 0),
		"hex": []byte(hex.EncodeToString(good)), "zeros": make([]byte, 32),
		"ones": bytes.Repeat([]byte{0xff}, 32),
	} {
		if err := CheckPublicKey(pub); !errors.Is(err, ErrKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for first := 0xed; first <= 0xff; first++ { // every encoding that is not canonical
		for _, last := range []byte{0x7f, 0xff} {
			pub := nearPrime(byte(first))
			pub[31] = last
			if err := CheckPublicKey(pub[:]); !errors.Is(err, ErrKey) {
				t.Errorf("not canonical, %x: %v", pub, err)
			}
		}
	}
}

func TestCheckPublicKeyTakesRealKeys(t *testing.T) {
	for i := range 200 {
		if err := CheckPublicKey(publicOf(testKey(string(rune('a' + i))))); err != nil {
			t.Fatal(err)
		}
	}
}

func TestVerifyRefuses(t *testing.T) {
	key, message := testKey("device"), []byte("one call")
	pub, sig := publicOf(key), ed25519.Sign(key, message)
	if err := Verify(pub, message, sig); err != nil {
		t.Fatal(err)
	}
	plusL := slices.Clone(sig)
	copy(plusL[32:], toLittleEndian(new(big.Int).Add(littleEndian(sig[32:]), groupOrder())))
	for name, bad := range map[string][]byte{"none": nil, "short": sig[:63], "long": append(slices.Clone(sig), 0), "zeros": make([]byte, 64), "S + L": plusL} {
		if err := Verify(pub, message, bad); !errors.Is(err, ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range sig {
		bad := slices.Clone(sig)
		bad[i] ^= 1
		if err := Verify(pub, message, bad); !errors.Is(err, ErrSignature) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
	if err := Verify(publicOf(testKey("other")), message, sig); !errors.Is(err, ErrSignature) {
		t.Errorf("another key: %v", err)
	}
}

// groupOrder is L = 2^252 + 27742317777372353535851937790883648493.
func groupOrder() *big.Int {
	tail, _ := new(big.Int).SetString("27742317777372353535851937790883648493", 10)
	return tail.Add(tail, new(big.Int).Lsh(big.NewInt(1), 252))
}
