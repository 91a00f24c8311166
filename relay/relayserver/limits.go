package relayserver

import (
	"net/netip"
	"sync"
	"time"
)

// rate is a token bucket's size and refill. A bucket is 16 bytes, because there
// is one per box, per socket and per address; golang.org/x/time/rate keeps its
// mutex and configuration in each.
type rate struct {
	perNano float64
	burst   float64
}

func perSecond(n, burst int) rate { return rate{float64(n) / float64(time.Second), float64(burst)} }
func perMinute(n int) rate        { return rate{float64(n) / float64(time.Minute), float64(n)} }

// bucket counts what was used of a rate. The zero bucket is full. The caller
// holds the lock and gives the time in nanoseconds of one clock.
type bucket struct {
	used float64
	last int64
}

// take uses n if the bucket still holds it.
func (b *bucket) take(r rate, now int64, n int) bool {
	b.used = max(0, b.used-float64(now-b.last)*r.perNano)
	b.last = now
	if b.used+float64(n) > r.burst {
		return false
	}
	b.used += float64(n)
	return true
}

// idle reports whether the bucket is as good as new.
func (b *bucket) idle(r rate, now int64) bool {
	return b.used <= float64(now-b.last)*r.perNano
}

// crowd counts sockets, waiting POSTs and their addresses.
type crowd struct {
	limits Limits
	accept rate
	posts  rate

	mu        sync.Mutex
	accepted  bucket
	sockets   int
	requests  int
	waiters   int
	addresses map[netip.Addr]*address
	spare     address // stands for all addresses over maxAddresses
}

type address struct {
	sockets  int
	requests int
	posts    bucket
}

// maxAddresses bounds the table of addresses, about 8 MB when full.
const maxAddresses = 1 << 16

func (c *crowd) init(l Limits) {
	c.limits = l
	c.accept = perSecond(l.AcceptRate, l.AcceptBurst)
	c.posts = perSecond(l.PostRate, l.PostBurst)
	c.addresses = map[netip.Addr]*address{}
}

// enter counts one more socket of addr, or returns a sentence that says why not.
func (c *crowd) enter(addr netip.Addr, now int64) (refused string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.at(addr, now)
	switch {
	case c.sockets >= c.limits.Sockets:
		return "The relay is full. Try again later, or run your own."
	case a.sockets >= c.limits.PerAddress:
		return "Too many connections from this address. Close some, or try again later."
	case !c.accepted.take(c.accept, now, 1):
		return "Too many new connections at once. Try again in a few seconds."
	}
	c.sockets++
	a.sockets++
	return ""
}

// leave takes back what enter counted.
func (c *crowd) leave(addr netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sockets--
	a := c.known(addr)
	a.sockets = max(0, a.sockets-1)
}

// connect counts one more connection that is no WebSocket, and reports whether
// it may stay. A proxy's connections are only counted in total.
func (c *crowd) connect(addr netip.Addr, proxy bool, now int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.at(addr, now)
	c.requests++
	a.requests++
	return c.requests <= c.limits.Requests && (proxy || a.requests <= c.limits.RequestsPer)
}

// disconnect takes back what connect counted: it was closed, or upgraded.
func (c *crowd) disconnect(addr netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests--
	a := c.known(addr)
	a.requests = max(0, a.requests-1)
}

// known finds the entry that something of addr was counted in.
func (c *crowd) known(addr netip.Addr) *address {
	if a := c.addresses[addr]; a != nil {
		return a
	}
	return &c.spare
}

// post counts one POST of addr and reports whether it may go on.
func (c *crowd) post(addr netip.Addr, now int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at(addr, now).posts.take(c.posts, now, 1)
}

// wait counts one more waiting POST, and done takes it back.
func (c *crowd) wait() (ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiters >= c.limits.Waiters {
		return false
	}
	c.waiters++
	return true
}

func (c *crowd) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiters--
}

// at finds the entry of addr. When the table is full of active addresses, the
// ones that come later share one entry.
func (c *crowd) at(addr netip.Addr, now int64) *address {
	if a := c.addresses[addr]; a != nil {
		return a
	}
	if len(c.addresses) >= maxAddresses {
		c.forget(now)
	}
	if len(c.addresses) >= maxAddresses {
		return &c.spare
	}
	a := &address{}
	c.addresses[addr] = a
	return a
}

// forget drops the addresses that hold nothing and used nothing of late.
func (c *crowd) forget(now int64) {
	for addr, a := range c.addresses {
		if a.sockets == 0 && a.requests == 0 && a.posts.idle(c.posts, now) {
			delete(c.addresses, addr)
		}
	}
}
