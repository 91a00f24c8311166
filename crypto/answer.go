package crypto

import (
	"encoding/binary"
	"errors"
	"unicode/utf8"
)

// Sizes of an answer, in bytes.
const (
	AnswerSize = 116     // without the payload
	MaxPayload = 4 << 10 // of the person's words, or of the answers to a question
)

// ErrAnswer is returned for bytes that are no answer. They allow nothing.
var ErrAnswer = errors.New("crypto: parse answer: it is not exactly of the form of protocol 1; ask for it again")

// Answer is one person's decision about one card: what a device signs. Its zero
// value is no answer. The signed bytes are
//
//	offset  bytes  field
//	     0     20  label "answerback/1 answer" || 0x00
//	    20      1  suite
//	    21     16  agent_id
//	    37     16  device_id
//	    53     16  request_id
//	    69     32  card_digest
//	   101      1  decision
//	   102      1  flags
//	   103      1  via
//	   104      8  made_ms
//	   112      4  payload_len
//	   116   0-4k  payload
//
// Flags are 0 unless the decision is Allow and via is ViaApp or ViaPasskey; the
// index of the rule is 0 unless FlagRule is set. The payload of a Deny is what
// the person said, as UTF-8 or empty; that of Answered is the JSON of the
// answers, as UTF-8 and never empty; Allow and HandBack have none, so that they
// carry nothing beside the decision.
type Answer struct {
	Agent      ID
	Device     ID
	Request    [16]byte
	CardDigest [32]byte
	Decision   Decision
	Flags      byte
	Via        Via
	MadeMS     uint64 // the device's clock: it is logged, and decides nothing
	Payload    []byte
}

// Rule returns which of the rules on the card (0 to 3) this answer also makes.
func (a Answer) Rule() (index int, ok bool) {
	return int(a.Flags & FlagRuleIndex >> 1), a.Flags&FlagRule != 0
}

// RuleFlags returns the flags of an answer that also makes the card's rule with
// this index, 0 to 3.
func RuleFlags(index int) byte { return FlagRule | byte(index)<<1&FlagRuleIndex }

// Bytes returns the bytes that are signed.
func (a Answer) Bytes() []byte {
	b := make([]byte, 0, AnswerSize+len(a.Payload))
	b = append(b, Label(WordAnswer)...)
	b = append(b, Suite)
	b = append(b, a.Agent[:]...)
	b = append(b, a.Device[:]...)
	b = append(b, a.Request[:]...)
	b = append(b, a.CardDigest[:]...)
	b = append(b, byte(a.Decision), a.Flags, byte(a.Via))
	b = binary.BigEndian.AppendUint64(b, a.MadeMS)
	b = binary.BigEndian.AppendUint32(b, uint32(len(a.Payload)))
	return append(b, a.Payload...)
}

// Check returns ErrAnswer unless the fields are within their bounds and fit each
// other. It knows nothing of the card.
func (a Answer) Check() error {
	known := a.Decision >= Allow && a.Decision <= HandBack && a.Via >= ViaNotification && a.Via <= ViaPasskey
	if !known || !a.flagsFit() || !a.payloadFits() || a.MadeMS > MaxNumber {
		return ErrAnswer
	}
	return nil
}

func (a Answer) flagsFit() bool {
	if a.Flags == 0 {
		return true
	}
	const all = FlagRule | FlagRuleIndex
	return a.Flags&^all == 0 && a.Flags&FlagRule != 0 && a.Decision == Allow && a.Via >= ViaApp
}

func (a Answer) payloadFits() bool {
	if len(a.Payload) > MaxPayload || !utf8.Valid(a.Payload) {
		return false
	}
	switch a.Decision {
	case Deny:
		return true
	case Answered:
		return len(a.Payload) > 0
	}
	return len(a.Payload) == 0
}

// ParseAnswer reads signed bytes. Whatever it takes, Bytes prints the same
// again. It returns ErrAnswer for everything else: one byte more or less,
// another suite, a value out of range.
func ParseAnswer(b []byte) (Answer, error) {
	label := Label(WordAnswer)
	if len(b) < AnswerSize || string(b[:len(label)]) != string(label) || b[20] != Suite {
		return Answer{}, ErrAnswer
	}
	if uint64(binary.BigEndian.Uint32(b[112:])) != uint64(len(b)-AnswerSize) {
		return Answer{}, ErrAnswer
	}
	a := Answer{
		Agent:      ID(b[21:]),
		Device:     ID(b[37:]),
		Request:    [16]byte(b[53:]),
		CardDigest: [32]byte(b[69:]),
		Decision:   Decision(b[101]),
		Flags:      b[102],
		Via:        Via(b[103]),
		MadeMS:     binary.BigEndian.Uint64(b[104:]),
		Payload:    append([]byte(nil), b[AnswerSize:]...),
	}
	if err := a.Check(); err != nil {
		return Answer{}, err
	}
	return a, nil
}
