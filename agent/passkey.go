package agent

import (
	"encoding/base64"
	"errors"

	"answerback/agent/internal/passkey"
	"answerback/pairing"
)

// errNoNewPasskey is what a device hears of that comes with a passkey after its pairing. Whoever holds an unlocked phone could otherwise put
// a passkey of their own in place of its person's.
var errNoNewPasskey = errors.New("a passkey is registered while a device is paired, never later; to add or replace one, pair the device again")

// storedPasskey is a device's passkey as the store holds it: bytes in base64url. The origin is that of the app at the pairing: a browser
// gives a passkey to no other.
type storedPasskey struct {
	ID     string `json:"id"`
	Key    string `json:"key"`
	Origin string `json:"origin"`
}

func storePasskey(c *passkey.Credential) *storedPasskey {
	if c == nil {
		return nil
	}
	return &storedPasskey{ID: base64.RawURLEncoding.EncodeToString(c.ID()), Key: base64.RawURLEncoding.EncodeToString(c.PublicKey()), Origin: c.Origin()}
}

// credential reads it back; registered is what the record says beside it. A record whose passkey is gone or cannot be read is no record: its
// device would be asked for less than its person chose.
func (s *storedPasskey) credential(registered bool) (*passkey.Credential, error) {
	if registered != (s != nil) {
		return nil, errors.New("its passkey is missing")
	}
	if s == nil {
		return nil, nil
	}
	id, err := base64.RawURLEncoding.DecodeString(s.ID)
	if err != nil {
		return nil, err
	}
	key, err := base64.RawURLEncoding.DecodeString(s.Key)
	if err != nil {
		return nil, err
	}
	c, err := passkey.Parse(id, key, s.Origin)
	return &c, err
}

// newPasskey is the passkey that a device registers in its first message; nil where it has none.
func (a *Agent) newPasskey(p pairing.Passkey) (*passkey.Credential, error) {
	if len(p.ID) == 0 {
		return nil, nil
	}
	c, err := passkey.Parse(p.ID, p.PublicKey, a.opts.AppOrigin)
	return &c, err
}

// confirms is what checks the passkey of this device; nil where it has none.
func (d device) confirms() func(challenge [32]byte, assertion []byte) error {
	if d.Passkey == nil {
		return nil
	}
	return d.Passkey.Verify
}
