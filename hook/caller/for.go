package caller

import "strings"

// OpenReply is the value of --reply with which a home-made tool says that it
// reads the open reply.
const OpenReply = "answerback"

// reserved are the names that no home-made tool can take: the callers that
// have an adapter or may get one, and our own words.
const reserved = " claude codex copilot gemini opencode qwen cursor kimi cline amp droid goose pi acp mcp other answerback "

// Reserved says whether a name is kept for a built-in caller.
func Reserved(name string) bool { return ValidName(name) && strings.Contains(reserved, " "+name+" ") }

// ValidName says whether name can be a caller's: 1-24 of [a-z0-9-].
func ValidName(name string) bool {
	if name == "" || len(name) > 24 {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// Names lists the built-in callers that have an adapter.
func Names() []string { return []string{claudeName, codexName, copilotName, qwenName} }

// For finds the adapter of a caller. reply is the value of --reply: a
// home-made tool is waited for only with OpenReply, and a built-in caller has
// its own reply and takes none.
func For(name, reply string) (Adapter, error) {
	switch {
	case !ValidName(name):
		return nil, ErrName
	case reply != "" && reply != OpenReply:
		return nil, ErrReply
	case !Reserved(name):
		return open{name: name, reads: reply == OpenReply}, nil
	case reply != "":
		return nil, ErrReserved
	}
	for _, a := range []Adapter{claude{}, codex{}, copilot{}, qwen{}} {
		if a.Name() == name {
			return a, nil
		}
	}
	return nil, ErrReserved
}
