package card

// Outcome is what became of an answer.
type Outcome string

// The outcomes of a receipt. Only Accepted and Counted say that the answer was used.
const (
	Accepted    Outcome = "accepted"
	Counted     Outcome = "counted"     // it is one of several that are needed: Count of Of
	TooLate     Outcome = "too_late"    // the deadline had passed
	Answered    Outcome = "answered"    // by Device, which decided Decision
	Undelivered Outcome = "undelivered" // accepted, but the hook was gone: nobody got it
	Refused     Outcome = "refused"     // for Reason, about File
	Unknown     Outcome = "unknown"     // no such call is open
	Withdrawn   Outcome = "withdrawn"   // the caller moved on
)

// Receipt is the agent's word on one answer. It counts only where Answer names the very bytes that were sent.
type Receipt struct {
	Request  RequestID
	Answer   [32]byte // abcrypto.ReceiptHash of the answer's bytes
	Outcome  Outcome
	Time     uint64 // the agent's clock, ms
	Count    uint64 // votes so far, with Counted
	Of       uint64 // votes needed, with Counted
	Device   string // the name of the device that was first, with Answered
	Decision Word   // what that device decided
	Reason   string // a sentence's id, with Refused
	File     string // the file that changed, with Refused
}

// Word is a decision as a word.
type Word string

// The decisions as words.
const (
	WordAllow    Word = "allow"
	WordDeny     Word = "deny"
	WordAnswered Word = "answered"
	WordHandBack Word = "hand_back"
)

// Marshal writes the receipt's body.
func (r Receipt) Marshal() ([]byte, error) { return finish("receipt", MaxMessage, r.fields) }

// ParseReceipt reads a receipt's body.
func ParseReceipt(b []byte) (Receipt, error) { return parsed[Receipt]("receipt", b, MaxMessage) }

func (r *Receipt) fields(f *fields) {
	f.hex("request_id", r.Request[:])
	f.hex("answer", r.Answer[:])
	word(f, "outcome", &r.Outcome, Accepted, Counted, TooLate, Answered, Undelivered, Refused, Unknown, Withdrawn)
	f.number("time", &r.Time, 1, MaxNumber)
	f.maybeNumber("count", &r.Count, MaxQuorum)
	f.maybeNumber("of", &r.Of, MaxQuorum)
	f.maybe("device", &r.Device, MaxName)
	maybeDecision(f, &r.Decision)
	f.maybe("reason", &r.Reason, MaxName)
	f.maybe("file", &r.File, MaxPath)
}

func maybeDecision(f *fields, w *Word) {
	if f.has("decision", *w != "") {
		word(f, "decision", w, WordAllow, WordDeny, WordAnswered, WordHandBack)
	}
}

// End says how a card ended for a device that did not end it.
type End string

// The ends of a card.
const (
	EndAllowed    End = "allowed"
	EndDenied     End = "denied"
	EndAnswered   End = "answered"
	EndHandedBack End = "handed_back"
	EndWithdrawn  End = "withdrawn" // the caller moved on, or the agent started anew
	EndExpired    End = "expired"
	EndTerminal   End = "terminal" // someone answered the caller's own prompt
)

// Settled tells a device that a card has ended. Seq goes up with every settled and state of one agent.
type Settled struct {
	Seq      uint64
	Request  RequestID
	Outcome  End
	Time     uint64 // the agent's clock, ms
	Device   string // the name of the device that ended it
	Decision Word   // what it decided
}

// Marshal writes the message's body.
func (s Settled) Marshal() ([]byte, error) { return finish("settled", MaxMessage, s.fields) }

// ParseSettled reads a settled message's body.
func ParseSettled(b []byte) (Settled, error) { return parsed[Settled]("settled", b, MaxMessage) }

func (s *Settled) fields(f *fields) {
	f.number("seq", &s.Seq, 1, MaxNumber)
	f.hex("request_id", s.Request[:])
	word(f, "outcome", &s.Outcome, EndAllowed, EndDenied, EndAnswered, EndHandedBack, EndWithdrawn, EndExpired, EndTerminal)
	f.number("time", &s.Time, 1, MaxNumber)
	f.maybe("device", &s.Device, MaxName)
	maybeDecision(f, &s.Decision)
}
