package agent

import (
	"sync"
	"time"
)

// maxRefusals is how many refused messages of one device are told in a minute. Whoever holds captured bytes, the relay first of all, can send
// them again for ever, and each record of it would be a synced write.
const (
	maxRefusals    = 30
	throttleWindow = time.Minute
)

// saying is how much of one more refusal is told. The zero value is nothing.
type saying int

const (
	sayNothing saying = iota
	sayLast           // and that the next ones are only counted
	sayAll
)

// throttle counts refusals. The zero value has seen none.
type throttle struct {
	mu     sync.Mutex
	since  time.Time
	n      int // in this window
	missed int // of them not told
}

// next counts one more, and returns how much of it to tell and how many were not told in the window before.
func (t *throttle) next(now time.Time) (say saying, missed int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.since) >= throttleWindow {
		missed = t.missed
		t.since, t.n, t.missed = now, 0, 0
	}
	t.n++
	switch {
	case t.n <= maxRefusals:
		return sayAll, missed
	case t.n == maxRefusals+1:
		return sayLast, 0
	}
	t.missed++
	return sayNothing, 0
}
