package relayserver

import (
	"slices"
	"sync"

	"answerback/relay"
)

// boxes are what a socket listens on and what it admitted.
type boxes struct {
	mu       sync.Mutex
	reads    []relay.Box
	admitted []relay.Box
	closed   bool
}

func (b *boxes) has(list *[]relay.Box, box relay.Box) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Contains(*list, box)
}

// add puts box on the list, if it has room and the socket is still open.
func (b *boxes) add(list *[]relay.Box, box relay.Box) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || len(*list) >= relay.MaxBoxes {
		return false
	}
	*list = append(*list, box)
	return true
}

func (b *boxes) drop(list *[]relay.Box, box relay.Box) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(*list, box)
	if i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
	return i >= 0
}

// close empties both lists for good.
func (b *boxes) close() (reads, admitted []relay.Box) {
	b.mu.Lock()
	defer b.mu.Unlock()
	reads, admitted = b.reads, b.admitted
	b.reads, b.admitted, b.closed = nil, nil, true
	return reads, admitted
}

// onListen serves LISTEN. Whoever shows r may read the box; if four do already,
// the new one waits until the silent ones among them are gone.
func (s *socket) onListen(frame []byte) error {
	f, err := relay.ParseListen(frame)
	if err != nil {
		return s.bye(relay.ByeMalformed)
	}
	box := f.Box()
	switch {
	case s.boxes.has(&s.boxes.reads, box):
		s.listening(box)
		return nil
	case s.srv.private() && !s.token && !s.srv.admits.has(box):
		return s.bye(relay.ByeNotAdmitted)
	case !s.boxes.add(&s.boxes.reads, box):
		return s.bye(relay.ByeTooMany)
	}
	if s.token {
		s.srv.admits.add(box)
	}
	full := s.srv.bus.Join(box, s)
	if full == nil {
		s.listening(box)
		return nil
	}
	return s.contest(box, full)
}

// listening says that box is being read from now on.
func (s *socket) listening(box relay.Box) {
	s.listened.Store(true)
	s.write(relay.AppendListening(appendHeader(make([]byte, 0, 2+relay.MessageHeader), opBinary, relay.MessageHeader), box))
}

// contest asks the four readers of a full box for a sign of life, on the side,
// so that this socket goes on answering. One contest at a time per socket.
func (s *socket) contest(box relay.Box, full []Reader) error {
	if s.contests.Add(1) > 1 {
		return s.bye(relay.ByeBusy)
	}
	s.srv.running.Add(1)
	go func() {
		defer s.srv.running.Done()
		defer s.contests.Add(-1)
		s.srv.dropSilent(box, full)
		if s.srv.bus.Join(box, s) != nil {
			s.bye(relay.ByeBusy)
			return
		}
		if !s.boxes.has(&s.boxes.reads, box) { // it left or closed meanwhile
			s.srv.bus.Leave(box, s)
			return
		}
		s.listening(box)
	}()
	return nil
}

// dropSilent takes the readers that give no sign of life off the box.
func (s *Server) dropSilent(box relay.Box, readers []Reader) {
	var asked sync.WaitGroup
	for _, r := range readers {
		asked.Go(func() {
			if !r.Alive(relay.SilentAfter) {
				s.bus.Leave(box, r)
			}
		})
	}
	asked.Wait()
}

// onLeave serves LEAVE: the end of a LISTEN, of an ADMIT, or of both.
func (s *socket) onLeave(frame []byte) error {
	box, err := relay.ParseLeave(frame)
	if err != nil {
		return s.bye(relay.ByeMalformed)
	}
	if s.boxes.drop(&s.boxes.reads, box) {
		s.leave(box)
	}
	if s.boxes.drop(&s.boxes.admitted, box) {
		s.srv.admits.remove(box)
	}
	return nil
}

func (s *socket) leave(box relay.Box) {
	s.srv.bus.Leave(box, s)
	if s.token {
		s.srv.admits.remove(box)
	}
}

func (s *socket) leaveAll() {
	reads, admitted := s.boxes.close()
	for _, box := range reads {
		s.leave(box)
	}
	for _, box := range admitted {
		s.srv.admits.remove(box)
	}
}
