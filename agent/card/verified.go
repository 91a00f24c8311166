package card

import (
	"slices"
	"strings"

	abcrypto "answerback/crypto"
)

// Allows reports whether this is an Allow. The zero Verified is none.
func (v Verified) Allows() bool { return v.Decision() == abcrypto.Allow }

// Decision is what the device decided; 0 for the zero Verified.
func (v Verified) Decision() abcrypto.Decision { return v.message.Answer.Decision }

// Word is the decision as receipts spell it; empty for the zero Verified.
func (v Verified) Word() Word { return WordOf(v.Decision()) }

// WordOf spells a decision; 0 and what is unknown have no word.
func WordOf(d abcrypto.Decision) Word {
	return map[abcrypto.Decision]Word{
		abcrypto.Allow: WordAllow, abcrypto.Deny: WordDeny, abcrypto.Answered: WordAnswered, abcrypto.HandBack: WordHandBack,
	}[d]
}

// Request is the call that the answer is for.
func (v Verified) Request() RequestID { return RequestID(v.message.Answer.Request) }

// Device is the device that signed.
func (v Verified) Device() abcrypto.ID { return v.message.Answer.Device }

// Via is the way by which the answer came.
func (v Verified) Via() abcrypto.Via { return v.message.Answer.Via }

// Flags are the answer's flags as signed.
func (v Verified) Flags() byte { return v.message.Answer.Flags }

// Rule is the index in Card.Rules of the rule that the Allow also makes.
func (v Verified) Rule() (index int, ok bool) { return v.rule - 1, v.rule > 0 }

// Made is the device's clock when it signed, ms. It is logged, and decides nothing.
func (v Verified) Made() uint64 { return v.message.Answer.MadeMS }

// Words are what the person said with a Deny, ready for a caller: control characters but newline and tab are gone, and so is
// white space at both ends. The words as signed are in AnswerBytes.
func (v Verified) Words() string {
	if v.Decision() != abcrypto.Deny {
		return ""
	}
	return Words(string(v.message.Answer.Payload))
}

// Words takes from a person's words what could do something in a terminal or turn the text: every hidden character but spaces, and
// newline and tab.
func Words(s string) string {
	var out strings.Builder
	for len(s) > 0 {
		r, n, kind := next(s)
		if kind == NotHidden || r == '\n' || r == '\t' || kind == Space && r != '\u2028' && r != '\u2029' {
			out.WriteString(s[:n])
		}
		s = s[n:]
	}
	return strings.TrimSpace(out.String())
}

// Answers are the answers to a question, in the person's order.
func (v Verified) Answers() Answers { return slices.Clone(v.answers) }

// AnswerBytes are the exact bytes that the device signed.
func (v Verified) AnswerBytes() []byte { return slices.Clone(v.message.Raw) }

// Signature is the device's Ed25519 signature over AnswerBytes.
func (v Verified) Signature() [64]byte { return v.message.Sig }

// Assertion is the passkey assertion beside the signature; nil but with abcrypto.ViaPasskey.
func (v Verified) Assertion() []byte { return slices.Clone(v.message.Assertion) }

// ReceiptHash is what a receipt names the answer by.
func (v Verified) ReceiptHash() [32]byte { return abcrypto.ReceiptHash(v.message.Raw) }
