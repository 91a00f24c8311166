package hook

import "time"

// Times of a conversation. Those of an agent that says nothing are a little
// under the five seconds that a frozen agent may cost, to be done by then.
const (
	heldWithin   = 4800 * time.Millisecond // from the process's start to HELD
	beatWithin   = 4800 * time.Millisecond // from one sign of life to the next
	noticeWithin = 150 * time.Millisecond  // for a call that nobody is waited for
	margin       = 2 * time.Second         // after the agent's own deadline
)

// conn is what the conversation needs of a connection; an *os.File over a
// non-blocking socket has it.
type conn interface {
	Read([]byte) (int, error)
	Write([]byte) (int, error)
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
	Close() error
}

// ask sends the call and waits for its verdict. ok is false when no whole
// verdict arrived in time: then nothing of what did arrive is used.
func ask(start time.Time, o options, stdin []byte, c conn) (v Verdict, ok bool) {
	defer c.Close()
	if c.SetWriteDeadline(start.Add(heldWithin)) != nil {
		return Verdict{}, false
	}
	call := Call{Caller: o.caller, Event: o.event, Flags: o.flags, Wait: o.wait, Elapsed: time.Since(start), Stdin: stdin}
	if WriteCall(c, call) != nil {
		return Verdict{}, false
	}
	if !o.waits() {
		notice(c)
		return Verdict{}, false
	}
	return await(start, o.wait, c)
}

// waits says whether anybody can answer: a home-made tool has to say with
// --reply answerback that it would read the reply.
func (o options) waits() bool { return builtin(o.caller) || o.flags&FlagReply != 0 }

// notice gives the agent a moment to see who asked, and uses nothing that it
// says.
func notice(c conn) {
	if c.SetReadDeadline(time.Now().Add(noticeWithin)) == nil {
		_, _ = ReadFrame(c)
	}
}

// await reads frames until a VERDICT. wait is what the command line set, or 0.
func await(start time.Time, wait time.Duration, c conn) (v Verdict, ok bool) {
	end := start.Add(heldWithin)
	silent := end
	held := false
	for {
		if c.SetReadDeadline(earlier(silent, end)) != nil {
			return Verdict{}, false
		}
		f, err := ReadFrame(c)
		if err != nil {
			return Verdict{}, false
		}
		switch {
		case f.Type == TypeVerdict && !passed(end):
			return f.Verdict, true
		case f.Type == TypeHeld && !held:
			held = true
			end = start.Add(shorter(f.Held.Wait, wait) + margin)
		case f.Type == TypeBeat && held:
		default:
			return Verdict{}, false
		}
		silent = time.Now().Add(beatWithin)
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// shorter is the agent's wait, or the command line's where that one is set and
// ends sooner.
func shorter(agent, own time.Duration) time.Duration {
	if own > 0 {
		return min(agent, own)
	}
	return agent
}

// passed asks both clocks: the monotonic one stands still in sleep on Linux,
// the wall clock can be set.
func passed(end time.Time) bool {
	now := time.Now()
	return now.After(end) || now.Round(0).After(end.Round(0))
}
