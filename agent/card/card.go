package card

import (
	abcrypto "answerback/crypto"
)

// Version is the card's own version. A reader refuses any other.
const Version = 1

// MaxCard is the largest card body in bytes: what one envelope holds.
const MaxCard = abcrypto.MaxBody

// Bounds of what a card's members hold, in bytes of UTF-8 or items.
const (
	MaxName    = 64    // names of callers, hosts, devices, filters
	MaxWord    = 256   // sessions, tools, people
	MaxPath    = 4096  // folders and files
	MaxTarget  = 16384 // the target of a rule: longer calls get none
	MaxRules   = 4     // an answer's flags have two bits for one of them
	MaxReasons = 64
	MaxChanges = 32
	MaxPinned  = 256
	MaxQuorum  = 16
	MaxLines   = 64   // lines at each end of a cut card
	MaxLine    = 2048 // bytes of one such line
)

// Kind says what a card asks for.
type Kind string

// The kinds of card.
const (
	KindCall     Kind = "call"     // allow, deny, or hand back
	KindQuestion Kind = "question" // answers, a decline, or hand back; never an allow
	KindAdmin    Kind = "admin"    // the agent asks for itself: allow or deny
)

// Class is how dangerous a call looks. The agent decides it.
type Class string

// The classes of call.
const (
	Routine     Class = "routine"
	Sensitive   Class = "sensitive"
	Destructive Class = "destructive"
)

// Need is the least that an Allow has to come by.
type Need string

// The needs, from the least to the most.
const (
	NeedTap     Need = "tap"     // a notification's button will do
	NeedApp     Need = "app"     // the card has to be open in the app
	NeedPasskey Need = "passkey" // and a passkey has to prove a person
)

// Card is one call as the agent shows it to a device. The device renders these bytes only, and its answer signs their digest.
type Card struct {
	Request  RequestID
	Kind     Kind
	Caller   string    // a claim, not an identity
	Session  string    // the caller's own
	Subagent *Subagent // nil: the caller named none
	Host     string
	Folder   string // "" is an unknown folder
	Tool     string
	Input    string // the caller's input, its very bytes of JSON text; "" on a cut card and on an admin card
	Changes  []Change

	CallDigest [32]byte // abcrypto.CallDigest of the hook's whole stdin
	Class      Class
	Reasons    []Reason
	Needs      Needs
	Made       uint64 // by the agent's clock, ms
	Expires    uint64 // by the agent's clock, ms; never before Made
	Pinned     []Pin
	Rules      []Rule // what Always would make, word for word; none for a destructive or a cut call
	RosterHash [32]byte
	Log        Log
	Human      string // for whom the caller works, as the installer was told
	OwnPrompt  bool   // the caller's own prompt is open at its terminal meanwhile
	Cut        *Cut   // not nil: too large to show whole, so no Allow
	Admin      *Ask
}

// Subagent names the part of a caller that asks, as the caller says.
type Subagent struct{ ID, Type string }

// Change is what one filter did to the input: JSON text before and after. Card.Input is what would run.
type Change struct{ Filter, Before, After string }

// Reason is why a call has its class: an id that each device says in its person's language, and the piece of the call meant.
type Reason struct{ ID, Piece string }

// Needs is what an Allow takes.
type Needs struct {
	Via    Need
	Quorum int // devices that have to allow, at least 1
}

// Pin is a file that the call would run, by the SHA-256 of what it held when the card was made.
type Pin struct {
	Path string
	Hash [32]byte
}

// Rule is one exact rule that an Allow can make on the way. Its place in Card.Rules is the number that the answer's flags name.
type Rule struct {
	Caller, Folder, Tool, Target string
	Ends                         uint64 // ms; 0 is no end
	Uses                         uint64 // 0 is any number
}

// Log is the head of the agent's log after this call's own asked record. The answer signs it with the card.
type Log struct {
	Size uint64
	Root [32]byte
}

// Cut stands for an input that no card can hold: its first and last lines, and how much there is.
type Cut struct {
	First, Last  []string
	Lines, Bytes uint64
}

// Marshal writes the card's body. It refuses what ParseCard would refuse.
func (c Card) Marshal() ([]byte, error) { return finish("card", MaxCard, c.fields) }

// ParseCard reads a card's body, at most MaxCard bytes.
func ParseCard(b []byte) (Card, error) { return parsed[Card]("card", b, MaxCard) }

// Digest is what an answer signs of a card: a hash over its body's bytes as they came.
func Digest(body []byte) [32]byte { return abcrypto.CardDigest(body) }

func (c *Card) fields(f *fields) {
	version := uint64(Version)
	f.number("version", &version, Version, Version)
	f.hex("request_id", c.Request[:])
	word(f, "kind", &c.Kind, KindCall, KindQuestion, KindAdmin)
	c.callFields(f)
	c.judgedFields(f)
	c.endFields(f)
	if f.err == nil {
		c.consistent(f)
	}
}

// callFields are the caller's.
func (c *Card) callFields(f *fields) {
	f.text("caller", &c.Caller, 1, MaxName)
	f.text("session", &c.Session, 0, MaxWord)
	pointer(f, "subagent", &c.Subagent, func(s *Subagent, f *fields) {
		f.text("id", &s.ID, 0, MaxWord)
		f.text("type", &s.Type, 0, MaxWord)
	})
	f.text("host", &c.Host, 1, MaxName)
	f.text("folder", &c.Folder, 0, MaxPath)
	f.text("tool", &c.Tool, 0, MaxWord)
	f.text("input", &c.Input, 0, MaxCard)
	if f.has("changes", len(c.Changes) > 0) {
		list(f, "changes", &c.Changes, MaxChanges, func(ch *Change, f *fields) {
			f.text("filter", &ch.Filter, 1, MaxName)
			f.text("before", &ch.Before, 0, MaxCard)
			f.text("after", &ch.After, 0, MaxCard)
		})
	}
}

// judgedFields are the agent's judgement of the call.
func (c *Card) judgedFields(f *fields) {
	f.hex("call_digest", c.CallDigest[:])
	word(f, "class", &c.Class, Routine, Sensitive, Destructive)
	list(f, "reasons", &c.Reasons, MaxReasons, func(r *Reason, f *fields) {
		f.text("id", &r.ID, 1, MaxName)
		f.text("piece", &r.Piece, 0, MaxTarget)
	})
	object(f, "needs", func(f *fields) {
		word(f, "via", &c.Needs.Via, NeedTap, NeedApp, NeedPasskey)
		f.small("quorum", &c.Needs.Quorum, 1, MaxQuorum)
	})
	f.number("made", &c.Made, 1, MaxNumber)
	f.number("expires", &c.Expires, 1, MaxNumber)
}

// endFields are what the answer will bind, beside the call.
func (c *Card) endFields(f *fields) {
	list(f, "pinned", &c.Pinned, MaxPinned, (*Pin).fields)
	n := 0
	list(f, "rules", &c.Rules, MaxRules, func(r *Rule, f *fields) {
		f.small("id", &n, n, n)
		r.fields(f)
		n++
	})
	f.hex("roster_hash", c.RosterHash[:])
	object(f, "log", c.Log.fields)
	f.text("human", &c.Human, 0, MaxWord)
	f.flag("own_prompt", &c.OwnPrompt)
	pointer(f, "cut", &c.Cut, (*Cut).fields)
	pointer(f, "admin", &c.Admin, (*Ask).fields)
}

func (p *Pin) fields(f *fields) {
	f.text("path", &p.Path, 1, MaxPath)
	f.hex("hash", p.Hash[:])
}

func (r *Rule) fields(f *fields) {
	f.text("caller", &r.Caller, 1, MaxName)
	f.text("folder", &r.Folder, 0, MaxPath)
	f.text("tool", &r.Tool, 1, MaxWord)
	f.text("target", &r.Target, 1, MaxTarget)
	f.number("ends", &r.Ends, 0, MaxNumber)
	f.number("uses", &r.Uses, 0, MaxNumber)
}

func (l *Log) fields(f *fields) {
	f.number("size", &l.Size, 0, MaxNumber)
	f.hex("root", l.Root[:])
}

func (c *Cut) fields(f *fields) {
	texts(f, "first", &c.First, MaxLines, MaxLine)
	texts(f, "last", &c.Last, MaxLines, MaxLine)
	f.number("lines", &c.Lines, 1, MaxNumber)
	f.number("bytes", &c.Bytes, 1, MaxNumber)
}

// consistent checks what holds between members.
func (c *Card) consistent(f *fields) {
	f.check(c.Expires >= c.Made, "expires", "lies before made")
	f.check((c.Kind == KindAdmin) == (c.Admin != nil), "admin", "goes with an admin card and no other")
	f.check(c.Cut == nil || c.Input == "", "input", "stands beside cut: a card shows all, or the ends")
	f.check(len(c.Rules) == 0 || c.Kind == KindCall && c.Class != Destructive && c.Cut == nil, "rules", "cannot be made for such a call")
}
