package relayclient

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"answerback/relay"
)

const (
	firstDelay = 100 * time.Millisecond
	maxDelay   = 15 * time.Second
	drainDelay = 3 * time.Second // spreads everybody who was told BYE draining at once
	longEnough = 5 * time.Second // a connection that lived that long was a good one
)

// Run keeps the connection until ctx is done, and then returns ctx's error. It
// returns earlier only if the URL can never work. While there is nothing to
// listen on or admit, it stays unconnected. Handlers and OnState functions are
// called by a goroutine that ends before Run does.
func (c *Client) Run(ctx context.Context) error {
	if err := c.checkURL(); err != nil {
		c.ended(err)
		return err
	}
	worker := make(chan struct{})
	go func() { defer close(worker); c.todo.run(ctx, c.log) }()
	defer func() { <-worker }()
	tries := 0
	for c.waitNeeded(ctx) {
		began := time.Now()
		err := c.attempt(ctx)
		if ctx.Err() != nil {
			break
		}
		if tries++; time.Since(began) >= longEnough {
			tries = 1
		}
		d := delay(tries, err)
		c.log.Info("relay connection ended", "err", err, "again_in", d.Round(time.Millisecond))
		sleep(ctx, d)
	}
	return ctx.Err()
}

// attempt makes one connection and keeps it. Whatever happens in it, a panic
// too, is an error that the next attempt follows.
func (c *Client) attempt(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("relayclient: panic: %v", p)
			c.log.Error("relayclient: panic", "panic", p, "stack", string(debug.Stack()))
		}
		c.ended(err)
	}()
	s, err := c.connect(ctx)
	if err != nil {
		return err
	}
	return s.keep(ctx)
}

// delay is the time before attempt number tries+1: 100 ms, 200 ms .. 15 s, of
// which the second half is random, so that a relay's clients do not come back
// in step.
func delay(tries int, err error) time.Duration {
	if byeOf(err) == relay.ByeDraining && tries == 1 {
		return firstDelay + rand.N(drainDelay)
	}
	d := min(firstDelay<<min(tries-1, 10), maxDelay)
	return jitter(max(d, min(retryAfter(err), maxDelay)))
}

func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d/2+1) }

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// ended notes why there is no connection.
func (c *Client) ended(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = nil
	c.lastErr = err
	for _, in := range c.boxes {
		in.live = false
	}
	c.setJoined(false)
	c.broadcast()
}

// waitNeeded waits until there is a box to listen on: a relay drops a connection that listens on none.
func (c *Client) waitNeeded(ctx context.Context) bool {
	return c.until(ctx, func() bool { return len(c.boxes) > 0 }) == nil
}

// until waits for a condition on the fields that the lock guards.
func (c *Client) until(ctx context.Context, ok func() bool) error {
	for {
		c.mu.Lock()
		done, changed := ok(), c.changed
		c.mu.Unlock()
		if err := ctx.Err(); err != nil || done {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}
