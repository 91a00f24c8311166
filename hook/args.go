package hook

import (
	"strings"
	"time"
)

// minWait and MaxWait bound --wait.
const minWait = 100 * time.Millisecond

// maxSocketPath is the longest path that fits a socket address everywhere
// (macOS has 104 bytes), with some room.
const maxSocketPath = 100

// options is a command line, read as far as it can be read: with bad set the
// agent is not asked, but the names still choose the fallback row, because a
// misspelt flag must not turn a closed gate into an open one.
type options struct {
	caller, event string
	socket        string // "" is Socket(our uid)
	owner         int    // uid that the agent must have; -1 is our own
	wait          time.Duration
	flags         Flags
	bad           bool
}

// parseArgs reads --agent NAME [--reply answerback] [--socket PATH]
// [--peer-uid N] [--wait SECONDS] [--fail-mode open|closed] [--probe] [EVENT].
// A flag's value may follow it or stand behind '='. Anything else, a flag
// given twice, and a second EVENT set bad.
func parseArgs(args []string) options {
	o := options{owner: -1}
	seen := " "
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !strings.HasPrefix(arg, "-") {
			o.setEvent(arg)
			continue
		}
		name, value, inline := strings.Cut(arg, "=")
		if strings.Contains(seen, " "+name+" ") {
			o.bad = true
		}
		seen += name + " "
		if name == "--probe" && !inline {
			o.flags |= FlagProbe
			continue
		}
		if !inline {
			if !takesValue(name) || len(args) == 0 {
				o.bad = true
				continue
			}
			value, args = args[0], args[1:]
		}
		if !o.set(name, value) {
			o.bad = true
		}
	}
	if o.caller == "" || builtin(o.caller) && o.flags&FlagReply != 0 {
		o.bad = true
	}
	return o
}

func takesValue(name string) bool {
	switch name {
	case "--agent", "--reply", "--socket", "--peer-uid", "--wait", "--fail-mode":
		return true
	}
	return false
}

func (o *options) setEvent(s string) {
	if o.event != "" || !validEvent(s) {
		o.bad = true
		return
	}
	o.event = s
}

// set stores one flag's value and says whether flag and value are known.
func (o *options) set(name, value string) (ok bool) {
	switch name {
	case "--agent":
		return ValidName(value) && setString(&o.caller, value)
	case "--reply":
		o.flags |= FlagReply
		return value == "answerback"
	case "--socket":
		return validSocket(value) && setString(&o.socket, value)
	case "--peer-uid":
		o.owner, ok = parseUID(value)
		return ok
	case "--wait":
		o.wait, ok = parseWait(value)
		return ok
	case "--fail-mode":
		// A word that is neither is read as closed: a slip never opens a gate.
		if value != "open" {
			o.flags |= FlagClosed
		}
		return value == "open" || value == "closed"
	}
	return false
}

func setString(to *string, value string) bool {
	*to = value
	return true
}

// validSocket refuses a relative path: the hook runs in a folder of the
// caller's choice.
func validSocket(path string) bool {
	return strings.HasPrefix(path, "/") && len(path) <= maxSocketPath && !strings.Contains(path, "\x00")
}

// parseUID reads a decimal uid. The highest value means "no user" to the
// kernel and is refused.
func parseUID(s string) (int, bool) {
	n, ok := parseDecimal(s)
	if !ok || n >= 1<<32-1 {
		return -1, false
	}
	return int(n), true
}

// parseWait reads whole seconds ("120") or a Go duration ("2s", "500ms").
func parseWait(s string) (time.Duration, bool) {
	var d time.Duration
	if n, ok := parseDecimal(s); ok {
		d = time.Duration(n) * time.Second
	} else if parsed, err := time.ParseDuration(s); err == nil {
		d = parsed
	}
	return d, minWait <= d && d <= MaxWait
}

// parseDecimal reads at most ten digits and nothing else.
func parseDecimal(s string) (n uint64, ok bool) {
	if s == "" || len(s) > 10 {
		return 0, false
	}
	for i := range len(s) {
		if !digit(s[i]) {
			return 0, false
		}
		n = n*10 + uint64(s[i]-'0')
	}
	return n, true
}
