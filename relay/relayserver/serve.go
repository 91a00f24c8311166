package relayserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"answerback/relay"
)

const (
	headerWithin = 5 * time.Second // a request's header, from the first byte of the connection
	idleWithin   = time.Minute     // between two requests of a connection
	writeWithin  = 40 * time.Second
	maxHeaders   = 8 << 10
	drainWithin  = 5 * time.Second
)

// Serve serves on the listeners, which it closes, until ctx is done; then it
// drains for a few seconds. It returns nil after a drain, and else the first
// listener's error.
func (s *Server) Serve(ctx context.Context, listeners ...net.Listener) error {
	srv := &http.Server{
		Handler: s, ReadHeaderTimeout: headerWithin, IdleTimeout: idleWithin, WriteTimeout: writeWithin, MaxHeaderBytes: maxHeaders,
		ConnState: s.connState,
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), // it names addresses
	}
	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { failed <- srv.Serve(l) }()
	}
	s.log.Info("relay serving", "listeners", len(listeners), "private", s.private())
	err := s.until(ctx, failed)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWithin)
	defer cancel()
	s.drainHTTP(drain, srv)
	for range listeners {
		<-failed
	}
	return err
}

// connState bounds the connections that are no WebSocket: until its header is
// there, a stranger's connection costs a goroutine and, with TLS, 40 KB.
func (s *Server) connState(c net.Conn, state http.ConnState) {
	ap, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return
	}
	addr := ap.Addr().Unmap()
	switch state {
	case http.StateNew:
		if !s.crowd.connect(counted(addr), s.trusted(addr), s.now()) {
			c.Close()
		}
	case http.StateHijacked, http.StateClosed:
		s.crowd.disconnect(counted(addr))
	}
}

// until waits for the end, and gives back what it took from failed.
func (s *Server) until(ctx context.Context, failed chan error) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		failed <- err
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return fmt.Errorf("relayserver: serve: %w", err)
	}
}

func (s *Server) drainHTTP(ctx context.Context, srv *http.Server) {
	var both sync.WaitGroup
	both.Go(func() { s.Drain(ctx) })
	both.Go(func() {
		if srv.Shutdown(ctx) != nil {
			srv.Close()
		}
	})
	both.Wait()
}

// Drain stops the relay in good order: no new socket, BYE draining to every
// open one, 503 to every POST that waits, and what is still open when ctx is
// done is closed. It returns when no goroutine of the relay is left.
func (s *Server) Drain(ctx context.Context) {
	s.stopNew()
	open := s.wheel.all()
	s.log.Info("relay draining", "sockets", len(open))
	s.byeAll(open)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil && len(s.wheel.all()) > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	s.Close()
}

// Close drops every socket without a word, as a killed relay would, and
// returns when no goroutine of the relay is left.
func (s *Server) Close() {
	s.stopNew()
	s.stopPushes()
	for _, sock := range s.wheel.all() {
		sock.cut(0)
	}
	s.wheel.ended.Wait()
	s.running.Wait()
}

func (s *Server) stopNew() {
	s.wheel.close()
	if !s.draining.Swap(true) {
		close(s.drained)
	}
}

// byeAll says BYE to many at once: one that does not read holds up its worker
// for two seconds.
func (s *Server) byeAll(open []*socket) {
	var workers sync.WaitGroup
	work := make(chan *socket)
	for range min(len(open), 64) {
		workers.Go(func() {
			for sock := range work {
				sock.bye(relay.ByeDraining)
			}
		})
	}
	for _, sock := range open {
		work <- sock
	}
	close(work)
	workers.Wait()
}
