package relayclient

import (
	"fmt"

	"answerback/relay"
)

// receive serves one frame of the relay. An error ends the session: a relay
// that sends what is not in the protocol cannot be understood any more.
func (s *session) receive(frame []byte) error {
	var err error
	switch relay.TypeOf(frame) {
	case relay.TypeMessage:
		err = s.onMessage(frame)
	case relay.TypeSent:
		var tag relay.Tag
		if tag, err = relay.ParseSent(frame); err == nil {
			s.settle(tag, relay.TypeSend, answer{})
		}
	case relay.TypeUnsent:
		var tag relay.Tag
		var a answer
		if tag, a.unsent, err = relay.ParseUnsent(frame); err == nil {
			s.settle(tag, relay.TypeSend, a)
		}
	case relay.TypePushed:
		var a answer
		if a.pushed, err = relay.ParsePushed(frame); err == nil {
			s.settle(a.pushed.Tag, relay.TypePush, a)
		}
	case relay.TypeListening:
		err = s.onListening(frame)
	case relay.TypeBye:
		err = s.onBye(frame)
	default:
		err = fmt.Errorf("unexpected %v", relay.TypeOf(frame))
	}
	if err != nil {
		return fmt.Errorf("relayclient: receive: %w", err)
	}
	return nil
}

// onMessage queues the payload for the handler of its box. A message of a box
// that is no longer listened on is dropped. When the handlers are too far
// behind the connection ends, so that writers hear that nobody reads.
func (s *session) onMessage(frame []byte) error {
	m, err := relay.ParseMessage(frame)
	if err != nil {
		return err
	}
	s.c.mu.Lock()
	in := s.c.boxes[m.Box]
	s.c.mu.Unlock()
	if in == nil {
		return nil
	}
	if !s.c.todo.put(len(m.Payload), func() { in.handle(m.Payload) }) {
		return errBehind
	}
	return nil
}

func (s *session) onListening(frame []byte) error {
	box, err := relay.ParseListening(frame)
	if err != nil {
		return err
	}
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if in := s.c.boxes[box]; in != nil {
		in.live = true
	}
	s.arrived(box)
	return nil
}

// arrived crosses a box off the list of those that are waited for. The caller
// holds the client's lock.
func (s *session) arrived(box relay.Box) {
	delete(s.pending, box)
	if len(s.pending) == 0 && s.c.session == s {
		s.c.setJoined(true)
	}
	s.c.broadcast()
}

func (s *session) onBye(frame []byte) error {
	reason, err := relay.ParseBye(frame)
	if err != nil {
		return err
	}
	return &ByeError{reason}
}

// settle hands an answer to whoever asked. An answer nobody waits for is
// dropped: the asker gave up.
func (s *session) settle(tag relay.Tag, kind relay.Type, a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.asked[tag]; q != nil && q.kind == kind {
		delete(s.asked, tag)
		q.answer <- a
	}
}
