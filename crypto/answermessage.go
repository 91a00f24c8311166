package crypto

import (
	"crypto/ed25519"
	"encoding/binary"
)

// MaxAssertion is the longest passkey assertion that an answer message carries,
// in bytes.
const MaxAssertion = 8 << 10

// AnswerMessage is the body of an envelope of TypeAnswer:
//
//	answer bytes (116 + n) || sig(64) || len(2) || passkey assertion
//
// The assertion is there exactly when the answer says ViaPasskey. Raw are the
// answer's bytes as signed; ReceiptHash and UVChallenge are taken of them.
type AnswerMessage struct {
	Answer    Answer
	Raw       []byte
	Sig       [64]byte
	Assertion []byte
}

// SignAnswer makes the message that carries a, signed with the device's key. It
// returns ErrAnswer for an answer that nobody would accept.
func SignAnswer(key ed25519.PrivateKey, a Answer, assertion []byte) (AnswerMessage, error) {
	if err := a.Check(); err != nil {
		return AnswerMessage{}, err
	}
	m := AnswerMessage{Answer: a, Raw: a.Bytes(), Assertion: assertion}
	if !m.assertionFits() {
		return AnswerMessage{}, ErrAnswer
	}
	m.Sig = [64]byte(ed25519.Sign(key, m.Raw))
	return m, nil
}

// Verify returns nil if the answer was signed by this key. It proves who signed
// these bytes and nothing about the card: that is agent/card's work.
func (m AnswerMessage) Verify(pub ed25519.PublicKey) error { return Verify(pub, m.Raw, m.Sig[:]) }

// Bytes returns the body.
func (m AnswerMessage) Bytes() []byte {
	b := make([]byte, 0, len(m.Raw)+66+len(m.Assertion))
	b = append(append(b, m.Raw...), m.Sig[:]...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(m.Assertion)))
	return append(b, m.Assertion...)
}

// ParseAnswerMessage reads a body. Whatever it takes, Bytes prints the same
// again; it returns ErrAnswer for everything else. The signature is not checked
// here.
func ParseAnswerMessage(b []byte) (AnswerMessage, error) {
	raw, rest, ok := cutAnswer(b)
	if !ok {
		return AnswerMessage{}, ErrAnswer
	}
	a, err := ParseAnswer(raw)
	if err != nil {
		return AnswerMessage{}, err
	}
	m := AnswerMessage{Answer: a, Raw: raw, Sig: [64]byte(rest), Assertion: append([]byte(nil), rest[66:]...)}
	if int(binary.BigEndian.Uint16(rest[64:])) != len(m.Assertion) || !m.assertionFits() {
		return AnswerMessage{}, ErrAnswer
	}
	return m, nil
}

// cutAnswer returns a copy of the answer's bytes, and the signature and what is
// behind it, which are at least 66 bytes.
func cutAnswer(b []byte) (raw, rest []byte, ok bool) {
	if len(b) < AnswerSize+66 {
		return nil, nil, false
	}
	n := binary.BigEndian.Uint32(b[112:])
	if n > MaxPayload || len(b) < AnswerSize+int(n)+66 {
		return nil, nil, false
	}
	end := AnswerSize + int(n)
	return append([]byte(nil), b[:end]...), b[end:], true
}

func (m AnswerMessage) assertionFits() bool {
	if m.Answer.Via != ViaPasskey {
		return len(m.Assertion) == 0
	}
	return len(m.Assertion) > 0 && len(m.Assertion) <= MaxAssertion
}
