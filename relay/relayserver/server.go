// Package relayserver is the relay: it moves sealed bytes between mailboxes and
// keeps nothing. It holds no queue and no table of users, writes nothing to
// disk, and can be killed at any moment; both ends send again.
//
//	GET  /v1/ws             the socket of agents, terminals and open phone apps
//	POST /v1/send[?wait=N]  one SEND from a service worker, with a one-shot reply box
//	GET  /v1/info           version, protocol, VAPID key, limits, build of the app
//	GET  /healthz           204 while serving, 503 while draining
//	GET  /, /p, /P, ..      the phone app, if the binary holds it
//
// One goroutine reads a socket and writes what it read straight into the
// sockets of the readers, each for at most two seconds. There is no queue in
// between, so a slow reader costs its own writers two seconds once, and is cut.
package relayserver

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Server is one relay. It is an http.Handler; [Server.Serve] runs it with the
// timeouts and the slow start that a public relay needs.
type Server struct {
	opt    Options
	log    *slog.Logger
	token  [32]byte // SHA-256 of Options.Token
	mux    *http.ServeMux
	app    *app
	bus    Bus
	admits admissions
	crowd  crowd
	wheel  wheel

	start    time.Time // origin of the buckets' clock
	draining atomic.Bool
	drained  chan struct{} // closed when draining begins: releases waiting POSTs
	running  sync.WaitGroup

	socketRate, pushRate rate
	pushes               context.Context // ends pushes under way when the relay closes
	stopPushes           context.CancelFunc
	timers               sync.Pool // of *time.Timer, stopped
}

// New returns a relay. It starts no goroutine before the first socket.
func New(opt Options) *Server {
	opt.Limits = opt.Limits.withDefaults()
	s := &Server{opt: opt, log: opt.Log, token: sha256.Sum256([]byte(opt.Token)), bus: opt.Bus, start: time.Now(), drained: make(chan struct{})}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.bus == nil {
		s.bus = NewHub(opt.Limits)
	}
	s.crowd.init(opt.Limits)
	s.socketRate, s.pushRate = perSecond(opt.Limits.SocketRate, opt.Limits.SocketBurst), perMinute(opt.Limits.PushPerMinute)
	s.pushes, s.stopPushes = context.WithCancel(context.Background())
	s.app = newApp(opt.App)
	s.routes()
	return s
}

func (s *Server) routes() {
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("GET /v1/ws", s.serveSocket)
	s.mux.HandleFunc("POST /v1/send", s.servePost)
	s.mux.HandleFunc("OPTIONS /v1/send", s.servePreflight)
	s.mux.HandleFunc("GET /v1/info", s.serveInfo)
	s.mux.HandleFunc("GET /healthz", s.serveHealth)
	s.mux.Handle("GET /", s.app)
}

// ServeHTTP answers one request. Every answer carries the same strict headers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	strictHeaders(w.Header())
	if !s.hostAllowed(r) {
		http.Error(w, "This relay does not answer to that host name. Open it as localhost, or start it with --host and the name.", http.StatusMisdirectedRequest)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// now is the buckets' clock: nanoseconds since the server was made, from the
// monotonic clock, so that a set wall clock opens or closes no limit.
func (s *Server) now() int64 { return int64(time.Since(s.start)) }

func (s *Server) serveHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if s.draining.Load() {
		http.Error(w, "draining", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// timer borrows a timer: two goroutines that write to one socket at the same
// moment are no reason to allocate. The caller stops it and puts it back.
func (s *Server) timer(d time.Duration) *time.Timer {
	if t, ok := s.timers.Get().(*time.Timer); ok {
		t.Reset(d)
		return t
	}
	return time.NewTimer(d)
}
