package agent

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"answerback/agent/card"
	"answerback/hook/caller"
)

// waiting is an agent that can wait for answers and nothing else.
func waiting() *Agent { return &Agent{pending: newPending()} }

// opened adds a card that may be answered for wait.
func opened(t *testing.T, a *Agent, n byte, wait time.Duration) *entry {
	t.Helper()
	return openedBy(t, a, n, wait, fmt.Sprint("session ", n/maxOpenSession))
}

func openedBy(t *testing.T, a *Agent, n byte, wait time.Duration, session string) *entry {
	t.Helper()
	q := question{wait: wait, call: caller.Call{Session: session}}
	if err := a.pending.take(ownerOf(q)); err != nil {
		t.Fatalf("card %d: %v", n, err)
	}
	e := newEntry(q, time.Now())
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
	owner := func(session string) string { return ownerOf(question{call: caller.Call{Session: session}}) }
	var first *entry
	for n := range maxOpenSession {
		first = openedBy(t, a, byte(n+1), time.Minute, "one")
	}
	if a.pending.take(owner("one")) == nil {
		t.Error("a session may open more than its share")
	}
	for n := maxOpenSession; n < maxOpen; n++ {
		openedBy(t, a, byte(n+1), time.Minute, fmt.Sprint("other ", n%10))
	}
	if a.pending.take(owner("two")) == nil {
		t.Error("there is room above the cap for all")
	}
	a.pending.settle(first, outcome{how: expired})
	a.pending.settle(first, outcome{how: expired})
	if err := a.pending.take(owner("one")); err != nil {
		t.Errorf("an ended card keeps its room: %v", err)
	}
	if a.pending.take(owner("one")) == nil {
		t.Error("one ended card gave room for two")
	}
}

// Many hooks at once find the cap, though none of their cards is written yet.
func TestCapHoldsForHooksAtOnce(t *testing.T) {
	a := waiting()
	var got atomic.Int32
	var wg sync.WaitGroup
	for n := range 400 {
		wg.Go(func() {
			if a.pending.take(fmt.Sprint(n)) == nil {
				got.Add(1)
			}
		})
	}
	wg.Wait()
	if got.Load() != maxOpen {
		t.Errorf("%d of 400 hooks found room, want %d", got.Load(), maxOpen)
	}
}

func TestNoCardIsOpenedAtTheEnd(t *testing.T) {
	a := waiting()
	open := opened(t, a, 1, time.Minute)
	if list := a.pending.close(); len(list) != 1 || list[0] != open {
		t.Errorf("open at the end: %v", list)
	}
	if a.pending.take("late") == nil {
		t.Error("a hook that came late found room")
	}
	e := newEntry(question{wait: time.Minute}, time.Now())
	e.id = requestID{2}
	if a.pending.add(e) {
		t.Error("a card that was in the making was opened")
	}
}

// Ended cards are kept to say the same again; large ones must not fill the memory.
func TestEndedCardsAreBoundedInBytes(t *testing.T) {
	a := waiting()
	var last *entry
	for n := range 200 {
		last = newEntry(question{wait: time.Minute}, time.Now())
		last.id, last.Body = requestID{byte(n), 1}, make([]byte, 256<<10)
		a.pending.add(last)
		a.pending.settle(last, outcome{how: expired})
	}
	if a.pending.bytes > maxEndedBytes || len(a.pending.ended) != len(a.pending.order) {
		t.Errorf("%d bytes in %d cards are kept", a.pending.bytes, len(a.pending.ended))
	}
	if e, _ := a.pending.find(last.id); e != last {
		t.Error("the last ended card is forgotten")
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

// The times on cards do not go back by a step of the clock, follow one that was put back, and never lie ahead of it by more than a little.
func TestStampsFollowTheClock(t *testing.T) {
	a := &Agent{}
	for _, c := range []struct {
		name      string
		now, want uint64
	}{
		{"the first", 100_000, 100_000}, {"later", 100_500, 100_500}, {"a small step back", 99_000, 100_500},
		{"put back an hour", 40_000, 40_000}, {"and on from there", 40_010, 40_010}, {"set forward a year", 40_000_000, 40_000_000},
		{"and back", 40_020, 40_020},
	} {
		if got := a.stamp(c.now); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
