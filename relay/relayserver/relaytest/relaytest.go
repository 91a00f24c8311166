// Package relaytest runs real relays inside tests: on loopback, with real
// sockets, killable and restartable, and with a bus or a proxy in the way that
// loses things.
package relaytest

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"answerback/relay/relayserver"
)

// Start runs a relay for the time of the test and returns its URL, as in
// "http://127.0.0.1:41234". At most one Options is used.
func Start(t testing.TB, opt ...relayserver.Options) (url string) {
	t.Helper()
	return New(t, opt...).URL
}

// Relay is a relay that a test can kill and start again at the same address.
type Relay struct {
	URL string

	t    testing.TB
	opt  relayserver.Options
	addr string

	mu     sync.Mutex
	server *relayserver.Server
	cancel context.CancelFunc
	ended  chan struct{}
}

// New runs a relay for the time of the test.
func New(t testing.TB, opt ...relayserver.Options) *Relay {
	t.Helper()
	r := &Relay{t: t, addr: "127.0.0.1:0"}
	if len(opt) > 0 {
		r.opt = opt[0]
	}
	r.Restart()
	t.Cleanup(r.Kill)
	return r
}

// Server returns the running server, nil after Kill.
func (r *Relay) Server() *relayserver.Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.server
}

// Kill drops every connection without a word, as kill -9 would. It is no error
// if the relay does not run.
func (r *Relay) Kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.server == nil {
		return
	}
	r.server.Close()
	r.cancel()
	<-r.ended
	r.server = nil
}

// Stop drains the relay in good order.
func (r *Relay) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.server == nil {
		return
	}
	r.cancel()
	<-r.ended
	r.server = nil
}

// Restart starts the relay, if need be after Kill, with nothing that it knew.
func (r *Relay) Restart() {
	r.t.Helper()
	r.Kill()
	l := listen(r.t, r.addr)
	r.addr = l.Addr().String()
	r.URL = "http://" + r.addr
	ctx, cancel := context.WithCancel(context.Background())
	server, ended := relayserver.New(r.opt), make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.server, r.cancel, r.ended = server, cancel, ended
	go func() {
		defer close(ended)
		if err := server.Serve(ctx, l); err != nil {
			r.t.Error(err)
		}
	}()
}

// listen takes the address again, which can need a moment after a kill.
func listen(t testing.TB, addr string) net.Listener {
	t.Helper()
	for tries := 0; ; tries++ {
		l, err := net.Listen("tcp", addr)
		if err == nil {
			return l
		}
		if tries == 100 {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
