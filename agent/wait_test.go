package agent

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"answerback/agent/card"
)

// waiting is an agent that can wait for answers and nothing else.
func waiting() *Agent { return &Agent{pending: newPending()} }

// opened adds a card that may be answered for wait.
func opened(t *testing.T, a *Agent, n byte, wait time.Duration) *entry {
	t.Helper()
	e := newEntry(question{wait: wait}, time.Now())
	e.id = requestID{n}
	if !a.pending.add(e) {
		t.Fatalf("card %d was not added", n)
	}
	return e
}

func TestWaitEndsAtTheDeadlineAndNotBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := waiting()
		e := opened(t, a, 1, 590*time.Second)
		start := time.Now()
		a.wait(context.Background(), e)
		if e.outcome.how != expired {
			t.Errorf("the card ended as %d, want expired", e.outcome.how)
		}
		if took := time.Since(start); took != 590*time.Second {
			t.Errorf("the wait took %v, want 590s", took)
		}
	})
}

func TestWaitEndsWhenTheCallerIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := waiting()
		e := opened(t, a, 1, time.Minute)
		ctx, gone := context.WithCancel(context.Background())
		time.AfterFunc(3*time.Second, gone)
		start := time.Now()
		a.wait(ctx, e)
		if e.outcome.how != withdrawn || time.Since(start) != 3*time.Second {
			t.Errorf("ended as %d after %v, want withdrawn after 3s", e.outcome.how, time.Since(start))
		}
	})
}

func TestAnEndedCardStaysAsItEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := waiting()
		e := opened(t, a, 1, time.Minute)
		if !a.pending.settle(e, outcome{how: denied, words: "no"}) {
			t.Fatal("an open card was not settled")
		}
		a.wait(context.Background(), e)
		time.Sleep(2 * time.Minute)
		if a.pending.settle(e, outcome{how: answered}) {
			t.Error("an ended card was settled again")
		}
		if e.outcome.how != denied || e.outcome.words != "no" {
			t.Errorf("the outcome changed to %+v", e.outcome)
		}
	})
}

// The wall clock can be set while the monotonic one runs on: the earlier of the two ends a card.
func TestOverOnEitherClock(t *testing.T) {
	now := time.Now()
	e := newEntry(question{wait: time.Minute}, now)
	for _, c := range []struct {
		name string
		at   time.Time
		over bool
	}{
		{"at once", now, false},
		{"just before", now.Add(time.Minute - time.Millisecond), false},
		{"at the deadline", now.Add(time.Minute), true},
		{"the wall clock was set back an hour: the monotonic one still ends it", now.Add(time.Minute), true},
		{"slept: only the wall clock went on", now.Round(0).Add(2 * time.Minute), true},
	} {
		if got := e.over(c.at); got != c.over {
			t.Errorf("%s: over is %v, want %v", c.name, got, c.over)
		}
	}
}

// B050: an answer that races the deadline gives one of two clean outcomes, never both and never none.
func TestB050_OneResolutionPoint(t *testing.T) {
	for range 200 {
		a := waiting()
		e := opened(t, a, 1, time.Minute)
		var won atomic.Int32
		var wg sync.WaitGroup
		for _, how := range []ending{answered, expired, withdrawn, denied, released} {
			wg.Go(func() {
				if a.pending.settle(e, outcome{how: how}) {
					won.Add(1)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 || e.outcome.how == open {
			t.Fatalf("%d outcomes won, the card ended as %d", won.Load(), e.outcome.how)
		}
	}
}

// B003: request ids are the agent's own; a second card under one id would replace the first, so it is refused.
func TestB003_AnIDIsNeverUsedTwice(t *testing.T) {
	a := waiting()
	first := opened(t, a, 1, time.Minute)
	again := newEntry(question{wait: time.Minute}, time.Now())
	again.id = first.id
	if a.pending.add(again) {
		t.Error("an open id was used again")
	}
	a.pending.settle(first, outcome{how: expired})
	if a.pending.add(again) {
		t.Error("an ended id was used again")
	}
	if e, _ := a.pending.find(first.id); e != first {
		t.Error("the id names another card now")
	}
}

func TestCapsHandBack(t *testing.T) {
	a := waiting()
	for n := range maxOpenSession {
		e := opened(t, a, byte(n+1), time.Minute)
		e.call.Session = "one"
	}
	if a.pending.room("one") {
		t.Error("a session may open more than its share")
	}
	if !a.pending.room("two") {
		t.Error("one session's cards shut another out")
	}
	for n := maxOpenSession; n < maxOpen; n++ {
		opened(t, a, byte(n+1), time.Minute)
	}
	if a.pending.room("two") {
		t.Error("there is room above the cap for all")
	}
}

func TestEndedCardsAreForgottenInOrder(t *testing.T) {
	a := waiting()
	var ids []requestID
	for n := range maxEnded + 10 {
		e := newEntry(question{wait: time.Minute}, time.Now())
		e.id = requestID{byte(n), byte(n >> 8), 1}
		a.pending.add(e)
		a.pending.settle(e, outcome{how: expired})
		ids = append(ids, e.id)
	}
	if e, _ := a.pending.find(ids[0]); e != nil {
		t.Error("more ended cards are kept than the bound says")
	}
	if e, _ := a.pending.find(ids[len(ids)-1]); e == nil {
		t.Error("the last ended card is forgotten")
	}
}

// The zero outcome and the zero Verified allow nothing, whatever else is set.
func TestZeroOutcomeAllowsNothing(t *testing.T) {
	a := &Agent{opts: Options{Host: "studio"}}
	for how := open; how <= released; how++ {
		e := newEntry(question{}, time.Now())
		e.outcome = outcome{how: how, answer: card.Verified{}}
		if v := a.verdictOf(e); v.Kind == 1 {
			t.Errorf("ending %d without an answer gives an Allow", how)
		}
	}
}
