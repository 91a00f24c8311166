package crypto

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"io"
)

// Sizes around a sealed text, in bytes.
const (
	NonceSize   = 12
	TagSize     = 16
	BoxOverhead = NonceSize + TagSize
)

// ErrOpen is returned for a sealed text that these keys did not make, or that
// was changed on the way. It is ignored: the sender sends again.
var ErrOpen = errors.New("crypto: open: these bytes were not sealed with this key; ignore them")

// SealBox returns nonce(12) || AES-256-GCM(key, plaintext, aad) with a nonce
// from random (NIST SP 800-38D). It panics if the key is not 32 bytes or random
// fails: there is nothing safe to do without a nonce.
func SealBox(key, plaintext, aad []byte, random io.Reader) []byte {
	out := make([]byte, NonceSize, len(plaintext)+BoxOverhead)
	if _, err := io.ReadFull(random, out); err != nil {
		panic("crypto: seal: no randomness: " + err.Error())
	}
	return gcm(key).Seal(out, out, plaintext, aad)
}

// OpenBox is the inverse of SealBox. It returns ErrOpen for anything that
// SealBox did not make with this key and aad.
func OpenBox(key, sealed, aad []byte) ([]byte, error) {
	if len(sealed) < BoxOverhead {
		return nil, ErrOpen
	}
	plaintext, err := gcm(key).Open(nil, sealed[:NonceSize], sealed[NonceSize:], aad)
	if err != nil {
		return nil, ErrOpen
	}
	return plaintext, nil
}

func gcm(key []byte) cipher.AEAD {
	if len(key) != 32 { // never AES-128 or AES-192 by accident
		panic("crypto: a box key must be 32 bytes")
	}
	return newGCM(key)
}

func newGCM(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("crypto: " + err.Error())
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic("crypto: " + err.Error())
	}
	return aead
}
