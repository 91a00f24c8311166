package pairing

// This file is the pairing's part of Appendix A: the one home of these byte
// values. 0 is never valid, and an unknown value is refused.

// Version is what hello says.
const Version = 1

// offerVersion is the first byte of the payload in the QR code.
const offerVersion = 1

// Message types, the first byte of what goes through a pairing mailbox. Each box
// below is nonce(12) || AES-256-GCM || tag(16), with the key of that name and
// aad = label || H1 (the bundle's: label alone, for H1 is not known yet).
//
//	hello   1 || version(1)                                        to agent
//	bundle  2 || box{B}                                            to device
//	msg1    3 || e_d.pub(32) || box{len(4) || fields || sig(64)}   to agent
//	msg2    4 || box{N_a(32) || sig(64)}                           to device
//	msg3    5 || box{device_id(16) || len(4) || roster || ms(8)}   to device
//	stop    6 || box{reason(1)}                                    to device
const (
	typeHello  byte = 1
	typeBundle byte = 2
	typeMsg1   byte = 3
	typeMsg2   byte = 4
	typeMsg3   byte = 5
	typeStop   byte = 6
)

// Reason says why an agent stopped a pairing.
type Reason byte

// The reasons.
const (
	StopTwoDevices  Reason = 1 // the code was used by two devices
	StopWrongDigits Reason = 2 // wrong digits were typed three times
	StopExpired     Reason = 3 // the code is too old
	StopRefused     Reason = 4 // a paired device refused the new one
	StopCancelled   Reason = 5 // the person gave up at the terminal
	StopBadMessage  Reason = 6 // the device said something that cannot be
	StopVersion     Reason = 7 // the two sides share no version
)

func (r Reason) valid() bool { return r >= StopTwoDevices && r <= StopVersion }

// String returns the sentence for a person.
func (r Reason) String() string {
	switch r {
	case StopTwoDevices:
		return "this code was used by two devices; make a new one where nobody else can see it"
	case StopWrongDigits:
		return "wrong digits were typed three times; make a new code"
	case StopExpired:
		return "this code is too old; make a new one"
	case StopRefused:
		return "a paired device refused this one"
	case StopCancelled:
		return "the pairing was cancelled at the terminal"
	case StopBadMessage:
		return "this device sent something that cannot be; update it and make a new code"
	case StopVersion:
		return "the two sides share no protocol version; update the older one"
	}
	return "the pairing was stopped; make a new code"
}

// Limits, in bytes.
const (
	// MaxName is the longest name of an agent, a host, a device or a platform.
	MaxName = 64
	// MaxURL is the longest URL and the longest key.
	MaxURL = 2048
	// MaxRoster is the longest roster in msg3.
	MaxRoster = 64 << 10

	maxMessage = 128 << 10
)
