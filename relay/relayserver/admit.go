package relayserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"

	"answerback/relay"
)

// admissions counts, per box, the connections because of which a private relay
// serves it: sockets with the access token that listen on it or admitted it,
// and POSTs whose reply box it is.
type admissions struct {
	mu    sync.Mutex
	boxes map[relay.Box]int
}

func (a *admissions) add(box relay.Box) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.boxes == nil {
		a.boxes = map[relay.Box]int{}
	}
	a.boxes[box]++
}

func (a *admissions) remove(box relay.Box) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.boxes[box]--; a.boxes[box] <= 0 {
		delete(a.boxes, box)
	}
}

func (a *admissions) has(box relay.Box) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.boxes[box] > 0
}

// private reports whether the relay wants an access token at all.
func (s *Server) private() bool { return s.opt.Token != "" }

// serves reports whether messages may go into box.
func (s *Server) serves(box relay.Box) bool { return !s.private() || s.admits.has(box) }

// tokenOf looks at the Authorization header of a private relay's client: held
// is true for the right token, ok is false for a wrong one. None at all is
// fine: devices have none.
func (s *Server) tokenOf(r *http.Request) (held, ok bool) {
	header := r.Header.Get("Authorization")
	if !s.private() || header == "" {
		return false, true
	}
	scheme, shown, _ := strings.Cut(header, " ")
	sum := sha256.Sum256([]byte(shown))
	held = strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], s.token[:]) == 1
	return held, held
}

// onAdmit serves ADMIT: an agent names the boxes of its devices.
func (s *socket) onAdmit(frame []byte) error {
	box, err := relay.ParseAdmit(frame)
	switch {
	case err != nil:
		return s.bye(relay.ByeMalformed)
	case s.srv.private() && !s.token:
		return s.bye(relay.ByeNotAdmitted)
	case s.boxes.has(&s.boxes.admitted, box):
		return nil
	case !s.boxes.add(&s.boxes.admitted, box):
		return s.bye(relay.ByeTooMany)
	}
	s.srv.admits.add(box)
	return nil
}
