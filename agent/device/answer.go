package device

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
)

// The refusals of Answer, and the two ways in which an answer can be without a receipt.
var (
	ErrNoCard    = errors.New("no such card is here; it may have ended")
	ErrAlready   = errors.New("this card was answered here before, in another way; an answer is signed once")
	ErrDecision  = errors.New("the decision does not fit the kind of card")
	ErrNoPasskey = errors.New("the passkey did not confirm the answer; nothing was sent")
	// ErrNotDelivered says that the answer reached nobody: there was no way to the agent.
	ErrNotDelivered = errors.New("not delivered: there was no way to the agent. send it again when there is")
	// ErrNoReceipt says that the answer went out and the agent has not spoken: the call may have run.
	ErrNoReceipt = errors.New("no receipt yet: the agent may or may not have the answer, and it may have run. send it again; it counts once")
)

// NoAllowError says why a card offers no Allow.
type NoAllowError struct{ Reason card.NoAllow }

func (e *NoAllowError) Error() string {
	return "this card offers no allow here (" + string(e.Reason) + "); deny it, or answer at the machine"
}

// Reply is what a person decided about one card. The zero Reply is refused.
type Reply struct {
	Decision abcrypto.Decision
	Via      abcrypto.Via
	Words    string       // with Deny: what the caller is told
	Answers  card.Answers // with Answered
	Rule     *int         // with Allow: also make the rule of this index on the card; nil: none
}

// Answer signs the decision, once, and sends it until a receipt names it; then it returns the receipt. What became of the answer is in the
// receipt's Outcome: only card.Accepted and card.Counted say that it was used. When ctx ends first the error wraps ErrNotDelivered or
// ErrNoReceipt; Answer with the same decision sends the same bytes again.
// Other errors, after which nothing was sent: ErrNoCard, ErrAlready, ErrDecision, *NoAllowError, ErrNoPasskey, and those of Options.Key
// and Options.Save.
func (d *Device) Answer(ctx context.Context, id card.RequestID, r Reply) (card.Receipt, error) {
	if err := d.decide(id, r); err != nil {
		return card.Receipt{}, fmt.Errorf("device: answer %s: %w", id, err)
	}
	receipt, err := d.deliver(ctx, id)
	if err != nil {
		return card.Receipt{}, fmt.Errorf("device: answer %s: %w", id, err)
	}
	return receipt, nil
}

// decide signs, seals and keeps the answer, unless the same one is kept already.
func (d *Device) decide(id card.RequestID, r Reply) error {
	if done, err := d.decidable(id, r); done || err != nil {
		return err
	}
	statement, err := d.statement(id, r)
	if err != nil {
		return err
	}
	body, err := d.sign(statement) // may ask a person: without the lock
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if before := d.state.memory.outbox[id]; before != nil {
		return same(before, r)
	}
	sealed, err := d.seal(abcrypto.TypeAnswer, body)
	if err != nil {
		return err
	}
	return d.keep(id, &reply{decision: r.Decision, hash: abcrypto.ReceiptHash(statement.Bytes()), sealed: sealed})
}

// keep puts the answer into the outbox and onto the disk. The caller holds the lock.
func (d *Device) keep(id card.RequestID, r *reply) error {
	if d.state.memory.outbox == nil {
		d.state.memory.outbox = map[card.RequestID]*reply{}
	}
	d.state.memory.outbox[id] = r
	if err := d.save(); err != nil {
		delete(d.state.memory.outbox, id)
		return err
	}
	d.broadcast()
	return nil
}

// decidable checks whether the card takes the decision. done: it was made before, and is kept.
func (d *Device) decidable(id card.RequestID, r Reply) (done bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if before := d.state.memory.outbox[id]; before != nil {
		return true, same(before, r)
	}
	h := d.cards[id]
	if h == nil {
		return false, ErrNoCard
	}
	if !card.Fits(h.card.Kind, r.Decision) {
		return false, ErrDecision
	}
	reason := d.noAllow(h)
	widens := r.Decision == abcrypto.Allow || r.Decision == abcrypto.Answered
	if reason == card.Already || reason == card.Watching || widens && reason != card.Offered {
		return false, &NoAllowError{reason}
	}
	return false, nil
}

func same(before *reply, r Reply) error {
	if before.decision != r.Decision {
		return ErrAlready
	}
	return nil
}

// statement is what is signed.
func (d *Device) statement(id card.RequestID, r Reply) (abcrypto.Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := abcrypto.Answer{
		Agent: d.state.Agent, Device: d.state.Device, Request: id, Decision: r.Decision, Via: r.Via,
		MadeMS: uint64(max(d.opt.Now().UnixMilli(), 0)), Payload: []byte(r.Words),
	}
	if h := d.cards[id]; h != nil {
		a.CardDigest = h.digest
	}
	if r.Rule != nil {
		a.Flags = abcrypto.RuleFlags(*r.Rule)
	}
	if r.Decision == abcrypto.Answered {
		payload, err := r.Answers.Marshal()
		if err != nil {
			return abcrypto.Answer{}, err
		}
		a.Payload = payload
	}
	return a, a.Check()
}

// sign makes the body of the answer message.
func (d *Device) sign(a abcrypto.Answer) ([]byte, error) {
	var assertion []byte
	if a.Via == abcrypto.ViaPasskey {
		var err error
		if assertion, err = d.assert(a); err != nil {
			return nil, err
		}
	}
	key, err := d.key(a.Decision)
	if err != nil {
		return nil, err
	}
	m, err := abcrypto.SignAnswer(key, a, assertion)
	if err != nil {
		return nil, err
	}
	return m.Bytes(), nil
}

func (d *Device) assert(a abcrypto.Answer) ([]byte, error) {
	if d.opt.Passkey == nil {
		return nil, fmt.Errorf("%w: there is none", ErrNoPasskey)
	}
	assertion, err := d.opt.Passkey(abcrypto.UVChallenge(a.Bytes()))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoPasskey, err)
	}
	return assertion, nil
}

func (d *Device) key(decision abcrypto.Decision) (ed25519.PrivateKey, error) {
	if d.opt.Key == nil {
		return d.state.SignKey, nil
	}
	key, err := d.opt.Key(decision)
	if err != nil {
		return nil, fmt.Errorf("unlock the signing key: %w", err)
	}
	if len(key) != ed25519.PrivateKeySize || abcrypto.DeviceID(key.Public().(ed25519.PublicKey)) != d.state.Device {
		return nil, errors.New("the signing key is not the one of this pairing")
	}
	return key, nil
}

// seal seals one message to the agent. The caller holds the lock.
func (d *Device) seal(typ byte, body []byte) ([]byte, error) {
	return d.state.Ratchet.SealDevice(d.state.Device, abcrypto.Message{Type: typ, Body: body}, d.opt.Random)
}

// unreceipted are the answers that a start finds in the outbox, of cards that have not ended.
func (d *Device) unreceipted() []card.RequestID {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []card.RequestID
	for id, r := range d.state.memory.outbox {
		if r.receipt == nil && !d.state.memory.seen[id].ended {
			ids = append(ids, id)
		}
	}
	return ids
}
