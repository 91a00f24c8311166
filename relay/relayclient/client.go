// Package relayclient keeps one connection to a relay: it listens on boxes,
// sends into others, asks for pushes, and comes back after every failure.
//
//	c := relayclient.New(relayclient.Options{URL: "https://relay.example.org"})
//	go c.Run(ctx)
//	stop := c.Listen(r, w, func(payload []byte) { .. })
//	err := c.Send(ctx, r2, w2, payload)
//
// A nil error of Send says that the bytes are in a live reader's socket, and
// no more. Whoever needs to know that they were read waits for a sealed
// receipt, and uses [Client.Resend] until it came.
package relayclient

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"answerback/relay"
)

// Options say which relay, and how to reach it. URL is all that is needed.
type Options struct {
	// URL is the relay's base: "https://relay.example.org", or over plain http
	// a relay on this machine or in a private network.
	URL string
	// Token is the access token of a private relay. It goes into a header, and
	// over plain http it can be read on the way.
	Token string
	// TLSConfig names further certificate authorities. Nil: the system's.
	TLSConfig *tls.Config
	// Proxy finds the HTTP proxy for a request. Nil: none is used.
	Proxy func(*http.Request) (*url.URL, error)
	// Dial opens the TCP connection. Nil: package net.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Log gets what an operator needs, never a key, a box or a payload. Nil:
	// nothing is logged.
	Log *slog.Logger
}

// Client is one connection to a relay, made again whenever it is lost. Its
// methods may be called concurrently, before Run as well.
type Client struct {
	opt  Options
	log  *slog.Logger
	http *http.Client
	tags atomic.Uint64
	todo queue

	mu       sync.Mutex
	boxes    map[relay.Box]*inbox
	admitted map[relay.Box]int
	session  *session // nil: no connection
	joined   bool     // every LISTEN of the session was answered once
	lastErr  error
	watchers []func(connected bool)
	changed  chan struct{} // closed and made anew at each change of the fields above
}

// New returns a client that does nothing before [Client.Run].
func New(opt Options) *Client {
	c := &Client{opt: opt, log: opt.Log, boxes: map[relay.Box]*inbox{}, admitted: map[relay.Box]int{}, changed: make(chan struct{})}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.http = c.httpClient()
	return c
}

// State is what can be said of the connection.
type State struct {
	Connected bool  // the relay listens for us on every box
	Err       error // why the last connection or attempt ended; nil before the first end
}

// State returns the present state.
func (c *Client) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return State{Connected: c.joined, Err: c.lastErr}
}

// Connected reports whether the relay listens for us on every box.
func (c *Client) Connected() bool { return c.State().Connected }

// OnState has f called whenever [Client.Connected] changes, on the goroutine
// that calls the handlers of Listen, in order with them. Register before Run.
func (c *Client) OnState(f func(connected bool)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers = append(c.watchers, f)
}

// setJoined tells the watchers of a change. The caller holds the lock.
func (c *Client) setJoined(joined bool) {
	if c.joined == joined {
		return
	}
	c.joined = joined
	watchers := c.watchers
	c.todo.put(0, func() {
		for _, f := range watchers {
			f(joined)
		}
	})
}

// broadcast wakes everybody who waits for a change. The caller holds the lock.
func (c *Client) broadcast() {
	close(c.changed)
	c.changed = make(chan struct{})
}
