package device

import "time"

// agentClock tells the agent's time. The device's own wall clock may be wrong by a year: only the time that passes on it counts.
type agentClock struct {
	now  func() time.Time
	base uint64    // what the agent's clock showed, ms
	at   time.Time // when that was learned
}

// learn takes a time from the agent. Messages may be late, so a time counts only if it is ahead of what is thought.
func (c *agentClock) learn(ms uint64) {
	if ms > c.time() {
		c.base, c.at = ms, c.now()
	}
}

// set takes a time from the agent's newest state: its clock may have been put back.
func (c *agentClock) set(ms uint64) { c.base, c.at = ms, c.now() }

// time is the agent's clock now, ms; 0 before anything is known.
func (c *agentClock) time() uint64 {
	if c.base == 0 {
		return 0
	}
	return c.base + uint64(max(c.now().Sub(c.at), 0).Milliseconds())
}
