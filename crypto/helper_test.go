package crypto

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"
)

const (
	dayMS   = uint64(msPerDay)
	testNow = uint64(1_796_000_000_000) // a day in November 2026
)

// stream is a reader of bytes that depend on its name alone: SHA-256 of name ||
// counter, block after block.
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

func testKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

func testChain(name string) Chain { return sha256.Sum256([]byte(name)) }

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var (
	testAgent  = AgentID(publicOf(testKey("agent")))
	testDevice = DeviceID(publicOf(testKey("device")))
)
