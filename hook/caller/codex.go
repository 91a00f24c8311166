package caller

import (
	"bytes"
	"time"
)

const codexName = "codex"

// Three callers show no dialog of their own while the hook runs, so the wait is short: 285 of the 300 seconds that are written for them.
const (
	shortLimit = 300 * time.Second
	shortWait  = 285 * time.Second
)

// codex is OpenAI Codex CLI, measured with 0.171.0.
//
// Its reply is Claude Code's, read strictly: any member that it does not know, a replaced input too, makes the whole reply void. The hook holds
// up its dialog. `codex exec` never fires this event.
type codex struct{}

func (codex) Name() string { return codexName }

func (codex) Event(event string) (Event, bool) {
	if event != claudeEvent {
		return Event{}, false
	}
	return Event{Waits: true, Allows: true, Denies: true, Words: true, Limit: shortLimit, WaitDefault: shortWait, WaitMax: shortWait}, true
}

// Parse reads a PermissionRequest:
//
//	{"session_id","turn_id","transcript_path","cwd","hook_event_name","model","permission_mode","tool_name","tool_input":{..},
//	 "agent_id","agent_type"}
func (codex) Parse(event string, stdin []byte) (Call, error) {
	p, f, err := parsePayload(stdin)
	if err != nil {
		return Call{}, err
	}
	f.need("session_id", maxID)
	f.need("cwd", maxPath)
	f.text("turn_id", maxID)
	f.text("transcript_path", maxPath)
	f.text("model", maxID)
	f.typed("tool_input", '{', "an object")
	if f.err != nil {
		return Call{}, f.err
	}
	return permission(codexName, event, p)
}

// permission is the call of a PermissionRequest whose hook holds up the caller's own dialog.
func permission(name, event string, p payload) (Call, error) {
	c, err := p.call, error(nil)
	if c.Event, err = sameEvent(event, p.event); err != nil {
		return Call{}, err
	}
	if p.event != claudeEvent {
		return Call{}, parseError{ErrEvent}
	}
	c.Caller, c.Kind, c.CanDeny = name, KindCall, true
	c.describe()
	c.CanAllow = c.NoAllow == ""
	return c, nil
}

// Reply prints one line, exit 0, nothing on stderr. A verdict with another input is no opinion: the reply would be void.
func (codex) Reply(event string, c Call, v Verdict) Reply {
	if c.Caller != codexName || c.Event != claudeEvent || !sameOr(event, c.Event) || rewrites(c, v) {
		return Reply{}
	}
	return allowOrDeny(c, v)
}

// rewrites says whether a verdict would run something else than what was asked.
func rewrites(c Call, v Verdict) bool { return v.Input != nil && !bytes.Equal(v.Input, c.Input) }

// allowOrDeny is Claude Code's reply to a call that runs as it was sent, or not at all.
func allowOrDeny(c Call, v Verdict) Reply {
	switch {
	case v.Kind == Allow && c.Kind == KindCall && c.CanAllow:
		return claudeReply([]byte(`"allow"`))
	case v.Kind == Deny && c.CanDeny:
		return claudeReply(quote([]byte(`"deny","message":`), Denial(c, v)))
	}
	return Reply{}
}
