package relayclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"answerback/relay"
)

// ByeError is the relay's word for why it closed the connection.
type ByeError struct{ Reason relay.ByeReason }

func (e *ByeError) Error() string { return "the relay closed the connection: " + e.Reason.String() }

func byeOf(err error) relay.ByeReason {
	var bye *ByeError
	if errors.As(err, &bye) {
		return bye.Reason
	}
	return 0
}

const (
	writeWithin = 5 * time.Second
	checkEvery  = 10 * time.Second // looks for a machine that slept
	quietChecks = 3                // of those before a silent relay is pinged
	pongWithin  = 10 * time.Second
)

// session is one connection, from its handshake to its end.
type session struct {
	c     *Client
	ws    *websocket.Conn
	heard atomic.Bool   // something came since the last check
	done  chan struct{} // closed at the end

	pending map[relay.Box]bool // LISTENs without a LISTENING; the client's lock guards it

	mu    sync.Mutex
	asked map[relay.Tag]*question
}

// question is a SEND or a PUSH that waits for its answer.
type question struct {
	kind   relay.Type // TypeSend or TypePush
	answer chan answer
}

type answer struct {
	unsent relay.UnsentReason
	pushed relay.Pushed
}

// keep asks for every box, then reads until the connection ends, and says why
// it did.
func (s *session) keep(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer close(s.done)
	defer s.ws.CloseNow()
	watched := make(chan struct{})
	go func() { defer close(watched); s.watch(ctx) }()
	defer func() { cancel(); <-watched }()
	if err := s.openAll(); err != nil {
		return err
	}
	for {
		kind, frame, err := s.ws.Read(ctx)
		if err != nil {
			return fmt.Errorf("relayclient: read: %w", closeReason(err))
		}
		s.heard.Store(true)
		if kind != websocket.MessageBinary {
			return errors.New("relayclient: read: the relay sent text; what answers there is no relay of this version")
		}
		if err := s.receive(frame); err != nil {
			return err
		}
	}
}

// closeReason reads a BYE out of the close code, for the case that the BYE
// frame itself was lost.
func closeReason(err error) error {
	if code := websocket.CloseStatus(err); code > 4000 {
		if reason := relay.ByeReason(code - 4000); int(code) == reason.CloseCode() && reason.Valid() {
			return &ByeError{reason}
		}
	}
	return err
}

// openAll makes the session the client's own and sends ADMIT and LISTEN for
// everything that is wanted; what is added later sends its own.
func (s *session) openAll() error {
	s.c.mu.Lock()
	s.c.session = s
	var frames [][]byte
	if s.c.opt.Token != "" {
		for box := range s.c.admitted {
			frames = append(frames, relay.AppendAdmit(nil, box))
		}
	}
	for box, in := range s.c.boxes {
		s.pending[box] = true
		frames = append(frames, in.listen.Append(nil))
	}
	s.c.broadcast()
	s.c.mu.Unlock()
	for _, f := range frames {
		if err := s.write(f); err != nil {
			return err
		}
	}
	return nil
}

// write sends one frame. The context is not the caller's: one that ends in the
// middle would end the connection.
func (s *session) write(frame []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), writeWithin)
	defer cancel()
	if err := s.ws.Write(ctx, websocket.MessageBinary, frame); err != nil {
		return fmt.Errorf("relayclient: write: %w", err)
	}
	return nil
}

// drop ends the connection; the client makes a new one.
func (s *session) drop() { s.ws.CloseNow() }

// watch drops a connection on which nothing comes any more. Relays ping every
// 45 s, so silence is asked about after 30 s; and at once after the machine
// slept, which shows as a jump of the wall clock.
func (s *session) watch(ctx context.Context) {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	quiet, wall := 0, time.Now().Round(0)
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		slept := time.Now().Round(0).Sub(wall) > 2*checkEvery
		wall = time.Now().Round(0)
		if quiet++; s.heard.Swap(false) && !slept {
			quiet = 0
		}
		if slept || quiet >= quietChecks {
			quiet = 0
			s.ping(ctx)
		}
	}
}

func (s *session) ping(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, pongWithin)
	defer cancel()
	if s.ws.Ping(ctx) != nil {
		s.drop()
	}
}
