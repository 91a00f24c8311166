package voice

import (
	"errors"
	"fmt"
)

// Exit codes of every command but log verify, which has its own from 10 on.
const (
	Done       = 0
	Failed     = 1
	WrongUse   = 2
	NoSuch     = 3 // unknown id, nothing pending
	Refused    = 4 // refused by a rule of safety
	NotRunning = 5 // the agent is not running
)

// Failure is an error with the exit code that the program ends with.
type Failure struct {
	Exit int
	// Text is what happened and what to do, without the program's name. Empty: everything has been said already.
	Text string
	Err  error
}

func (f *Failure) Error() string { return f.Text }

// Unwrap gives the cause, if there is one.
func (f *Failure) Unwrap() error { return f.Err }

// Fail makes a Failure.
func Fail(exit int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Failure{Exit: exit, Text: err.Error(), Err: errors.Unwrap(err)}
}

// Silent ends the program with a code when everything has been said.
func Silent(exit int) error { return &Failure{Exit: exit} }

// End says an error, if it is one, and returns the exit code.
func (v *Voice) End(err error) int {
	if err == nil {
		return Done
	}
	var f *Failure
	if !errors.As(err, &f) {
		f = &Failure{Exit: Failed, Text: err.Error()}
	}
	if f.Text != "" {
		v.Say("answerback: %s", Line(f.Text))
	}
	return f.Exit
}
