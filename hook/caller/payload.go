package caller

import "strings"

// Limits on the texts of a payload, in bytes. The path is that of Linux.
const (
	maxID    = 256
	maxTool  = 256
	maxPath  = 4096
	maxModes = 64
)

// payload is the hook JSON that Claude Code made and most tools copy.
type payload struct {
	event string
	input []byte // raw tool_input, or nil
	call  Call
}

// parsePayload reads the fields that all such callers share. Which of them
// have to be there is for the adapter to say.
func parsePayload(stdin []byte) (payload, *fields, error) {
	if err := checkObject(stdin); err != nil {
		return payload{}, nil, err
	}
	f := fieldsOf("", trimSpace(stdin))
	p := payload{event: f.text("hook_event_name", maxModes), input: f.raw("tool_input")}
	p.call = Call{
		Session:      f.text("session_id", maxID),
		SubagentID:   f.text("agent_id", maxID),
		SubagentType: f.text("agent_type", maxID),
		Folder:       folder(f),
		Mode:         f.text("permission_mode", maxModes),
		Tool:         f.need("tool_name", maxTool),
		Input:        p.input,
		Raw:          stdin,
	}
	if p.input == nil {
		f.fail("tool_input", "there")
	}
	return p, f, f.err
}

// folder is cwd, which has to be a path that means the same to everybody.
func folder(f *fields) string {
	dir := f.text("cwd", maxPath)
	if dir != "" && (dir[0] != '/' || strings.Contains(dir, "\x00")) {
		f.fail("cwd", "an absolute path")
	}
	return dir
}

// sameEvent settles the event between the command line and the payload: when
// both name one, it has to be the same.
func sameEvent(argv, payload string) (string, error) {
	switch {
	case argv == "":
		argv = payload
	case payload != "" && payload != argv:
		return "", parseError{ErrEvent}
	}
	if argv == "" {
		return "", parseError{ErrEvent}
	}
	return argv, nil
}

// sameOr says whether the command line's event is the call's, or none.
func sameOr(argv, call string) bool { return argv == "" || argv == call }

func trimSpace(doc []byte) []byte {
	for len(doc) > 0 && isSpace(doc[0]) {
		doc = doc[1:]
	}
	for len(doc) > 0 && isSpace(doc[len(doc)-1]) {
		doc = doc[:len(doc)-1]
	}
	return doc
}
