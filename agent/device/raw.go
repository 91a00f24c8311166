package device

import (
	"context"
	"crypto/ed25519"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
)

// Raw lets tests and the demo misbehave from outside: sign what was never offered, sign with another key, send bytes twice. It checks
// nothing and keeps nothing; no surface for a person uses it.
type Raw struct{ d *Device }

// Raw is the device without its manners.
func (d *Device) Raw() Raw { return Raw{d} }

// Statement is what Answer would sign, for a card that is here or not, without any check.
func (r Raw) Statement(id card.RequestID, reply Reply) abcrypto.Answer {
	a, _ := r.d.statement(id, reply)
	return a
}

// Sign makes the body of an answer message of any statement, signed with any key: State.SignKey is the right one.
func (r Raw) Sign(a abcrypto.Answer, key ed25519.PrivateKey) []byte {
	m := abcrypto.AnswerMessage{Answer: a, Raw: a.Bytes()}
	m.Sig = [64]byte(ed25519.Sign(key, m.Raw))
	return m.Bytes()
}

// Seal seals any body as a message of any type to the agent.
func (r Raw) Seal(typ byte, body []byte) ([]byte, error) {
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	return r.d.seal(typ, body)
}

// SealAnswer signs and seals a reply as Answer does, without its checks and without keeping it.
func (r Raw) SealAnswer(id card.RequestID, reply Reply) ([]byte, error) {
	key, err := r.d.key(reply.Decision)
	if err != nil {
		return nil, err
	}
	return r.Seal(abcrypto.TypeAnswer, r.Sign(r.Statement(id, reply), key))
}

// Send writes sealed bytes to the agent's mailbox, once.
func (r Raw) Send(ctx context.Context, sealed []byte) error { return r.d.send(ctx, sealed) }

// Sealed are the bytes that Answer keeps for this card, to be replayed; nil if there are none.
func (r Raw) Sealed(id card.RequestID) []byte {
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	if kept := r.d.state.memory.outbox[id]; kept != nil {
		return kept.sealed
	}
	return nil
}
