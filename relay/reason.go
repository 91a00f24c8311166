package relay

import "strconv"

// Type is the first byte of a frame. The zero Type is never valid.
type Type byte

// Frame types.
const (
	TypeListen    Type = 1
	TypeListening Type = 2
	TypeSend      Type = 3
	TypeSent      Type = 4
	TypeUnsent    Type = 5
	TypeMessage   Type = 6
	TypeAdmit     Type = 7
	TypePush      Type = 8
	TypePushed    Type = 9
	TypeLeave     Type = 10
	TypeBye       Type = 11
)

var typeNames = []string{"", "LISTEN", "LISTENING", "SEND", "SENT", "UNSENT", "MESSAGE", "ADMIT", "PUSH", "PUSHED", "LEAVE", "BYE"}

// TypeOf returns the type of a frame, 0 for an empty one.
func TypeOf(frame []byte) Type {
	if len(frame) == 0 {
		return 0
	}
	return Type(frame[0])
}

// String returns the word of the type, as in the tables of the protocol.
func (t Type) String() string { return name(typeNames, byte(t)) }

// UnsentReason says why a SEND reached nobody. The zero value means that it
// was sent; it never stands in a frame.
type UnsentReason byte

// UNSENT reasons.
const (
	UnsentNobody      UnsentReason = 1 // nobody listens on the box
	UnsentSlow        UnsentReason = 2 // its reader did not take the bytes in WriteWithin and was closed
	UnsentTooLarge    UnsentReason = 3
	UnsentRate        UnsentReason = 4 // too many messages or bytes for this box
	UnsentNotAdmitted UnsentReason = 5 // private relay, or a SEND before the first LISTENING
	UnsentDraining    UnsentReason = 6 // the relay is about to stop
	UnsentTimeout     UnsentReason = 7 // no word from the relay in time
)

var unsentNames = []string{"", "nobody listens there", "the reader is too slow", "the message is too large",
	"too many messages, wait a little", "the relay does not serve this box", "the relay is restarting", "no word from the relay in time"}

// String returns the reason as the end of a sentence.
func (u UnsentReason) String() string { return name(unsentNames, byte(u)) }

// Valid reports whether the reason stands in the table.
func (u UnsentReason) Valid() bool { return u != 0 && int(u) < len(unsentNames) }

// ByeReason says why the relay closes a socket.
type ByeReason byte

// BYE reasons.
const (
	ByeBusy        ByeReason = 1 // the box has its four readers and all of them answer
	ByeMalformed   ByeReason = 2
	ByeTooLarge    ByeReason = 3
	ByeRate        ByeReason = 4
	ByeNoListen    ByeReason = 5 // no LISTEN in ListenWithin
	ByeDraining    ByeReason = 6
	ByeSlow        ByeReason = 7
	ByeTooMany     ByeReason = 8 // over MaxBoxes
	ByeNotAdmitted ByeReason = 9 // private relay
	ByeNoPing      ByeReason = 10
	ByeOrigin      ByeReason = 11
)

var byeNames = []string{"", "the box has four live readers already", "malformed frame", "the frame is too large", "too many frames",
	"no LISTEN in time", "the relay is restarting", "too slow a reader", "too many boxes on one socket", "the relay is private and does not serve this box",
	"no answer to pings", "this origin may not use the relay"}

// String returns the reason as the end of a sentence.
func (b ByeReason) String() string { return name(byeNames, byte(b)) }

// Valid reports whether the reason stands in the table.
func (b ByeReason) Valid() bool { return b != 0 && int(b) < len(byeNames) }

// CloseCode returns the WebSocket close code that goes with the reason
// (RFC 6455 section 7.4.2: 4000-4999 are for private use).
func (b ByeReason) CloseCode() int { return 4000 + int(b) }

func name(names []string, i byte) string {
	if i == 0 || int(i) >= len(names) {
		return "unknown " + strconv.Itoa(int(i))
	}
	return names[i]
}
