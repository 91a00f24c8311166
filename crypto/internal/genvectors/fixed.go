package main

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	abcrypto "answerback/crypto"
)

const (
	dayMS = 24 * 60 * 60 * 1000
	// now is a moment of November 2026; the ratchets start on this day.
	now = 1_796_000_000_000
)

// stream is where all randomness comes from: SHA-256 of name || counter, block
// after block.
type stream struct {
	name string
	n    uint64
	rest []byte
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.rest) < len(p) {
		block := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(s.name), s.n))
		s.rest, s.n = append(s.rest, block[:]...), s.n+1
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// fixed returns n bytes of the stream with this name.
func fixed(name string, n int) []byte {
	b := make([]byte, n)
	(&stream{name: name}).Read(b)
	return b
}

func signKey(name string) ed25519.PrivateKey { return ed25519.NewKeyFromSeed(fixed(name, 32)) }

func publicOf(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

var (
	agentKey  = signKey("agent key")
	deviceKey = signKey("device key")
	agentID   = abcrypto.AgentID(publicOf(agentKey))
	deviceID  = abcrypto.DeviceID(publicOf(deviceKey))
)

func enc(b []byte) string { return hex.EncodeToString(b) }

func hmacOf(key []byte, parts ...[]byte) []byte {
	m := hmac.New(sha256.New, key)
	for _, p := range parts {
		m.Write(p)
	}
	return m.Sum(nil)
}

func sha(parts ...[]byte) []byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// flip returns b with one bit of byte i changed.
func flip(b []byte, i int, bit byte) []byte {
	c := append([]byte(nil), b...)
	c[i] ^= bit
	return c
}

// set returns b with byte i replaced.
func set(b []byte, i int, v byte) []byte {
	c := append([]byte(nil), b...)
	c[i] = v
	return c
}

func cat(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// label spells a label out, so that the vectors do not rest on crypto.Label.
func label(word string) []byte { return []byte("answerback/1 " + word + "\x00") }

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}
