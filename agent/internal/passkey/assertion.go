package passkey

import (
	"encoding/binary"
	"fmt"
)

// Bounds of an assertion's parts, in bytes.
const (
	minAuthenticatorData = 37 // hash of the relying party's id(32) || flags(1) || counter(4)
	maxAuthenticatorData = 1024
	maxClientData        = 4096
	maxSignature         = 128 // Ed25519 has 64, P-256 in DER at most 72
)

// Assertion is what a browser gives for one challenge. In an answer message it is
//
//	str authenticatorData || str clientDataJSON || str signature
//
// where str is len(2) || bytes, big endian. Which credential made it is not said: a device has at most one.
type Assertion struct {
	AuthenticatorData []byte
	ClientDataJSON    []byte
	Signature         []byte
}

// Bytes returns the assertion as an answer message carries it.
func (a Assertion) Bytes() []byte {
	var b []byte
	for _, part := range [][]byte{a.AuthenticatorData, a.ClientDataJSON, a.Signature} {
		b = binary.BigEndian.AppendUint16(b, uint16(len(part)))
		b = append(b, part...)
	}
	return b
}

// ParseAssertion reads what Bytes prints and nothing else. Error: ErrForm.
func ParseAssertion(b []byte) (a Assertion, err error) {
	for _, part := range []struct {
		into     *[]byte
		min, max int
	}{
		{&a.AuthenticatorData, minAuthenticatorData, maxAuthenticatorData}, {&a.ClientDataJSON, 2, maxClientData}, {&a.Signature, 1, maxSignature},
	} {
		if *part.into, b, err = take(b, part.min, part.max); err != nil {
			return Assertion{}, err
		}
	}
	if len(b) > 0 {
		return Assertion{}, fmt.Errorf("%w: bytes follow its end", ErrForm)
	}
	return a, nil
}

func take(b []byte, low, high int) (part, rest []byte, err error) {
	if len(b) < 2 {
		return nil, nil, fmt.Errorf("%w: it ends early", ErrForm)
	}
	n := int(binary.BigEndian.Uint16(b))
	if n < low || n > high || n > len(b)-2 {
		return nil, nil, fmt.Errorf("%w: a part of %d bytes", ErrForm, n)
	}
	return b[2 : 2+n : 2+n], b[2+n:], nil
}
