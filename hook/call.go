package hook

import (
	"io"
	"time"
)

const (
	maxName  = 24 // bytes of a caller's name
	maxEvent = 64 // bytes of an event's name
)

// MaxWait is the longest wait that CALL can ask for and HELD can promise.
const MaxWait = time.Hour

// Flags of a CALL. Bits not named here are refused.
type Flags byte

// The flags.
const (
	FlagReply  Flags = 1 << 0 // --reply answerback: the open reply is understood
	FlagClosed Flags = 1 << 1 // --fail-mode closed: a gate that stops what nobody checked
	FlagProbe  Flags = 1 << 2 // --probe: a self-test, which the agent denies by itself

	allFlags = FlagReply | FlagClosed | FlagProbe
)

// Call is the one frame that a hook sends: what the caller said, as it said
// it. Nothing in it is trusted; the name is a claim.
type Call struct {
	Caller  string        // from --agent: 1-24 of [a-z0-9-]
	Event   string        // from argv, or "" when the command line names none
	Flags   Flags         // see the constants
	Wait    time.Duration // from --wait, counted from the hook's start; 0: the agent's default
	Elapsed time.Duration // from the hook's start to this frame
	Stdin   []byte        // the caller's bytes, at most MaxStdin
}

// WriteCall writes one CALL. It refuses what ReadRequest would refuse.
func WriteCall(w io.Writer, c Call) error {
	if err := c.check(); err != nil {
		return frameError{"write call", err}
	}
	if err := writeFrame(w, TypeCall, c.body()); err != nil {
		return frameError{"write call", err}
	}
	return nil
}

// body is version || str caller || str event || flags || wait_ms || elapsed_ms
// || stdin_len || stdin. Durations are cut to whole milliseconds.
func (c Call) body() []byte {
	b := make([]byte, 0, maxCall-MaxStdin+len(c.Stdin))
	b = append(b, Version)
	b = putString(b, c.Caller)
	b = putString(b, c.Event)
	b = append(b, byte(c.Flags))
	b = put32(b, milliseconds(c.Wait))
	b = put32(b, milliseconds(c.Elapsed))
	return putBytes(b, c.Stdin)
}

func (c Call) check() error {
	if len(c.Stdin) > MaxStdin {
		return ErrSize
	}
	ok := ValidName(c.Caller) && (c.Event == "" || validEvent(c.Event)) &&
		c.Flags&^allFlags == 0 && c.Wait >= 0 && c.Wait <= MaxWait && c.Elapsed >= 0
	if !ok {
		return ErrFrame
	}
	return nil
}

// parseCall reads a CALL body whole, or refuses it.
func parseCall(body []byte) (Call, error) {
	cur := cursor{rest: body}
	if v := cur.byte(); !cur.short && v != Version {
		return Call{}, VersionError{v}
	}
	c := Call{
		Caller:  cur.string(),
		Event:   cur.string(),
		Flags:   Flags(cur.byte()),
		Wait:    time.Duration(cur.uint32()) * time.Millisecond,
		Elapsed: time.Duration(cur.uint32()) * time.Millisecond,
		Stdin:   cur.bytes(),
	}
	if !cur.done() {
		return Call{}, ErrFrame
	}
	if err := c.check(); err != nil {
		return Call{}, err
	}
	return c, nil
}

// milliseconds is d in whole milliseconds, held within four bytes.
func milliseconds(d time.Duration) uint32 {
	return uint32(min(max(d/time.Millisecond, 0), 1<<32-1))
}

// ValidName says whether s can be a caller's name: 1-24 of [a-z0-9-]. Whether
// it is one of the reserved names is not asked here.
func ValidName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for i := range len(s) {
		if !lower(s[i]) && !digit(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

// validEvent takes the event names of all callers: letters, digits and the
// signs that some put between words.
func validEvent(s string) bool {
	if s == "" || len(s) > maxEvent || s[0] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !lower(c|0x20) && !digit(c) && c != '_' && c != '-' && c != '.' && c != ':' && c != '/' {
			return false
		}
	}
	return true
}

func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func digit(c byte) bool { return '0' <= c && c <= '9' }
