package caller

import (
	"bytes"
	"time"
)

const openEvent = "PermissionRequest"

// open is a home-made tool under a name of its own, which reads the open reply
// of docs/hook-reply.md:
//
//	{"decision":"allow"}
//	{"decision":"deny","reason":"..."}
//
// and takes anything else, silence included, for: ask your own user. Without
// --reply answerback it does not read the reply, so nobody is asked.
type open struct {
	name  string
	reads bool
}

func (o open) Name() string { return o.name }

func (o open) Event(event string) (Event, bool) {
	if event != openEvent {
		return Event{}, false
	}
	if !o.reads {
		return Event{}, true
	}
	return Event{
		Waits: true, Allows: true, Denies: true, Words: true,
		WaitDefault: 120 * time.Second, WaitMax: time.Hour,
	}, true
}

// Parse reads the hook JSON that most tools copy: session_id, cwd, tool_name
// and tool_input, of which the last two have to be there. A tool_input that is
// no object makes a call that cannot be allowed, and so does a question.
func (o open) Parse(event string, stdin []byte) (Call, error) {
	p, _, err := parsePayload(stdin)
	if err != nil {
		return Call{}, err
	}
	c := p.call
	if c.Event, err = sameEvent(event, p.event); err != nil {
		return Call{}, err
	}
	if c.Event != openEvent {
		return Call{}, parseError{ErrEvent}
	}
	c.Caller, c.Kind = o.name, KindCall
	c.describe()
	switch {
	case !o.reads:
		c.NoAllow = "the tool does not read the reply; it waits in its own terminal"
	case c.Tool == claudeAsks:
		c.Kind, c.NoAllow = KindQuestion, "the open reply has no answers; the tool asks its own user"
	}
	c.CanAllow, c.CanDeny = c.NoAllow == "", o.reads
	return c, nil
}

// Reply prints one line, exit 0, nothing on stderr. The open reply has no place
// for a replaced input, so an Allow of one is no opinion.
func (o open) Reply(event string, c Call, v Verdict) Reply {
	if !o.reads || c.Caller != o.name || c.Event != openEvent || !sameOr(event, c.Event) {
		return Reply{}
	}
	switch {
	case v.Kind == Allow && c.Kind == KindCall && c.CanAllow && (v.Input == nil || bytes.Equal(v.Input, c.Input)):
		return Reply{Stdout: []byte(`{"decision":"allow"}` + "\n")}
	case v.Kind == Deny && c.CanDeny:
		out := quote([]byte(`{"decision":"deny","reason":`), Denial(c, v))
		return Reply{Stdout: append(out, "}\n"...)}
	}
	return Reply{}
}
