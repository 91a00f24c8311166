// Package rules says what kind of call a call is: routine, sensitive or
// destructive, and why, each reason pointing at the piece of the call that gave
// it. It decides nothing: it tells the person, and it tells the agent how much
// an Allow needs.
//
// Shell commands are parsed, never matched as text. The walk follows wrappers,
// substitutions, here-documents, pipes, assignments and functions as far as
// they can be followed without running anything; what cannot be followed is
// sensitive. It is a help against haste and tricks, not a wall: a program can do
// anything whatever its name says.
//
// Everything here is pure: no clock, no disk, no environment. Work is bounded
// by the input's size, and no input makes it panic.
package rules

// Class is how much harm a call can do. The zero value reads as destructive.
type Class byte

// The classes, in order.
const (
	Routine     Class = iota + 1 // stays in the folder, known tools, nothing lost
	Sensitive                    // reaches out, changes something that lasts, or cannot be looked into
	Destructive                  // cannot be taken back
)

// String is the class's word on the wire.
func (c Class) String() string {
	switch c {
	case Routine:
		return "routine"
	case Sensitive:
		return "sensitive"
	}
	return "destructive"
}

// Reason is one reason for a class: an id of the reasons table, and the piece
// of the call that it points to (at most MaxPiece bytes; for a shell command a
// part of the command's text).
type Reason struct {
	ID    string `json:"id"`
	Piece string `json:"piece"`
}

// Limits of what is looked into and told.
const (
	MaxShell   = 64 << 10 // bytes of shell text that are parsed
	MaxOpeners = 500      // openers in it: the parser recurses
	MaxReasons = 16
	MaxPiece   = 160
)

// Input is a call as the caller sent it. Only Tool and Input are needed; what
// is missing makes the answer stricter.
type Input struct {
	Caller string
	Folder string // the session's folder, absolute; empty: every write counts as outside
	Home   string // the person's home folder, for ~ and $HOME
	Tool   string
	Input  []byte   // the tool's input, JSON, byte for byte
	Own    []string // Answerback's own files and folders, absolute
}

// Classify gives the class and the reasons, the heaviest first. No reasons
// means routine.
func Classify(in Input) (class Class, reasons []Reason) {
	out := new(findings)
	defer func() {
		switch recover().(type) {
		case nil:
			return
		case tooMuch:
			out.add("too-large", in.Tool)
		default: // a fault in a parser must not take the agent down
			out.add("not-parsed", in.Tool)
		}
		class, reasons = out.result()
	}()
	classifyTool(&in, out)
	return out.result()
}

// NeverByRule says that a call with these reasons must not be allowed by an
// Always rule or a policy: it touches Answerback or what starts it.
func NeverByRule(reasons []Reason) bool {
	for _, r := range reasons {
		if r.ID == "self" || r.ID == "changes-hooks" {
			return true
		}
	}
	return false
}
