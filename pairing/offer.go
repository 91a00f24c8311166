package pairing

import (
	"crypto/subtle"
	"errors"
)

// offerSize is the length of an offer's payload in bytes.
const offerSize = 1 + 32 + 16

// ErrOffer is returned for bytes that are no offer of protocol 1.
var ErrOffer = errors.New("pairing: parse code: this is no pairing code of this version; scan it again or update the app")

// Offer is what the QR code carries: a secret that never goes through the relay,
// and the fingerprint of the bundle that the agent will send. It is used once.
type Offer struct {
	Secret      [32]byte // s
	Fingerprint [16]byte // H("bundle" || B)[:16]
}

// Payload returns version(1) || s(32) || fp(16), 49 bytes.
func (o Offer) Payload() []byte {
	b := append(make([]byte, 0, offerSize), offerVersion)
	return append(append(b, o.Secret[:]...), o.Fingerprint[:]...)
}

// ParseOffer reads what Payload made. A secret of zeros is refused.
func ParseOffer(b []byte) (Offer, error) {
	if len(b) != offerSize || b[0] != offerVersion {
		return Offer{}, ErrOffer
	}
	o := Offer{Secret: [32]byte(b[1:]), Fingerprint: [16]byte(b[33:])}
	var zero [32]byte
	if subtle.ConstantTimeCompare(o.Secret[:], zero[:]) == 1 {
		return Offer{}, ErrOffer
	}
	return o, nil
}
