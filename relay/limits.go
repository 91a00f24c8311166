package relay

import "time"

// Subprotocol is the WebSocket subprotocol of this wire. A relay refuses a
// socket that does not offer it.
const Subprotocol = "answerback.relay.v1"

// Version is the number in [Subprotocol], as GET /v1/info lists it.
const Version = 1

// Limits of the wire. Both ends hold to them; a relay may be stricter, never
// wider. Sizes are bytes.
const (
	MaxFrame       = 264 << 10 // one frame
	MaxFrameBefore = 4 << 10   // all frames of a socket before its first LISTENING
	MaxPayload     = MaxFrame - sendHeader
	MaxBoxes       = 64 // boxes that a socket listens on; as many again may be admitted
	MaxListeners   = 4  // readers of one box

	MaxPushBody = 2800 // Firefox on Android refuses about 3,070 and more
	MaxEndpoint = 2048 // URL of a push subscription
	MaxPushTTL  = 900  // seconds
)

// Times of the wire.
const (
	ListenWithin = 5 * time.Second  // first LISTEN of a socket, else BYE
	PingEvery    = 45 * time.Second // by the relay, +-PingJitter: below the 60 s of common proxies
	PingJitter   = 5 * time.Second
	PingMisses   = 2                // silent pings before a socket is dropped
	SilentAfter  = 3 * time.Second  // a reader that does not answer gives way to a fifth one
	WriteWithin  = 2 * time.Second  // one frame into a reader's socket, else it is closed as slow
	MaxWait      = 20 * time.Second // of POST /v1/send?wait=
)

// Sizes of the fixed parts of the frames, type byte included.
const (
	listenSize    = 1 + 32 + 32
	boxFrameSize  = 1 + 20
	sendHeader    = 1 + 8 + 32 + 32
	sentSize      = 1 + 8
	unsentSize    = 1 + 8 + 1
	pushHeader    = 1 + 8 + 4 + 1 + 24 + 2
	pushedSize    = 1 + 8 + 2 + 4
	byeSize       = 1 + 1
	messageHeader = boxFrameSize
)

// ListenSize is the length of a LISTEN frame: what stands before the SEND
// frame in the body of POST /v1/send?wait=.
const ListenSize = listenSize

// SendHeader and MessageHeader are the lengths of what stands before the
// payload in a SEND and in a MESSAGE. The latter is shorter, so a relay can
// write one over the other.
const (
	SendHeader    = sendHeader
	MessageHeader = messageHeader
)
