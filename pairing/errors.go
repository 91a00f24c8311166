package pairing

import "errors"

// What Receive and the other methods return. ErrIgnored alone changes nothing;
// each of the others but ErrVersion, ErrSixDigits and ErrOrder ends the pairing.
var (
	// ErrIgnored is returned for bytes that are not the next message of this
	// pairing: noise, a repetition, something made for another code.
	ErrIgnored = errors.New("pairing: receive: not the next message of this pairing; keep waiting")
	// ErrTwoDevices is returned to the agent when a second device used the code.
	ErrTwoDevices = errors.New("pairing: this code was used by two devices; run answerback pair again where nobody else can see the code")
	// ErrExpired is returned to the agent when a message came too late.
	ErrExpired = errors.New("pairing: this code is too old; run answerback pair again")
	// ErrBurnt is returned to the agent after the third wrong digits.
	ErrBurnt = errors.New("pairing: wrong digits three times; run answerback pair again")
	// ErrEnded is returned to the agent when it stopped the pairing itself.
	ErrEnded = errors.New("pairing: this pairing was stopped; run answerback pair again")
	// ErrVersion is returned when the other side speaks no version that this one
	// does. A hello with another version ends nothing.
	ErrVersion = errors.New("pairing: the other side speaks another version; update the older one and pair again")
	// ErrSixDigits is returned when what was typed is not six digits. It is not
	// counted as a try.
	ErrSixDigits = errors.New("pairing: that is not six digits; type what the device shows")
	// ErrOrder is returned for a step that is not due: digits before a device
	// locked the code, Finish before the right digits, Confirm before the bundle.
	ErrOrder = errors.New("pairing: this step is not due yet; wait for the message before it")
	// ErrNotOurs is returned to the device when the agent's bundle is not the one
	// that the code was made for.
	ErrNotOurs = errors.New("pairing: the answer does not come from the machine that drew this code; do not go on, make a new code")
	// ErrUnproven is returned to the device when the agent broke its commitment
	// or did not sign this very transcript.
	ErrUnproven = errors.New("pairing: the machine could not prove that it drew this code; do not go on, make a new code")
	// ErrFormat is returned for bytes that are not exactly of the form of
	// protocol 1.
	ErrFormat = errors.New("pairing: parse: not exactly of the form of protocol 1; update the older side")
	// ErrConfig is returned for a side that cannot be made: an empty or too long
	// name, an address that is no http or https URL, half a push subscription.
	ErrConfig = errors.New("pairing: a name must be 1 to 64 bytes of text, an address an http or https URL of at most 2,048 bytes; correct the configuration")
)

// ErrStopped is returned to the device when the agent stopped the pairing. It is
// a type; use errors.As.
type ErrStopped struct{ Reason Reason }

// Error returns the reason as a sentence.
func (e ErrStopped) Error() string { return "pairing: " + e.Reason.String() }
