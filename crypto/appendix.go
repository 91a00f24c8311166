package crypto

// This file is Appendix A of the protocol, as far as it belongs to the envelope,
// the answer and what devices sign: the one home of these byte values. 0 is
// never valid, and an unknown value is refused. The pairing's own message types
// and stop reasons are in pairing, the relay's frames and reasons in relay, the
// JSON words of cards and receipts in agent/card.

// Suite is the only set of algorithms of protocol 1: SHA-256, HKDF-SHA256,
// AES-256-GCM, Ed25519, X25519. It stands in the bundle and in every statement
// that a device signs.
const Suite = 1

// EnvelopeVersion is the first byte of every sealed message.
const EnvelopeVersion = 1

// Direction says which way a message goes. It is mixed into keys, so that a
// message can never be reflected to its sender.
type Direction byte

// The two directions. They also number the mailboxes: the box of a direction is
// the inbox of whom it leads to.
const (
	ToDevice Direction = 1
	ToAgent  Direction = 2
)

// Message types, the first byte of an envelope's plaintext. Those below 16 go
// from the agent to a device, those above from a device to the agent.
const (
	TypeCard    byte = 1
	TypeReceipt byte = 2
	TypeSettled byte = 3
	TypeState   byte = 4
	TypePage    byte = 5
	TypePointer byte = 6

	TypeHello   byte = 17
	TypeFetch   byte = 18
	TypeSeen    byte = 19
	TypeAnswer  byte = 20
	TypePush    byte = 21
	TypePasskey byte = 22
	TypeAdmin   byte = 23
)

// ValidType says whether t is a message type of this direction.
func (d Direction) ValidType(t byte) bool {
	switch d {
	case ToDevice:
		return t >= TypeCard && t <= TypePointer
	case ToAgent:
		return t >= TypeHello && t <= TypeAdmin
	}
	return false
}

// signedType says whether messages of type t carry the device's signature
// (SignedMessage).
func signedType(t byte) bool { return t >= TypePush && t <= TypeAdmin }

// Decision is what a person decided about one card. Its zero value is no
// decision and is refused everywhere.
type Decision byte

// The decisions.
const (
	Allow    Decision = 1
	Deny     Decision = 2
	Answered Decision = 3 // answers to a question, nothing else
	HandBack Decision = 4 // the caller gets its no opinion now and asks its own user
)

// Via says how a decision was made on the device. It is the app's word, but for
// ViaPasskey, which is proven by an assertion.
type Via byte

// The ways.
const (
	ViaNotification Via = 1
	ViaApp          Via = 2
	ViaPasskey      Via = 3
)

// Bits of an answer's flags byte. The index of the rule counts only when
// FlagRule is set; all other bits are 0.
const (
	FlagRule      byte = 1      // also make a rule
	FlagRuleIndex byte = 3 << 1 // which of the at most four rules on the card
)

// MaxNumber is the largest time, sequence number or length that any message
// holds: 2^53-1, the largest integer that every JSON reader keeps exactly.
const MaxNumber = 1<<53 - 1
