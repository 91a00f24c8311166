package relayclient

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
)

// What may wait for the handlers.
const (
	maxQueued      = 1024
	maxQueuedBytes = 16 << 20
)

var errBehind = errors.New("the handlers are too slow for what arrives")

// queue calls functions in order on one goroutine, so that a handler can take
// its time, and send, while the connection is read and pings are answered.
type queue struct {
	mu    sync.Mutex
	items []item
	bytes int
	ready chan struct{} // holds one token when there is something
}

type item struct {
	size int
	call func()
}

// put appends a call that holds size bytes. A call without bytes always has
// room; it reports false when another has none.
func (q *queue) put(size int, call func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if size > 0 && (len(q.items) >= maxQueued || q.bytes+size > maxQueuedBytes) {
		return false
	}
	q.items = append(q.items, item{size, call})
	q.bytes += size
	select {
	case q.wake() <- struct{}{}:
	default:
	}
	return true
}

func (q *queue) wake() chan struct{} {
	if q.ready == nil {
		q.ready = make(chan struct{}, 1)
	}
	return q.ready
}

// take returns the first item, or where to wait for it.
func (q *queue) take() (first item, ready <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.items = nil // lets go of what a burst took
		return item{}, q.wake()
	}
	first = q.items[0]
	q.items[0] = item{}
	q.items = q.items[1:]
	q.bytes -= first.size
	return first, nil
}

// run calls until ctx is done.
func (q *queue) run(ctx context.Context, log *slog.Logger) {
	for ctx.Err() == nil {
		first, ready := q.take()
		if ready == nil {
			guarded(first.call, log)
			continue
		}
		select {
		case <-ready:
		case <-ctx.Done():
		}
	}
}

// guarded keeps a handler's panic from ending all handlers.
func guarded(call func(), log *slog.Logger) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("relayclient: a handler panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	call()
}
