package crypto

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// ErrSigned is returned for a body that is no signed device message.
var ErrSigned = errors.New("crypto: parse signed message: it is not exactly of the form of protocol 1; refuse it")

// SignedMessage is the body of an envelope of TypePush, TypePasskey or
// TypeAdmin:
//
//	seq(8) || sig(64) || JSON
//
// Seq counts up from 1; the agent keeps the highest one of each device and
// refuses the rest, so a message is good once and in order.
type SignedMessage struct {
	Seq  uint64
	Sig  [64]byte
	Body []byte // JSON, which this package does not read
}

// SignedMessageBytes returns what is signed:
//
//	label "answerback/1 message" || 0x00 || suite || agent_id || device_id ||
//	type || seq(8) || H(body)
//
// with H plain SHA-256: 95 bytes.
func SignedMessageBytes(agent, device ID, typ byte, seq uint64, body []byte) []byte {
	b := append(Label(WordMessage), Suite)
	b = append(append(b, agent[:]...), device[:]...)
	b = binary.BigEndian.AppendUint64(append(b, typ), seq)
	h := sha256.Sum256(body)
	return append(b, h[:]...)
}

// SignMessage makes a signed message of this type. It returns ErrSigned if the
// type is none of the signed ones, seq is 0 or over MaxNumber, or the body is
// empty.
func SignMessage(key ed25519.PrivateKey, agent, device ID, typ byte, seq uint64, body []byte) (SignedMessage, error) {
	m := SignedMessage{Seq: seq, Body: body}
	if !signedType(typ) || !m.fits() {
		return SignedMessage{}, ErrSigned
	}
	m.Sig = [64]byte(ed25519.Sign(key, SignedMessageBytes(agent, device, typ, seq, body)))
	return m, nil
}

// Verify returns nil if this device signed the message for this agent, as one
// of this type. The caller compares Seq with the highest one before.
func (m SignedMessage) Verify(pub ed25519.PublicKey, agent ID, typ byte) error {
	if !signedType(typ) || !m.fits() {
		return ErrSigned
	}
	return Verify(pub, SignedMessageBytes(agent, DeviceID(pub), typ, m.Seq, m.Body), m.Sig[:])
}

// Bytes returns the body of the envelope.
func (m SignedMessage) Bytes() []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 72+len(m.Body)), m.Seq)
	return append(append(b, m.Sig[:]...), m.Body...)
}

// ParseSignedMessage reads the body of an envelope. Whatever it takes, Bytes
// prints the same again; it returns ErrSigned for everything else. The signature
// is not checked here.
func ParseSignedMessage(b []byte) (SignedMessage, error) {
	if len(b) < 72 {
		return SignedMessage{}, ErrSigned
	}
	m := SignedMessage{
		Seq:  binary.BigEndian.Uint64(b),
		Sig:  [64]byte(b[8:]),
		Body: append([]byte(nil), b[72:]...),
	}
	if !m.fits() {
		return SignedMessage{}, ErrSigned
	}
	return m, nil
}

func (m SignedMessage) fits() bool {
	return m.Seq > 0 && m.Seq <= MaxNumber && len(m.Body) > 0 && len(m.Body) <= MaxBody-72
}
