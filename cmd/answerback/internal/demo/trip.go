package demo

import (
	"fmt"
	"time"
)

// trip is the stopwatch of one scenario.
type trip struct {
	last time.Time
	hops []string
}

func newTrip() *trip { return &trip{last: time.Now()} }

// hop notes what has happened, and how long after the hop before.
func (t *trip) hop(what string) {
	now := time.Now()
	t.hops = append(t.hops, fmt.Sprintf("%s %.1f ms", what, float64(now.Sub(t.last).Microseconds())/1000))
	t.last = now
}
