package pairing

import (
	"crypto/ecdh"
	"io"

	abcrypto "answerback/crypto"
)

// Boxes are the mailbox keys of both directions: who reads a box shows its r,
// who writes shows its w.
type Boxes struct {
	ReadKey, WriteKey [2][32]byte // index direction-1
}

// R returns the reader key of the mailbox of this direction.
func (b Boxes) R(d abcrypto.Direction) [32]byte { return b.ReadKey[d-1] }

// W returns the writer key of the mailbox of this direction.
func (b Boxes) W(d abcrypto.Direction) [32]byte { return b.WriteKey[d-1] }

// boxesFrom derives the mailbox keys: Expand(prk, word, direction).
func boxesFrom(prk [32]byte, wordR, wordW string) (b Boxes) {
	for _, d := range []abcrypto.Direction{abcrypto.ToDevice, abcrypto.ToAgent} {
		context := []byte{byte(d)}
		b.ReadKey[d-1] = [32]byte(abcrypto.Expand(prk[:], wordR, context, 32))
		b.WriteKey[d-1] = [32]byte(abcrypto.Expand(prk[:], wordW, context, 32))
	}
	return b
}

// secretKeys are what both sides know of s alone: PRK_s = Extract(nil, s).
type secretKeys struct {
	bundle, stop []byte
	boxes        Boxes
}

func keysOfSecret(s [32]byte) secretKeys {
	prk := abcrypto.Extract(nil, s[:])
	return secretKeys{
		bundle: abcrypto.Expand(prk[:], abcrypto.WordBundle, nil, 32),
		stop:   abcrypto.Expand(prk[:], abcrypto.WordStop, nil, 32),
		boxes:  boxesFrom(prk, abcrypto.WordPairBoxR, abcrypto.WordPairBoxW),
	}
}

// exchange is what both sides know after msg1 (H1, H2, R) and after msg2 (N_a).
type exchange struct {
	r      [32]byte // Extract(salt = s, X25519(e_d, e_a))
	h1, h2 [32]byte
	nonceA [32]byte
}

// newExchange runs X25519 (RFC 7748 section 6.1). It returns ErrFormat where the
// result would be all zero.
func newExchange(s [32]byte, own *ecdh.PrivateKey, other [32]byte, h1 [32]byte) (exchange, error) {
	public, err := ecdh.X25519().NewPublicKey(other[:])
	if err != nil {
		return exchange{}, ErrFormat
	}
	shared, err := own.ECDH(public)
	if err != nil {
		return exchange{}, ErrFormat
	}
	return exchange{r: abcrypto.Extract(s[:], shared), h1: h1}, nil
}

// hashOfMsg1 sets H2 = H("t2" || H1 || msg1), msg1 as sent without its type.
func (x *exchange) hashOfMsg1(msg1 []byte) {
	x.h2 = abcrypto.Hash(abcrypto.WordT2, x.h1[:], msg1)
}

func (x *exchange) keyMsg1() []byte {
	return abcrypto.Expand(x.r[:], abcrypto.WordMsg1, x.h1[:], 32)
}

func (x *exchange) keyMsg2() []byte {
	return abcrypto.Expand(x.r[:], abcrypto.WordMsg2, x.h2[:], 32)
}

// last derives n bytes for what depends on the whole transcript: H2 || N_a.
func (x *exchange) last(word string, n int) []byte {
	return abcrypto.Expand(x.r[:], word, append(x.h2[:], x.nonceA[:]...), n)
}

func (x *exchange) digits() string { return abcrypto.Digits(x.last(abcrypto.WordDigits, 8)) }

// aad returns label || H1.
func aad(word string, h1 [32]byte) []byte { return append(abcrypto.Label(word), h1[:]...) }

// confirmBytes are what the agent signs: "confirm" || H2 || N_a, 86 bytes.
func (x *exchange) confirmBytes() []byte {
	b := append(abcrypto.Label(abcrypto.WordConfirm), x.h2[:]...)
	return append(b, x.nonceA[:]...)
}

// pairBytes are what the device signs: "pair" || H1 || e_d.pub || len(4) || F.
func pairBytes(h1, ephemeral [32]byte, f []byte) []byte {
	b := append(abcrypto.Label(abcrypto.WordPair), h1[:]...)
	return appendLong(append(b, ephemeral[:]...), f)
}

func commitment(nonceA [32]byte) [32]byte {
	return abcrypto.Hash(abcrypto.WordCommit, nonceA[:])
}

// newX25519 makes a key from 32 random bytes. ecdh's own GenerateKey would not
// read them from random.
func newX25519(random io.Reader) (*ecdh.PrivateKey, error) {
	b, err := random32(random)
	if err != nil {
		return nil, err
	}
	return ecdh.X25519().NewPrivateKey(b[:])
}

func random32(random io.Reader) (b [32]byte, err error) {
	_, err = io.ReadFull(random, b[:])
	return b, err
}
