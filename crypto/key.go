package crypto

import (
	"bytes"
	"crypto/ed25519"
	"errors"
)

// Faults of keys and signatures.
var (
	ErrKey       = errors.New("crypto: check public key: it is not 32 bytes of a canonical Ed25519 point of large order; do not trust its sender")
	ErrSignature = errors.New("crypto: verify signature: it was not made by this key over these bytes; refuse the message")
)

// smallOrder holds the y coordinates of the eight points of small order, and of
// their encodings that are not canonical, with the sign bit cleared: 7 rows, 14
// encodings. Under such a key a signature of R = identity, S = 0 verifies for
// many messages or for all, in Go and in browsers alike. A test makes the table
// again with filippo.io/edwards25519.
var smallOrder = [7][32]byte{
	{}, // y = 0
	{0: 1},
	{0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
		0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
	{0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
		0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
	nearPrime(0xec), // p - 1
	nearPrime(0xed), // p, another y = 0
	nearPrime(0xee), // p + 1, another y = 1
}

// nearPrime returns the 32 bytes first || ff .. ff || 7f, a number next to
// p = 2^255 - 19.
func nearPrime(first byte) (b [32]byte) {
	b[0] = first
	copy(b[1:], bytes.Repeat([]byte{0xff}, 30))
	b[31] = 0x7f
	return b
}

// CheckPublicKey returns ErrKey unless pub is 32 bytes, none of the 14 encodings
// of small order, and canonical (y < 2^255 - 19), so that one key has one id.
// It is called once, where a key is first accepted. It does not prove that the
// point is on the curve: under a key that is not, no signature verifies.
func CheckPublicKey(pub []byte) error {
	if len(pub) != ed25519.PublicKeySize {
		return ErrKey
	}
	y := [32]byte(pub)
	y[31] &= 0x7f
	for _, s := range smallOrder {
		if y == s {
			return ErrKey
		}
	}
	if first := y[0]; first >= 0xed && y == nearPrime(first) {
		return ErrKey
	}
	return nil
}

// Verify returns nil if sig is a signature by pub over message (RFC 8032), and
// ErrKey or ErrSignature if not. Keys of small order verify nothing.
func Verify(pub ed25519.PublicKey, message, sig []byte) error {
	if err := CheckPublicKey(pub); err != nil {
		return err
	}
	if !ed25519.Verify(pub, message, sig) {
		return ErrSignature
	}
	return nil
}
