package relayclient_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"answerback/relay/relayclient"
	"answerback/relay/relayserver"
)

// world is a fake clock, a network in memory and a relay on it.
type world struct {
	t   *testing.T
	opt relayserver.Options

	mu     sync.Mutex
	listen *memory // nil: the relay is down
	stop   func()
	open   []net.Conn
	dials  []time.Time
	fail   func() error // before a dial
}

// inWorld runs a test in a world of its own.
func inWorld(t *testing.T, opt relayserver.Options, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, opt: opt}
		w.up()
		t.Cleanup(w.down)
		test(t, w)
	})
}

// up starts the relay.
func (w *world) up() {
	l, server := newMemory(), relayserver.New(w.opt)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, l) }()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listen = l
	w.stop = func() {
		server.Close()
		cancel()
		if err := <-ended; err != nil {
			w.t.Error(err)
		}
	}
}

// down kills the relay.
func (w *world) down() {
	w.mu.Lock()
	stop := w.stop
	w.listen, w.stop = nil, nil
	w.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// cut closes every connection, as a proxy does.
func (w *world) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.open {
		c.Close()
	}
	w.open = nil
}

// silence makes every connection a black hole: writes succeed, nothing comes.
func (w *world) silence() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.open {
		c.(*hole).dead.Store(true)
	}
	w.listen = nil
}

// hole is a connection that can go silent.
type hole struct {
	net.Conn
	dead atomic.Bool
}

func (h *hole) Write(p []byte) (int, error) {
	if h.dead.Load() {
		return len(p), nil
	}
	return h.Conn.Write(p)
}

// Read waits for ever on a dead connection; whatever comes is lost.
func (h *hole) Read(p []byte) (int, error) {
	for {
		n, err := h.Conn.Read(p)
		if err != nil || !h.dead.Load() {
			return n, err
		}
	}
}

func (w *world) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	w.mu.Lock()
	w.dials = append(w.dials, time.Now())
	l, fail := w.listen, w.fail
	w.mu.Unlock()
	if fail != nil {
		if err := fail(); err != nil {
			return nil, err
		}
	}
	if l == nil {
		return nil, &net.OpError{Op: "dial", Err: net.UnknownNetworkError("connection refused")}
	}
	c, err := l.dial(ctx)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	h := &hole{Conn: c}
	w.open = append(w.open, h)
	return h, nil
}

// client runs a client in this world.
func (w *world) client(t *testing.T) *relayclient.Client {
	t.Helper()
	return start(t, relayclient.Options{URL: "http://localhost", Dial: w.dial})
}

// dialled returns when the client dialled, and forgets it.
func (w *world) dialled() []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.dials
	w.dials = nil
	return d
}

// memory is a listener whose connections are net.Pipes.
type memory struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newMemory() *memory { return &memory{conns: make(chan net.Conn), done: make(chan struct{})} }

func (m *memory) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case m.conns <- far:
		return near, nil
	case <-m.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error   { m.once.Do(func() { close(m.done) }); return nil }
func (m *memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
