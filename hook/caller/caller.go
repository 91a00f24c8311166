package caller

import (
	"slices"
	"time"
)

// MaxInput is the most that a caller's JSON may have, in bytes.
const MaxInput = 1 << 20

// Kind says what a call wants of a person.
type Kind byte

// The kinds. The zero Kind is that of no call, and nothing answers it.
const (
	KindCall     Kind = 1 // allow or deny
	KindQuestion Kind = 2 // answers, never allow
)

// Call is one thing that a caller wants to do, as it said it. All of it is the
// caller's claim. Strings may hold hidden characters; who displays them
// escapes them.
type Call struct {
	Caller string // the adapter's name
	Event  string // the caller's name for the event
	Kind   Kind

	Session      string // the caller's own session id; "" when it named none
	SubagentID   string // "" for the main session
	SubagentType string
	Folder       string // absolute, or "" when the caller named none: no rule then
	Mode         string // the caller's own permission mode, for example "default"

	Tool        string
	Input       []byte // raw JSON of the tool's input, byte for byte as sent
	Description string // what the caller says about the call; its words, not a fact

	// Target is what lists show: the command, the file, the address, or the
	// input as one compact line. Two different calls can have one Target (two
	// edits of one file), so a rule is never made from it alone.
	Target string
	// Exact is the whole of what runs, as one text: calls with the same Tool
	// and Exact do the same. An exact rule compares this.
	Exact string

	Questions []Question // of a KindQuestion

	CanAllow bool
	CanDeny  bool
	NoAllow  string // when CanAllow is false, why: a sentence without a full stop

	// OwnPrompt says that the caller shows its own prompt beside the hook, so
	// that a person at the desk can answer there.
	OwnPrompt bool

	Raw []byte // standard input, byte for byte: what the call's digest is over
}

// Event is what an adapter knows about one of its caller's events. Zero fields
// are "no".
type Event struct {
	Waits       bool // a person is asked; false: the reply is Silence, at once
	Allows      bool // an Allow makes the call run
	Denies      bool // a Deny stops it
	Words       bool // the reason of a Deny reaches the model
	Questions   bool // answers to a question can be given back
	RunsRewrite bool // a replaced input is what runs, whole
	Gate        bool // fires before the caller's own check, so fail-mode counts

	Limit        time.Duration // the caller's own timeout, as the installer writes it; 0: none
	WaitDefault  time.Duration // how long a person is waited for
	WaitSubagent time.Duration // the same for a subagent's call; 0: no difference
	WaitMax      time.Duration // the most that --wait may ask for
	Grace        time.Duration // before a phone rings, while a prompt is open beside it

	Silence Reply // no opinion
	Closed  Reply // no opinion of a gate installed fail-closed
}

// Wait is how long a person is waited for with this call, counted from the
// start of the hook. asked is the command line's --wait, or 0.
func (e Event) Wait(c Call, asked time.Duration) time.Duration {
	if !e.Waits {
		return 0
	}
	wait := e.WaitDefault
	if c.SubagentID != "" && e.WaitSubagent > 0 {
		wait = e.WaitSubagent
	}
	if asked > 0 {
		wait = asked
	}
	return min(wait, e.WaitMax)
}

// Reply is what the hook prints and exits with. The zero Reply is silence:
// exit 0, nothing on either stream.
type Reply struct {
	Exit           int
	Stdout, Stderr []byte
}

// Equal compares two replies byte for byte.
func (r Reply) Equal(other Reply) bool {
	return r.Exit == other.Exit && slices.Equal(r.Stdout, other.Stdout) && slices.Equal(r.Stderr, other.Stderr)
}

// Adapter is one caller.
type Adapter interface {
	// Name is the name that --agent gave.
	Name() string
	// Event describes an event; false for one that this caller does not have,
	// or that nobody waits on and that has no reply: then it is silence.
	Event(event string) (Event, bool)
	// Parse reads what the caller wrote. event is the command line's, or ""
	// when it names none, and then the payload's counts. What it refuses is
	// answered with the event's Silence.
	Parse(event string, stdin []byte) (Call, error)
	// Reply is the answer in the caller's own form. event is the command line's,
	// as for Parse. A verdict that does not fit the call is no opinion.
	Reply(event string, c Call, v Verdict) Reply
}
