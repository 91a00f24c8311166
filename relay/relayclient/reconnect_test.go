package relayclient_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayclient"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
)

// TestReconnectLoopCannotDie (B108): after an hour of every kind of failure,
// panics in the dial too, it is still trying, and connects within 15 s.
func TestReconnectLoopCannotDie(t *testing.T) {
	failures := []func() error{
		func() error { return &net.DNSError{Err: "no such host", Name: "relay.example.org", IsNotFound: true} },
		func() error { panic("thrown in the dial") },
		func() error { return errors.New("tls: handshake failure") },
		func() error { return context.DeadlineExceeded },
		func() error { panic(errors.New("an error thrown")) },
	}
	inWorld(t, relayserver.Options{}, func(t *testing.T, w *world) {
		var n atomic.Int32
		w.fail = func() error { return failures[int(n.Add(1))%len(failures)]() }
		c := w.client(t)
		r, wk := keys("a")
		c.Listen(r, wk, func([]byte) {})
		time.Sleep(time.Hour)
		dials := w.dialled()
		if len(dials) < 2*200 { // localhost is two addresses
			t.Errorf("%d dials in an hour", len(dials))
		}
		if err := c.State().Err; err == nil || c.Connected() {
			t.Errorf("the state does not say that it fails: %v", err)
		}
		w.mu.Lock()
		w.fail = nil
		w.mu.Unlock()
		ctx, cancel := context.WithTimeout(t.Context(), 16*time.Second)
		defer cancel()
		if err := c.WaitListening(ctx, r, wk); err != nil {
			t.Error("it does not connect any more:", err)
		}
	})
}

// TestBackOff: 100 ms, doubling to 15 s, each shortened by at most a half; and
// from the start again after a connection that held.
func TestBackOff(t *testing.T) {
	inWorld(t, relayserver.Options{}, func(t *testing.T, w *world) {
		w.down()
		c := w.client(t)
		r, wk := keys("a")
		c.Listen(r, wk, func([]byte) {})
		time.Sleep(2 * time.Minute)
		checkGaps(t, w.dialled(), 8)
		w.up()
		ctx, cancel := context.WithTimeout(t.Context(), 16*time.Second)
		defer cancel()
		if err := c.WaitListening(ctx, r, wk); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		w.dialled()
		w.cut()
		time.Sleep(200 * time.Millisecond)
		if len(w.dialled()) == 0 {
			t.Error("no new connection within 200 ms after a good one was lost")
		}
	})
}

// checkGaps looks at the first n gaps between attempts; an attempt dials the
// two addresses of localhost at the same moment.
func checkGaps(t *testing.T, dials []time.Time, n int) {
	t.Helper()
	want := 100 * time.Millisecond
	for i := 2; i < 2*n; i += 2 {
		if gap := dials[i].Sub(dials[i-2]); gap < want/2 || gap > want+time.Millisecond {
			t.Errorf("attempt %d after %v, want %v..%v", i/2, gap, want/2, want)
		}
		want = min(2*want, 15*time.Second)
	}
}

// TestRefusals: each HTTP answer becomes an error that says what to do, and is
// tried again.
func TestRefusals(t *testing.T) {
	for status, words := range map[int]string{401: "access token", 404: "no relay answers", 421: "host name", 503: "503", 429: "429", 200: "200", 302: "302", 500: "500"} {
		var tries atomic.Int32
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			tries.Add(1)
			w.Header().Set("Location", "http://localhost:1/")
			w.WriteHeader(status)
		}))
		c := start(t, relayclient.Options{URL: srv.URL})
		r, w := keys("a")
		c.Listen(r, w, func([]byte) {})
		eventually(t, func() bool { return tries.Load() >= 3 })
		if err := c.State().Err; err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%d: %v, want words about %q", status, err, words)
		}
		srv.Close()
	}
}

func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen in 10 s")
		}
	}
}

// TestTLSFailureIsTriedAgain: a certificate of no known authority.
func TestTLSFailureIsTriedAgain(t *testing.T) {
	var tries atomic.Int32
	srv := httptest.NewUnstartedServer(nil)
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			tries.Add(1)
		}
	}
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	c := start(t, relayclient.Options{URL: srv.URL})
	r, w := keys("a")
	c.Listen(r, w, func([]byte) {})
	eventually(t, func() bool { return tries.Load() >= 3 })
	if err := c.State().Err; err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v, want words about the certificate", err)
	}
}

// TestOwnAuthority: a relay with a certificate of a company's own authority.
func TestOwnAuthority(t *testing.T) {
	server := relayserver.New(relayserver.Options{})
	srv := httptest.NewTLSServer(server)
	defer srv.Close()
	defer server.Close()
	config := srv.Client().Transport.(*http.Transport).TLSClientConfig
	c := relayclient.New(relayclient.Options{URL: srv.URL, TLSConfig: config})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); c.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	got := inbox(t, c, "a")
	for _, size := range []int{1, 1000, 5000, 200_000} {
		payload := strings.Repeat("x", size)
		if err := send(t, c, "a", payload); err != nil {
			t.Fatal(err)
		}
		expect(t, got, payload)
	}
}

// TestTokenIsNotCarriedAway: a redirect is not followed.
func TestTokenIsNotCarriedAway(t *testing.T) {
	var stolen atomic.Bool
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stolen.Store(true) }))
	defer thief.Close()
	var tries atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tries.Add(1)
		http.Redirect(w, r, thief.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer srv.Close()
	c := start(t, relayclient.Options{URL: srv.URL, Token: "secret"})
	r, w := keys("a")
	c.Listen(r, w, func([]byte) {})
	eventually(t, func() bool { return tries.Load() >= 2 })
	if stolen.Load() {
		t.Error("the redirect was followed")
	}
}

// TestLocalhostIsBothAddresses (B114): a relay on one of the two is found,
// whatever the resolver says.
func TestLocalhostIsBothAddresses(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", listen)
		if err != nil {
			t.Fatalf("this machine has no %s: %v", listen, err)
		}
		server := relayserver.New(relayserver.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- server.Serve(ctx, l) }()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		c := start(t, relayclient.Options{URL: "http://localhost:" + port})
		inbox(t, c, "a")
		server.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestURLThatCanNeverWork(t *testing.T) {
	for _, bad := range []string{"", "relay.example.org", "ftp://relay.example.org", "https://", "https://user:pw@relay.example.org", "https://relay.example.org?x=1", "https://a b", "://"} {
		c := relayclient.New(relayclient.Options{URL: bad})
		if err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "https://HOST") && !strings.Contains(err.Error(), "parse") {
			t.Errorf("%q: %v", bad, err)
		}
		if c.State().Err == nil {
			t.Errorf("%q: the state has no error", bad)
		}
	}
}

// TestNoBoxNoConnection: with nothing to listen on there is nothing to dial for.
func TestNoBoxNoConnection(t *testing.T) {
	inWorld(t, relayserver.Options{}, func(t *testing.T, w *world) {
		c := w.client(t)
		time.Sleep(time.Hour)
		if n := len(w.dialled()); n != 0 {
			t.Errorf("%d dials", n)
		}
		inbox(t, c, "a")
	})
}

// TestDrainingRelay: the client says why, and is back within a few seconds.
func TestDrainingRelay(t *testing.T) {
	r := relaytest.New(t)
	c := start(t, relayclient.Options{URL: r.URL})
	got := inbox(t, c, "a")
	r.Stop()
	eventually(t, func() bool { return c.State().Err != nil })
	var bye *relayclient.ByeError
	if err := c.State().Err; !errors.As(err, &bye) || bye.Reason != relay.ByeDraining {
		t.Errorf("%v, want draining", err)
	}
	r.Restart()
	rk, wk := keys("a")
	if err := c.WaitListening(within(t), rk, wk); err != nil {
		t.Fatal(err)
	}
	if err := send(t, c, "a", "back"); err != nil {
		t.Fatal(err)
	}
	expect(t, got, "back")
}

// TestDeadConnectionIsNoticed: no answer, no close, only silence, as after a
// laptop changed networks.
func TestDeadConnectionIsNoticed(t *testing.T) {
	inWorld(t, relayserver.Options{}, func(t *testing.T, w *world) {
		c := w.client(t)
		inbox(t, c, "a")
		time.Sleep(10 * time.Minute)
		if n := len(w.dialled()); n != 1 {
			t.Errorf("%d dials on a good connection", n)
		}
		w.silence()
		lost := time.Now()
		for c.Connected() {
			time.Sleep(time.Second)
		}
		if took := time.Since(lost); took > 45*time.Second {
			t.Errorf("noticed after %v", took)
		}
	})
}
