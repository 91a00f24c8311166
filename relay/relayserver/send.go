package relayserver

import (
	"errors"

	"answerback/relay"
)

// onSend serves SEND: the payload goes to the readers of its box, and SENT or
// UNSENT goes back. Nothing is copied or allocated: MESSAGE, then the answer,
// are written over the frame itself.
func (s *socket) onSend(frame []byte) error {
	f, err := relay.ParseSend(frame)
	if err != nil {
		return s.bye(byeFor(err))
	}
	why := relay.UnsentNotAdmitted
	if s.listened.Load() {
		why = s.srv.forward(f.Box(), frame)
	}
	s.write(appendAnswer(frame[:0], f.Tag, why))
	return nil
}

// forward hands the payload of a SEND frame on. The frame's header is
// overwritten.
func (s *Server) forward(box relay.Box, send []byte) relay.UnsentReason {
	if s.draining.Load() {
		return relay.UnsentDraining
	}
	if !s.serves(box) {
		return relay.UnsentNotAdmitted
	}
	return s.bus.Send(box, messageOver(send, box))
}

// appendAnswer appends SENT, or UNSENT with a reason, as a WebSocket frame.
func appendAnswer(b []byte, tag relay.Tag, why relay.UnsentReason) []byte {
	if why == 0 {
		return relay.AppendSent(appendHeader(b, opBinary, 9), tag)
	}
	return relay.AppendUnsent(appendHeader(b, opBinary, 10), tag, why)
}

// byeFor is the reason that goes with a parse error.
func byeFor(err error) relay.ByeReason {
	if errors.Is(err, relay.ErrTooLarge) {
		return relay.ByeTooLarge
	}
	return relay.ByeMalformed
}
