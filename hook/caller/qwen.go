package caller

const qwenName = "qwen"

// qwen is qwen-code, measured with 0.24.4.
//
// Its reply is Claude Code's. The word "ask" would be a denial there, and an Allow with exit code 1 is still taken for one. A replaced input is
// what runs.
type qwen struct{}

func (qwen) Name() string { return qwenName }

func (qwen) Event(event string) (Event, bool) {
	if event != claudeEvent {
		return Event{}, false
	}
	return Event{Waits: true, Allows: true, Denies: true, Words: true, RunsRewrite: true, Limit: shortLimit, WaitDefault: shortWait, WaitMax: shortWait}, true
}

// Parse reads a PermissionRequest:
//
//	{"session_id","transcript_path","cwd","hook_event_name","timestamp","permission_mode","prompt_id","tool_name","tool_input":{..}}
func (qwen) Parse(event string, stdin []byte) (Call, error) {
	p, f, err := parsePayload(stdin)
	if err != nil {
		return Call{}, err
	}
	f.need("session_id", maxID)
	f.need("cwd", maxPath)
	f.text("transcript_path", maxPath)
	f.text("timestamp", maxModes)
	f.text("prompt_id", maxID)
	f.typed("tool_input", '{', "an object")
	if f.err != nil {
		return Call{}, f.err
	}
	return permission(qwenName, event, p)
}

// Reply prints one line, exit 0, nothing on stderr.
func (qwen) Reply(event string, c Call, v Verdict) Reply {
	if c.Caller != qwenName || c.Event != claudeEvent || !sameOr(event, c.Event) {
		return Reply{}
	}
	if v.Kind != Allow || !rewrites(c, v) {
		return allowOrDeny(c, v)
	}
	if !c.CanAllow || checkObject(v.Input) != nil {
		return Reply{}
	}
	return claudeReply(append([]byte(`"allow","updatedInput":`), compact(v.Input)...))
}
