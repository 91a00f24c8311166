package device_test

import (
	"net"
	"net/http"
	"sync"
	"testing"

	"answerback/relay/relayserver"
)

// testRelay is a real relay on loopback that can be killed and started again at the same address.
type testRelay struct {
	t    *testing.T
	addr string
	mu   sync.Mutex
	http *http.Server
	done chan struct{}
}

func newRelay(t *testing.T) *testRelay {
	t.Helper()
	r := &testRelay{t: t, addr: "127.0.0.1:0"}
	r.start()
	t.Cleanup(r.kill)
	return r
}

func (r *testRelay) url() string { return "http://" + r.addr }

func (r *testRelay) start() {
	r.t.Helper()
	l, err := net.Listen("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := relayserver.New(relayserver.Options{})
	r.addr, r.http, r.done = l.Addr().String(), &http.Server{Handler: s}, make(chan struct{})
	kept := &connections{Listener: l}
	srv, done := r.http, r.done
	srv.RegisterOnShutdown(kept.cut)
	go func() { defer close(done); srv.Serve(kept) }()
}

// kill ends the relay as kill -9 would: every connection is cut.
func (r *testRelay) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.http == nil {
		return
	}
	r.http.Shutdown(canceled)
	r.http.Close()
	<-r.done
	r.http = nil
}

// connections remembers what it accepted: WebSockets are out of http.Server's hands.
type connections struct {
	net.Listener
	mu  sync.Mutex
	all []net.Conn
}

func (c *connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.mu.Lock()
		c.all = append(c.all, conn)
		c.mu.Unlock()
	}
	return conn, err
}

func (c *connections) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.all {
		conn.Close()
	}
}
