package caller

const (
	copilotName  = "copilot"
	copilotEvent = "permissionRequest"
)

// copilot is GitHub Copilot CLI, measured with 1.0.102.
//
// Any exit code but 0, any text, and a second line are a denial there. It fires before its own rules, so calls that those would allow are asked
// too, and the hook holds up its dialog. It ignores a replaced input and runs the original: a verdict with one is no opinion.
type copilot struct{}

func (copilot) Name() string { return copilotName }

func (copilot) Event(event string) (Event, bool) {
	if event != copilotEvent {
		return Event{}, false
	}
	return Event{Waits: true, Allows: true, Denies: true, Words: true, Limit: shortLimit, WaitDefault: shortWait, WaitMax: shortWait}, true
}

// Parse reads a permissionRequest:
//
//	{"hookName":"permissionRequest","sessionId","timestamp":ms,"cwd","toolName","toolInput":{..},"permissionSuggestions":[..]}
func (copilot) Parse(event string, stdin []byte) (Call, error) {
	if err := checkObject(stdin); err != nil {
		return Call{}, err
	}
	f := fieldsOf("", trimSpace(stdin))
	named := f.need("hookName", maxModes)
	f.typed("permissionSuggestions", '[', "an array")
	c := Call{Session: f.need("sessionId", maxID), Tool: f.need("toolName", maxTool), Input: f.typed("toolInput", '{', "an object"), Folder: folder(f), Raw: stdin}
	if c.Input == nil {
		f.fail("toolInput", "there")
	}
	if c.Folder == "" {
		f.fail("cwd", "there")
	}
	if f.err != nil {
		return Call{}, f.err
	}
	var err error
	if c.Event, err = sameEvent(event, named); err != nil {
		return Call{}, err
	}
	if named != copilotEvent {
		return Call{}, parseError{ErrEvent}
	}
	c.Caller, c.Kind, c.CanDeny = copilotName, KindCall, true
	c.describe()
	c.CanAllow = c.NoAllow == ""
	return c, nil
}

// Reply prints one object without a line's end, exit 0, nothing on stderr.
func (copilot) Reply(event string, c Call, v Verdict) Reply {
	switch {
	case c.Caller != copilotName || c.Event != copilotEvent || !sameOr(event, c.Event) || rewrites(c, v):
		return Reply{}
	case v.Kind == Allow && c.Kind == KindCall && c.CanAllow:
		return Reply{Stdout: []byte(`{"behavior":"allow"}`)}
	case v.Kind == Deny && c.CanDeny:
		return Reply{Stdout: append(quote([]byte(`{"behavior":"deny","message":`), Denial(c, v)), '}')}
	}
	return Reply{}
}
