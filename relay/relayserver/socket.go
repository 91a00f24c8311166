package relayserver

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"runtime/debug"
	"sync/atomic"

	"github.com/coder/websocket"

	"answerback/relay"
)

// socket is one open WebSocket. Its goroutine reads; whoever has a message for
// it writes.
type socket struct {
	srv   *Server
	ws    *websocket.Conn // handshake and reading
	conn  *lean           // writing
	addr  netip.Addr      // as limits count it
	token bool            // of a private relay

	writing chan struct{} // full while somebody writes
	closing atomic.Bool   // a BYE is out, or the connection is closed
	why     atomic.Uint32

	listened atomic.Bool // its first LISTENING went out
	before   int         // bytes that came before that
	boxes    boxes
	frames   bucket
	pushes   bucket
	pushing  atomic.Int32
	contests atomic.Int32

	spoke   wheelEntry // this and what follows is the wheel's
	settled bool       // the first turn is over
	silent  int        // pings without an answer
	pinged  bool       // a ping is out
	forcing bool       // the next turn closes the connection
}

var background = context.Background()

// errDone ends the reading of a socket that was told BYE.
var errDone = errors.New("the socket was told to close")

// acceptOptions: Origin is checked by originAllowed, which can tell a browser
// why (BYE), while a refused handshake looks to it like a dead relay.
func (s *socket) acceptOptions() *websocket.AcceptOptions {
	return &websocket.AcceptOptions{
		Subprotocols:       []string{relay.Subprotocol},
		InsecureSkipVerify: true,
		CompressionMode:    websocket.CompressionDisabled,
		OnPingReceived:     s.onPing,
		OnPongReceived:     func(context.Context, []byte) { s.conn.control() },
	}
}

// begin starts the socket's goroutine, or ends the socket at once.
func (s *socket) begin(originAllowed bool) {
	if !s.srv.wheel.add(s, relay.ListenWithin) {
		s.srv.crowd.leave(s.addr)
		s.conn.Close()
		s.ws.CloseNow()
		return
	}
	if !originAllowed {
		s.bye(relay.ByeOrigin)
	}
	go s.run()
}

// run reads until the end. wait is called here, and not below, so that an idle
// socket's stack is shallow.
func (s *socket) run() {
	defer s.end()
	for {
		if err := s.conn.wait(); err != nil {
			return
		}
		if err := s.next(); err != nil {
			return
		}
	}
}

// end gives everything back. It runs exactly once, on the socket's goroutine.
func (s *socket) end() {
	if p := recover(); p != nil {
		s.srv.log.Error("relay: a frame broke the socket's reader", "panic", p, "stack", string(debug.Stack()))
	}
	s.closing.Store(true)
	s.conn.Close()
	s.ws.CloseNow()
	s.leaveAll()
	s.srv.crowd.leave(s.addr)
	s.srv.log.Debug("socket closed", "why", s.reason())
	s.srv.wheel.remove(s)
}

func (s *socket) reason() string {
	if why := relay.ByeReason(s.why.Load()); why != 0 {
		return why.String()
	}
	return "the client left"
}

// bye tells the client why and closes. The connection stays until the client's
// close frame, for at most two seconds, so that the BYE is not lost to a reset.
// It returns errDone for the reader to return.
func (s *socket) bye(why relay.ByeReason) error {
	if !s.lock() {
		s.cut(why)
		return errDone
	}
	defer s.unlock()
	if s.closing.Swap(true) {
		return errDone
	}
	s.why.Store(uint32(why))
	s.conn.last(appendBye(nil, why))
	s.srv.wheel.force(s)
	return errDone
}

// cut closes without a word: the client does not read, or is gone.
func (s *socket) cut(why relay.ByeReason) {
	s.why.CompareAndSwap(0, uint32(why))
	s.closing.Store(true)
	s.conn.Close()
}

// write puts whole WebSocket frames into the socket, in WriteWithin or never.
func (s *socket) write(wire []byte) relay.UnsentReason {
	if !s.lock() {
		s.cut(relay.ByeSlow)
		return relay.UnsentSlow
	}
	defer s.unlock()
	if s.closing.Load() {
		return relay.UnsentNobody
	}
	_, err := s.conn.Write(wire)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.cut(relay.ByeSlow)
		return relay.UnsentSlow
	}
	s.cut(0)
	return relay.UnsentNobody
}

// lock takes the right to write. It reports false when others held it for
// WriteWithin: so writers in line behind a slow reader wait together, and no
// longer than one would.
func (s *socket) lock() bool {
	select {
	case s.writing <- struct{}{}:
		return true
	default:
	}
	timer := s.srv.timer(relay.WriteWithin)
	defer s.srv.timers.Put(timer)
	defer timer.Stop()
	select {
	case s.writing <- struct{}{}:
		return true
	case <-timer.C:
		return false
	}
}

func (s *socket) unlock() { <-s.writing }

// Take implements [Reader].
func (s *socket) Take(m Message) relay.UnsentReason { return s.write(m.wire) }

// discard reads on after a BYE until the client closes or the wheel does.
func (s *socket) discard() error {
	io.Copy(io.Discard, s.conn.Conn)
	return errDone
}
