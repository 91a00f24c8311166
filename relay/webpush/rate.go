package webpush

import (
	"hash/maphash"
	"sync"
	"time"
)

const (
	perMinute    = 6 // pushes to one endpoint
	maxEndpoints = 1 << 16
)

// between is the time in which one push becomes free again.
const between = time.Minute / perMinute

// rates counts the pushes to each endpoint of the last minute: a token bucket
// as the time at which it will be full again. About 3 MB when the table is full.
type rates struct {
	seed maphash.Seed

	mu   sync.Mutex
	full map[uint64]time.Time
}

func newRates() *rates {
	return &rates{seed: maphash.MakeSeed(), full: map[uint64]time.Time{}}
}

// take uses one push of an endpoint, or says how long to wait for the next.
func (r *rates) take(endpoint string, now time.Time) (wait time.Duration) {
	key := maphash.String(r.seed, endpoint)
	r.mu.Lock()
	defer r.mu.Unlock()
	full, known := r.full[key]
	if !known && len(r.full) >= maxEndpoints && !r.sweep(now) {
		return time.Minute
	}
	if full.Before(now) {
		full = now
	}
	full = full.Add(between)
	if over := full.Sub(now) - time.Minute; over > 0 {
		return over
	}
	r.full[key] = full
	return 0
}

// sweep forgets the buckets that are full again, and reports whether there is
// room now.
func (r *rates) sweep(now time.Time) bool {
	for key, full := range r.full {
		if !full.After(now) {
			delete(r.full, key)
		}
	}
	return len(r.full) < maxEndpoints
}
