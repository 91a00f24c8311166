package relay

import "encoding/binary"

// Tag joins an answer of the relay to the frame that it answers. Its value
// means nothing to the relay; a socket should not use one twice at a time.
type Tag uint64

// Send hands a payload to the readers of a box:
// SEND tag(8) H(r)(32) w(32) payload(1..MaxPayload).
type Send struct {
	Tag     Tag
	HR      KeyHash
	W       WriterKey
	Payload []byte // aliases the frame after ParseSend
}

// Box returns the box that the writer writes to.
func (s Send) Box() Box { return BoxOf(s.HR, HashW(s.W)) }

// Append appends the frame to b.
func (s Send) Append(b []byte) []byte {
	b = appendTag(b, TypeSend, s.Tag)
	b = append(b, s.HR[:]...)
	b = append(b, s.W[:]...)
	return append(b, s.Payload...)
}

// ParseSend reads a SEND frame. The payload is not copied.
func ParseSend(b []byte) (Send, error) {
	if err := atLeast(b, TypeSend, sendHeader, MaxFrame); err != nil {
		return Send{}, err
	}
	return Send{Tag: tagOf(b), HR: KeyHash(b[9:41]), W: WriterKey(b[41:73]), Payload: b[sendHeader:]}, nil
}

// AppendSent appends SENT tag(8): the payload is in a live reader's socket.
func AppendSent(b []byte, tag Tag) []byte { return appendTag(b, TypeSent, tag) }

// ParseSent reads a SENT frame.
func ParseSent(b []byte) (Tag, error) {
	if err := exact(b, TypeSent, sentSize); err != nil {
		return 0, err
	}
	return tagOf(b), nil
}

// AppendUnsent appends UNSENT tag(8) reason(1): the payload reached nobody.
func AppendUnsent(b []byte, tag Tag, reason UnsentReason) []byte {
	return append(appendTag(b, TypeUnsent, tag), byte(reason))
}

// ParseUnsent reads an UNSENT frame.
func ParseUnsent(b []byte) (Tag, UnsentReason, error) {
	if err := exact(b, TypeUnsent, unsentSize); err != nil {
		return 0, 0, err
	}
	reason := UnsentReason(b[9])
	if !reason.Valid() {
		return 0, 0, bad(TypeUnsent, ErrMalformed)
	}
	return tagOf(b), reason, nil
}

// Message is a payload on its way to a reader: MESSAGE box(20) payload(1..).
type Message struct {
	Box     Box
	Payload []byte // aliases the frame after ParseMessage
}

// Append appends the frame to b.
func (m Message) Append(b []byte) []byte {
	return append(appendBox(b, TypeMessage, m.Box), m.Payload...)
}

// ParseMessage reads a MESSAGE frame. The payload is not copied.
func ParseMessage(b []byte) (Message, error) {
	if err := atLeast(b, TypeMessage, messageHeader, MaxFrame); err != nil {
		return Message{}, err
	}
	return Message{Box: Box(b[1:21]), Payload: b[messageHeader:]}, nil
}

func appendTag(b []byte, t Type, tag Tag) []byte {
	return binary.BigEndian.AppendUint64(append(b, byte(t)), uint64(tag))
}

func tagOf(b []byte) Tag { return Tag(binary.BigEndian.Uint64(b[1:9])) }
