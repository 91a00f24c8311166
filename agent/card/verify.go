package card

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	abcrypto "answerback/crypto"
)

// Asked is what the agent wrote on one card, as an answer to it has to match. It comes from Written.Asked.
// Its zero value matches no answer.
type Asked struct {
	Agent   abcrypto.ID
	Request RequestID
	Digest  [32]byte
	Kind    Kind
	Class   Class
	Via     Need
	Rules   int  // how many rules the card lists
	Offered bool // the card offers an Allow, or a question its form
}

// Answerer is the device that an answer has to come from. Its zero value may answer nothing.
type Answerer struct {
	Device abcrypto.ID
	Key    ed25519.PublicKey // as pinned at pairing
	Role   Role
	// Passkey checks a WebAuthn assertion over this challenge, with user verification. Nil: none is registered.
	Passkey func(challenge [32]byte, assertion []byte) error
}

// The refusals of VerifyAnswer. Each allows nothing.
var (
	ErrForm      = errors.New("the answer is not in its exact form")
	ErrSignature = errors.New("the answer is not signed by the key of this device")
	ErrAgent     = errors.New("the answer is for another agent")
	ErrDevice    = errors.New("the answer names another device")
	ErrRequest   = errors.New("the answer is for another call")
	ErrDigest    = errors.New("the answer is for another card than the one that was sent")
	ErrDecision  = errors.New("the decision does not fit the kind of card")
	ErrRole      = errors.New("this device only watches and cannot answer")
	ErrNoAllow   = errors.New("the card offers no allow")
	ErrVia       = errors.New("the answer did not come by the way that this call needs")
	ErrPasskey   = errors.New("the passkey did not confirm this answer")
	ErrRule      = errors.New("the answer makes a rule that the card does not offer")
	ErrPayload   = errors.New("the answers to the question are not in their form")
)

// Verified is one answer that a device of the agent's signed for the very card that the agent wrote. Only VerifyAnswer makes one,
// and its zero value decides nothing.
type Verified struct {
	message abcrypto.AnswerMessage
	answers Answers
	rule    int // index + 1
}

// VerifyAnswer checks the opened body of an answer message against what the agent wrote and whom it knows: exact form, signature
// with the pinned key, agent, device, request and digest, a decision that fits, the role, and the way it came. What needs the
// agent's other knowledge (whether the call is still open, the quorum, pinned files) is not judged here.
// The error wraps one of the refusals above.
func VerifyAnswer(asked Asked, by Answerer, body []byte) (Verified, error) {
	m, err := abcrypto.ParseAnswerMessage(body)
	if err != nil {
		return Verified{}, fmt.Errorf("card: verify answer: %w: %w", ErrForm, err)
	}
	if err := m.Verify(by.Key); err != nil {
		return Verified{}, fmt.Errorf("card: verify answer: %w: %w", ErrSignature, err)
	}
	v := Verified{message: m}
	for _, check := range []func(*Verified, Asked, Answerer) error{names, fits, way, rule, replies} {
		if err := check(&v, asked, by); err != nil {
			return Verified{}, fmt.Errorf("card: verify answer: %w", err)
		}
	}
	return v, nil
}

// names checks that the answer means this agent, device, call and card.
func names(v *Verified, asked Asked, by Answerer) error {
	a := v.message.Answer
	switch {
	case asked == (Asked{}) || a.Agent != asked.Agent:
		return ErrAgent
	case a.Device != by.Device:
		return ErrDevice
	case RequestID(a.Request) != asked.Request:
		return ErrRequest
	case a.CardDigest != asked.Digest:
		return ErrDigest
	}
	return nil
}

// fits checks who may decide what on such a card.
func fits(v *Verified, asked Asked, by Answerer) error {
	d := v.message.Answer.Decision
	switch {
	case by.Role != Approver:
		return ErrRole
	case !Fits(asked.Kind, d):
		return ErrDecision
	case !asked.Offered && (d == abcrypto.Allow || d == abcrypto.Answered):
		return ErrNoAllow
	}
	return nil
}

// Fits reports whether a decision can be made on a card of this kind: an Allow is none for a question, answers are for nothing else.
func Fits(k Kind, d abcrypto.Decision) bool {
	switch k {
	case KindCall:
		return d == abcrypto.Allow || d == abcrypto.Deny || d == abcrypto.HandBack
	case KindQuestion:
		return d == abcrypto.Answered || d == abcrypto.Deny || d == abcrypto.HandBack
	case KindAdmin:
		return d == abcrypto.Allow || d == abcrypto.Deny
	}
	return false
}

// way checks how the answer came. A claim of a passkey is proven whatever was decided; what narrows needs no particular way.
func way(v *Verified, asked Asked, by Answerer) error {
	a := v.message.Answer
	if a.Via == abcrypto.ViaPasskey {
		if by.Passkey == nil {
			return fmt.Errorf("%w: none is registered", ErrPasskey)
		}
		if err := by.Passkey(abcrypto.UVChallenge(v.message.Raw), v.message.Assertion); err != nil {
			return fmt.Errorf("%w: %w", ErrPasskey, err)
		}
	}
	if a.Decision == abcrypto.Deny || a.Decision == abcrypto.HandBack {
		return nil
	}
	least, ok := asked.least(by.Passkey != nil)
	if !ok || a.Via < least {
		return ErrVia
	}
	return nil
}

// least is the least way for an Allow: what the card says, and for what cannot be taken back the app, with the passkey where this device has one.
func (asked Asked) least(passkey bool) (abcrypto.Via, bool) {
	least, ok := map[Need]abcrypto.Via{
		NeedTap: abcrypto.ViaNotification, NeedApp: abcrypto.ViaApp, NeedPasskey: abcrypto.ViaPasskey,
	}[asked.Via]
	switch asked.Class {
	case Routine:
	case Sensitive:
		least = max(least, abcrypto.ViaApp)
	case Destructive:
		least = max(least, strictest(passkey))
	default:
		ok = false
	}
	if asked.Kind == KindAdmin {
		least = max(least, strictest(passkey))
	}
	return least, ok
}

func strictest(passkey bool) abcrypto.Via {
	if passkey {
		return abcrypto.ViaPasskey
	}
	return abcrypto.ViaApp
}

// rule checks an Allow that also makes a rule: one of those on the card, in the app, with the passkey where there is one.
func rule(v *Verified, asked Asked, by Answerer) error {
	index, makes := v.message.Answer.Rule()
	if !makes {
		return nil
	}
	if asked.Kind != KindCall || asked.Class == Destructive || index >= asked.Rules {
		return ErrRule
	}
	if v.message.Answer.Via < strictest(by.Passkey != nil) {
		return ErrVia
	}
	v.rule = index + 1
	return nil
}

func replies(v *Verified, asked Asked, _ Answerer) error {
	if v.message.Answer.Decision != abcrypto.Answered {
		return nil
	}
	answers, err := ParseAnswers(v.message.Answer.Payload)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPayload, err)
	}
	v.answers = answers
	return nil
}
