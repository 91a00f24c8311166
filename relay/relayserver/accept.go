package relayserver

import (
	"bufio"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/coder/websocket"

	"answerback/relay"
)

// serveSocket turns a request into a socket and returns: the socket gets a
// goroutine of its own, so that everything net/http holds for a request is free.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	token, addr, ok := s.mayOpen(w, r)
	if !ok {
		return
	}
	sock := &socket{srv: s, addr: addr, token: token, writing: make(chan struct{}, 1)}
	up := &upgrade{ResponseWriter: w}
	ws, err := websocket.Accept(up, r, sock.acceptOptions())
	if err != nil {
		s.crowd.leave(addr)
		if up.lean != nil {
			up.lean.Close()
		}
		return
	}
	ws.SetReadLimit(-1) // frameBuffer.read holds the limit
	sock.ws, sock.conn = ws, up.lean
	sock.begin(s.originAllowed(r))
}

// mayOpen refuses what can be refused before a socket exists, and counts the
// one that may open. Nothing is kept for a client that is refused.
func (s *Server) mayOpen(w http.ResponseWriter, r *http.Request) (token bool, addr netip.Addr, ok bool) {
	if s.draining.Load() {
		refuse(w, http.StatusServiceUnavailable, "The relay is restarting. Try again in a few seconds.")
		return false, addr, false
	}
	token, right := s.tokenOf(r)
	if !right {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "Wrong access token. Give the agent the token that this relay was started with.", http.StatusUnauthorized)
		return false, addr, false
	}
	if !offersProtocol(r) {
		http.Error(w, "Offer the WebSocket subprotocol "+relay.Subprotocol+".", http.StatusBadRequest)
		return false, addr, false
	}
	addr = s.clientAddr(r)
	if why := s.crowd.enter(addr, s.now()); why != "" {
		s.log.Warn("socket refused", "why", why)
		refuse(w, http.StatusTooManyRequests, why)
		return false, addr, false
	}
	return token, addr, true
}

func offersProtocol(r *http.Request) bool {
	offered := strings.Split(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",")
	return slices.ContainsFunc(offered, func(p string) bool { return strings.TrimSpace(p) == relay.Subprotocol })
}

// refuse answers what a client shall try again later.
func refuse(w http.ResponseWriter, status int, sentence string) {
	w.Header().Set("Retry-After", "5")
	http.Error(w, sentence, status)
}

// upgrade hands the WebSocket library a connection that holds no buffer.
type upgrade struct {
	http.ResponseWriter
	lean *lean
}

// Sizes of the library's own buffers: 16 is the least that bufio makes, 128
// takes any control frame, so that each is written whole.
const (
	readBuffer  = 16
	writeBuffer = 128
)

// Hijack implements http.Hijacker.
func (u *upgrade) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, brw, err := http.NewResponseController(u.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	ahead, err := brw.Reader.Peek(min(brw.Reader.Buffered(), len(small{})))
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	u.lean = newLean(c, ahead)
	return u.lean, bufio.NewReadWriter(u.lean.lib, bufio.NewWriterSize(u.lean, writeBuffer)), nil
}
