package crypto

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
)

// ID names an agent or a device: the first 16 bytes of the labelled hash of its
// public key. As text it is 32 lower-case hex digits.
type ID [16]byte

// ErrID is returned for text that is no id.
var ErrID = errors.New("crypto: parse id: it must be 32 lower-case hex digits; take it from answerback devices")

// AgentID returns H("agent" || pub)[:16].
func AgentID(pub ed25519.PublicKey) ID { return shortID(WordAgent, pub) }

// DeviceID returns H("device" || pub)[:16].
func DeviceID(pub ed25519.PublicKey) ID { return shortID(WordDevice, pub) }

func shortID(word string, pub []byte) ID {
	h := Hash(word, pub)
	return ID(h[:16])
}

// String returns the id as 32 lower-case hex digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// ParseID is the inverse of String and takes nothing else.
func ParseID(s string) (ID, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(ID{}) || hex.EncodeToString(b) != s {
		return ID{}, ErrID
	}
	return ID(b), nil
}

// MarshalText writes the id as String does, for JSON.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseID(string(text))
	return err
}
