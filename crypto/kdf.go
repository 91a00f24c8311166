package crypto

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Extract returns HKDF-Extract(salt, ikm) with SHA-256 (RFC 5869 section 2.2).
// An empty salt stands for 32 zero bytes.
func Extract(salt, ikm []byte) [32]byte {
	prk, err := hkdf.Extract(sha256.New, ikm, salt)
	if err != nil { // only in FIPS mode, for short keys
		panic("crypto: extract: " + err.Error())
	}
	return [32]byte(prk)
}

// Expand returns n bytes of HKDF-Expand(prk, Label(word) || context) with
// SHA-256 (RFC 5869 section 2.3). It panics if n is over 8,160, which no caller
// asks for.
func Expand(prk []byte, word string, context []byte, n int) []byte {
	info := append(Label(word), context...)
	out, err := hkdf.Expand(sha256.New, prk, string(info), n)
	if err != nil {
		panic("crypto: expand: " + err.Error())
	}
	return out
}

// mac returns HMAC-SHA-256(key, Label(word) || parts). With a last part of 0x01
// it is the first block of HKDF-Expand.
func mac(key [32]byte, word string, parts ...[]byte) [32]byte {
	m := hmac.New(sha256.New, key[:])
	m.Write(Label(word))
	for _, p := range parts {
		m.Write(p)
	}
	return [32]byte(m.Sum(nil))
}

// Digits returns six decimal digits: the number in the first eight bytes, modulo
// 10^6, with leading zeros. It panics on fewer than eight bytes.
func Digits(eight []byte) string {
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(eight)%1_000_000)
}
