package relayclient_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayclient"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
)

// ledger is what an agent does with answers, without the sealing: each counts
// once, however often it comes, and each time a receipt goes back.
type ledger struct {
	mu   sync.Mutex
	seen map[string]int
}

func newLedger(c *relayclient.Client, ctx context.Context) *ledger {
	l := &ledger{seen: map[string]int{}}
	r, w := keys("to agent")
	toPhoneR, toPhoneW := keys("to phone")
	c.Listen(r, w, func(b []byte) {
		l.mu.Lock()
		l.seen[string(b)]++
		l.mu.Unlock()
		c.Send(ctx, toPhoneR, toPhoneW, append([]byte("receipt "), b...))
	})
	return l
}

// confirmed sends a payload again and again until its receipt came, and
// returns how long that took.
func confirmed(t *testing.T, phone *relayclient.Client, in <-chan string, payload string, patience time.Duration) time.Duration {
	t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	done, ended := make(chan struct{}), make(chan struct{})
	r, w := keys("to agent")
	go func() { defer close(ended); phone.Resend(ctx, r, w, []byte(payload), done) }()
	defer func() { close(done); <-ended }()
	for {
		select {
		case got := <-in:
			if got == "receipt "+payload {
				return time.Since(began)
			}
		case <-ctx.Done():
			t.Fatalf("no receipt for %q in %v", payload, patience)
		}
	}
}

// TestProxyThatCutsEveryNineSeconds (B111): twenty requests over three minutes
// each get their receipt, though no connection lives longer than nine seconds.
func TestProxyThatCutsEveryNineSeconds(t *testing.T) {
	inWorld(t, relayserver.Options{}, func(t *testing.T, w *world) {
		agent, phone := w.client(t), w.client(t)
		l, in := newLedger(agent, t.Context()), inbox(t, phone, "to phone")
		stop := every(t, 9*time.Second, w.cut)
		for i := range 20 {
			confirmed(t, phone, in, fmt.Sprint("answer ", i), 30*time.Second)
			time.Sleep(9 * time.Second)
		}
		stop()
		if len(l.seen) != 20 {
			t.Errorf("the agent saw %d answers", len(l.seen))
		}
	})
}

func every(t *testing.T, d time.Duration, f func()) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-time.After(d):
				f()
			case <-quit:
				return
			}
		}
	}()
	stop = sync.OnceFunc(func() { close(quit); <-ended })
	t.Cleanup(stop)
	return stop
}

// TestLinkCutForAMinute (B039): a minute without any connection changes nothing
// but the time that it takes.
func TestLinkCutForAMinute(t *testing.T) {
	inWorld(t, relayserver.Options{}, func(t *testing.T, w *world) {
		agent, phone := w.client(t), w.client(t)
		l, in := newLedger(agent, t.Context()), inbox(t, phone, "to phone")
		confirmed(t, phone, in, "before", time.Second)
		w.down()
		time.AfterFunc(time.Minute, w.up)
		if took := confirmed(t, phone, in, "allow", 2*time.Minute); took < time.Minute || took > time.Minute+35*time.Second {
			t.Errorf("the answer took %v", took)
		}
		if l.seen["allow"] < 1 {
			t.Error("the agent has no answer")
		}
	})
}

// TestRelayThatDropsAnswers (B044): the relay says SENT and delivers nothing.
// The phone has no receipt, and keeps sending until the relay behaves.
func TestRelayThatDropsAnswers(t *testing.T) {
	var dropping atomic.Bool
	var dropped atomic.Int32
	dropping.Store(true)
	bus := relaytest.NewLossy(func(_ relay.Box, b []byte) bool {
		if dropping.Load() && strings.HasPrefix(string(b), "allow") {
			return dropped.Add(1) > 0
		}
		return false
	})
	url := relaytest.Start(t, relayserver.Options{Bus: bus})
	agent, phone := start(t, relayclient.Options{URL: url}), start(t, relayclient.Options{URL: url})
	l, in := newLedger(agent, t.Context()), inbox(t, phone, "to phone")
	confirmed(t, phone, in, "fetch", 5*time.Second)
	time.AfterFunc(time.Second, func() { dropping.Store(false) })
	if took := confirmed(t, phone, in, "allow", 10*time.Second); took < time.Second {
		t.Errorf("a receipt after %v for what was dropped", took)
	}
	if l.seen["allow"] != 1 || dropped.Load() < 2 {
		t.Errorf("the agent saw %d, the relay dropped %d", l.seen["allow"], dropped.Load())
	}
}

// TestRelayKilledAtRandomMoments: real sockets, a real relay that loses all it
// knows thirty times, and every answer arrives.
func TestRelayKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	r := relaytest.New(t)
	agent, phone := start(t, relayclient.Options{URL: r.URL}), start(t, relayclient.Options{URL: r.URL})
	l, in := newLedger(agent, t.Context()), inbox(t, phone, "to phone")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range 30 {
			time.Sleep(rand.N(60 * time.Millisecond))
			r.Restart()
		}
	}()
	answers := 0
	for done := false; !done || answers < 20; answers++ {
		confirmed(t, phone, in, fmt.Sprint("answer ", answers), 20*time.Second)
		select {
		case <-ended:
			done = true
		default:
		}
	}
	<-ended
	if len(l.seen) != answers {
		t.Errorf("%d answers, the agent saw %d", answers, len(l.seen))
	}
}

// TestResendTimes: after 100 ms, then 1, 2, 4, 8, 15 s, each shortened by at
// most a half.
func TestResendTimes(t *testing.T) {
	inWorld(t, relayserver.Options{}, func(t *testing.T, w *world) {
		agent, phone := w.client(t), w.client(t)
		at := make(chan time.Time, 100)
		r, wk := keys("to agent")
		agent.Listen(r, wk, func([]byte) { at <- time.Now() })
		if err := agent.WaitListening(within(t), r, wk); err != nil {
			t.Fatal(err)
		}
		inbox(t, phone, "to phone")
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		phone.Resend(ctx, r, wk, []byte("answer"), nil)
		last := <-at
		for i, want := range []time.Duration{100 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second, 15 * time.Second} {
			next := <-at
			if gap := next.Sub(last); gap < want/2 || gap > want+time.Millisecond {
				t.Errorf("sent again (%d) after %v, want about %v", i+1, gap, want)
			}
			last = next
		}
	})
}
