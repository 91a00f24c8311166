package caller

import (
	"bytes"
	"time"
)

const (
	claudeName  = "claude"
	claudeEvent = "PermissionRequest"
	claudeAsks  = "AskUserQuestion"
)

// claude is Claude Code, measured with 2.1.332.
//
// It starts the hook beside its own prompt, and the first answer wins. Only the
// exact allow runs the call; text, other shapes and silence leave it to the
// prompt. No id of the call is sent, so the answer is bound to this hook's own
// connection. For a background subagent it starts the hook before its prompt,
// so such a call waits a minute only.
type claude struct{}

func (claude) Name() string { return claudeName }

func (claude) Event(event string) (Event, bool) {
	if event != claudeEvent {
		return Event{}, false
	}
	return Event{
		Waits: true, Allows: true, Denies: true, Words: true, Questions: true, RunsRewrite: true,
		Limit: 600 * time.Second, WaitDefault: 590 * time.Second, WaitSubagent: 60 * time.Second,
		WaitMax: 590 * time.Second, Grace: 8 * time.Second,
	}, true
}

// Parse reads a PermissionRequest:
//
//	{"session_id","transcript_path","cwd","prompt_id","permission_mode","hook_event_name",
//	 "tool_name","tool_input":{..},"permission_suggestions":[..],"mcp_server":{..},"agent_id","agent_type"}
func (claude) Parse(event string, stdin []byte) (Call, error) {
	p, f, err := parsePayload(stdin)
	if err != nil {
		return Call{}, err
	}
	f.need("hook_event_name", maxModes)
	f.need("session_id", maxID)
	f.need("cwd", maxPath)
	f.text("transcript_path", maxPath)
	f.text("prompt_id", maxID)
	f.typed("effort", '{', "an object")
	f.typed("mcp_server", '{', "an object")
	f.typed("permission_suggestions", '[', "an array")
	f.typed("tool_input", '{', "an object")
	if f.err != nil {
		return Call{}, f.err
	}
	c := p.call
	c.Caller, c.OwnPrompt = claudeName, c.SubagentID == ""
	if c.Event, err = sameEvent(event, p.event); err != nil {
		return Call{}, err
	}
	if c.Event != claudeEvent {
		return Call{}, parseError{ErrEvent}
	}
	return claudeCall(c)
}

// claudeCall tells a question from a call.
func claudeCall(c Call) (Call, error) {
	c.Kind, c.CanDeny = KindCall, true
	c.describe()
	if c.Tool != claudeAsks {
		c.CanAllow = c.NoAllow == ""
		return c, nil
	}
	var err error
	if c.Questions, err = parseQuestions(c.Input); err != nil {
		return Call{}, err
	}
	c.Kind, c.Target, c.NoAllow = KindQuestion, c.Questions[0].Text, "a question is answered, not allowed"
	return c, nil
}

// Reply prints one line, exit 0, nothing on stderr. An Allow carries no input
// of ours, so that what runs is what was sent; a replaced input and a
// question's answers are the two exceptions, and both replace it whole.
func (claude) Reply(event string, c Call, v Verdict) Reply {
	if c.Caller != claudeName || c.Event != claudeEvent || !sameOr(event, c.Event) {
		return Reply{}
	}
	switch {
	case v.Kind == Allow && c.Kind == KindCall && c.CanAllow:
		if v.Input == nil || bytes.Equal(v.Input, c.Input) {
			return claudeReply([]byte(`"allow"`))
		}
		if checkObject(v.Input) != nil {
			return Reply{}
		}
		return claudeReply(append([]byte(`"allow","updatedInput":`), compact(v.Input)...))
	case v.Kind == Deny && c.CanDeny:
		return claudeReply(quote([]byte(`"deny","message":`), Denial(c, v)))
	case v.Kind == Answers && AnswersFit(c, v.Answers):
		return claudeReply(append([]byte(`"allow","updatedInput":`), answered(c, v.Answers)...))
	}
	return Reply{}
}

// claudeReply is the reply with the given decision behind "behavior":.
func claudeReply(decision []byte) Reply {
	out := []byte(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":`)
	out = append(out, decision...)
	return Reply{Stdout: append(out, "}}}\n"...)}
}
