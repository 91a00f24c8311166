package caller

import (
	"errors"
	"strconv"
)

// What Parse and For refuse. Each is in the chain of the error that says more.
var (
	ErrSize      = errors.New("the input has more than 1 MiB")
	ErrJSON      = errors.New("the input is not one JSON object")
	ErrUTF8      = errors.New("the input is not UTF-8")
	ErrDuplicate = errors.New("an object has the same name twice")
	ErrDepth     = errors.New("the input is nested more than 64 deep")
	ErrField     = errors.New("a field is missing or not of its type")
	ErrEvent     = errors.New("the event is not the one that this hook is installed for")

	ErrName     = errors.New("caller: a name has 1 to 24 of the characters a-z, 0-9 and -")
	ErrReserved = errors.New("caller: the name is kept for a built-in caller; choose another one")
	ErrReply    = errors.New("caller: --reply takes only the word answerback, and only for a tool of your own")
)

// SyntaxError is a fault of the JSON at a byte offset. Unwrap gives ErrJSON,
// ErrUTF8, ErrDuplicate or ErrDepth.
type SyntaxError struct {
	Offset int
	Err    error
}

// Error names the fault and the place.
func (e *SyntaxError) Error() string {
	return "caller: parse input: " + e.Err.Error() + ", at byte " + strconv.Itoa(e.Offset)
}

// Unwrap gives the kind of fault.
func (e *SyntaxError) Unwrap() error { return e.Err }

// FieldError is a known field that is missing or not what it has to be. Unwrap
// gives ErrField.
type FieldError struct {
	Name string // the field's path, for example "tool_input.questions"
	Want string // for example "a string"
}

// Error names the field and what it has to be.
func (e *FieldError) Error() string { return "caller: parse input: " + e.Name + " has to be " + e.Want }

// Unwrap gives ErrField.
func (e *FieldError) Unwrap() error { return ErrField }

// parseError puts what was being done in front of a sentinel.
type parseError struct{ err error }

func (e parseError) Error() string { return "caller: parse input: " + e.err.Error() }
func (e parseError) Unwrap() error { return e.err }
