package relayserver

import (
	"context"
	"errors"
	"os"

	"github.com/coder/websocket"

	"answerback/relay"
)

// next reads one message and serves it. An error ends the socket.
func (s *socket) next() error {
	kind, r, err := s.ws.Reader(background)
	if err != nil {
		return s.readError(err)
	}
	s.conn.inData = true
	var buf frameBuffer
	defer buf.free()
	frame, err := buf.read(r, s.limit())
	s.conn.between()
	switch {
	case s.closing.Load():
		return s.discard()
	case errors.Is(err, errLimit):
		return s.last(relay.ByeTooLarge)
	case err != nil:
		return s.readError(err)
	case kind != websocket.MessageBinary:
		return s.last(relay.ByeMalformed)
	}
	if s.serve(frame) != nil {
		return s.discard()
	}
	return nil
}

// limit is the most that the next frame may have.
func (s *socket) limit() int {
	if s.listened.Load() {
		return relay.MaxFrame
	}
	return relay.MaxFrameBefore - s.before
}

// serve does what one frame asks for. It returns errDone after a BYE.
func (s *socket) serve(frame []byte) error {
	if !s.frames.take(s.srv.socketRate, s.srv.now(), 1) {
		return s.bye(relay.ByeRate)
	}
	if !s.listened.Load() {
		s.before += len(frame)
	}
	switch relay.TypeOf(frame) {
	case relay.TypeSend:
		return s.onSend(frame)
	case relay.TypeListen:
		return s.onListen(frame)
	case relay.TypeLeave:
		return s.onLeave(frame)
	case relay.TypeAdmit:
		return s.onAdmit(frame)
	case relay.TypePush:
		return s.onPush(frame)
	}
	return s.bye(relay.ByeMalformed)
}

// last says BYE and reads on until the client has seen it.
func (s *socket) last(why relay.ByeReason) error {
	s.bye(why)
	return s.discard()
}

// readError ends a socket whose client left, broke the WebSocket protocol (the
// library has told it so), or stopped in the middle of a frame.
func (s *socket) readError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return s.last(relay.ByeMalformed)
	}
	return err
}

// onPing answers the client's ping. The library would, too, but not under the
// lock that keeps frames whole, and not within WriteWithin.
func (s *socket) onPing(_ context.Context, data []byte) bool {
	s.conn.control()
	s.write(append(appendHeader(make([]byte, 0, 2+len(data)), opPong, len(data)), data...))
	return false
}
