// Package demo makes the whole trip on one machine without a phone: a relay, an agent and hook processes, all real, and a device in Go that
// stands in for the phone. Each scenario says what went over which hop in what time, and fails if one byte of the outcome is not as promised.
package demo

import (
	"context"
	"fmt"
	"time"
)

// Options say where the programs are and where the state goes.
type Options struct {
	// Program is this executable, which is started as relay and as agent; Hook is the hook's binary.
	Program, Hook string
	// Dir is an empty folder for state and logs. Its path should be short: a socket lies in it.
	Dir string
}

// Result is one scenario's outcome.
type Result struct {
	Name string
	// Hops is what was passed, with times, in order.
	Hops []string
	// Err says what was not as promised; nil when all was.
	Err error
}

// scenario is one story with its promise.
type scenario struct {
	name string
	run  func(context.Context, *world, *trip) error
}

// scenarios in the order in which they run: those that kill something come last.
var scenarios = []scenario{
	{"allow", allow},
	{"deny with words", denyWithWords},
	{"silence is never an allow", silence},
	{"an answer after the deadline", lateAnswer},
	{"an answer for another call", otherCall},
	{"the same answer twice", sameTwice},
	{"a forged signature", forged},
	{"a receipt of another call, replayed", replayedReceipt},
	{"two equal calls, 400 ms apart", equalCalls},
	{"one call, its hook configured twice", twin},
	{"two sessions with the same ids", twoSessions},
	{"relay killed while a card is open", relayKilled},
	{"agent killed while a hook waits", agentKilled},
}

// Count is the number of scenarios.
func Count() int { return len(scenarios) }

// each is the longest that one scenario may take.
const each = 15 * time.Second

// Run starts everything, pairs, and tells each result as it comes. An error means that the stage could not be set.
func Run(ctx context.Context, o Options, tell func(Result)) (passed int, err error) {
	w, err := setUp(ctx, o)
	if err != nil {
		return 0, fmt.Errorf("demo: set up: %w", err)
	}
	defer w.tearDown()
	tell(Result{Name: "relay, agent and device are up", Hops: w.setup.hops})
	for _, s := range scenarios {
		r := w.play(ctx, s)
		if tell(r); r.Err == nil {
			passed++
		}
		if ctx.Err() != nil {
			return passed, ctx.Err()
		}
	}
	return passed, nil
}

func (w *world) play(ctx context.Context, s scenario) Result {
	ctx, cancel := context.WithTimeout(ctx, each)
	defer cancel()
	t := newTrip()
	err := s.run(ctx, w, t)
	return Result{Name: s.name, Hops: t.hops, Err: err}
}
