package relayserver

import (
	"time"

	"answerback/relay"
)

// Bus brings a message to whoever reads its box. A [Hub] is the bus of one
// node; a bus over many nodes keeps a Hub for its own sockets and asks the
// others when the Hub has no reader. All methods may be called concurrently.
type Bus interface {
	// Join makes r a reader of box. When the box has its four readers already,
	// it returns them, and r has not joined.
	Join(box relay.Box, r Reader) (full []Reader)
	// Leave ends what Join began. It is no error if r is no reader of box.
	Leave(box relay.Box, r Reader)
	// Send hands m to every reader of box and returns 0 if one of them took it.
	Send(box relay.Box, m Message) relay.UnsentReason
}

// Reader takes the messages of a box: a socket, or a POST that waits.
type Reader interface {
	// Take returns 0 when the message was written to the reader. It returns
	// within a few seconds and keeps nothing of m.
	Take(m Message) relay.UnsentReason
	// Alive asks the reader for a sign of life and waits at most that long. A
	// reader that gives none closes itself.
	Alive(within time.Duration) bool
}

// Message is a MESSAGE frame, ready for the wire: the same bytes go to every
// reader, because a relay's WebSocket frames are not masked (RFC 6455 section 5.1).
type Message struct {
	wire []byte // WebSocket header, then the MESSAGE frame
	head int    // length of the WebSocket header
}

// NewMessage makes the message of a payload, which is copied.
func NewMessage(box relay.Box, payload []byte) Message {
	n := relay.MessageHeader + len(payload)
	wire := appendHeader(make([]byte, 0, maxHeader+n), opBinary, n)
	head := len(wire)
	return Message{wire: relay.Message{Box: box, Payload: payload}.Append(wire), head: head}
}

// messageOver writes the message over the header of the SEND frame that it came
// in: that one is longer, so the payload stays where it stands.
func messageOver(send []byte, box relay.Box) Message {
	head := headerSize(len(send) - relay.SendHeader + relay.MessageHeader)
	wire := send[relay.SendHeader-relay.MessageHeader-head:]
	appendHeader(wire[:0], opBinary, len(wire)-head)
	relay.Message{Box: box}.Append(wire[:head])
	return Message{wire: wire, head: head}
}

// Payload returns the sealed bytes. They are only good until Take returns.
func (m Message) Payload() []byte { return m.wire[m.head+relay.MessageHeader:] }
