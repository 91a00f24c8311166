package agent

import (
	"errors"
	"sync"
)

// Bounds of what is remembered of ended cards, to give the same bytes the same words again: how many, and bytes of their texts.
const (
	maxEnded      = 512
	maxEndedBytes = 16 << 20
)

// Caps on open cards; above them the caller asks its own user.
const (
	maxOpen        = 100
	maxOpenSession = 20
)

// Why no card is opened.
var (
	errFull   = errors.New("too many calls are open already; answer some, or: answerback release")
	errEnding = errors.New("the agent is ending")
)

// pending holds the open cards and the last ended ones. It is the only state that hook connections and devices share.
// It lives in memory only: after a restart every old answer is unknown.
type pending struct {
	mu     sync.Mutex
	slots  map[string]int // taken, by whose they are: open cards and those that are being made
	taken  int            // all slots
	closed bool
	open   map[requestID]*entry
	ended  map[requestID]*entry
	order  []requestID // ended, oldest first
	bytes  int         // of the ended cards' texts
}

func newPending() *pending {
	return &pending{slots: map[string]int{}, open: map[requestID]*entry{}, ended: map[requestID]*entry{}}
}

// take reserves room for one more card of this owner, before anything is written for it: many hooks may come at once.
func (p *pending) take(owner string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return errEnding
	case p.taken >= maxOpen || p.slots[owner] >= maxOpenSession:
		return errFull
	}
	p.taken++
	p.slots[owner]++
	return nil
}

// give returns what take reserved, for a card that was never opened.
func (p *pending) give(owner string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release(owner)
}

func (p *pending) release(owner string) {
	p.taken--
	if p.slots[owner]--; p.slots[owner] <= 0 {
		delete(p.slots, owner)
	}
}

// add opens a card that has its room. Ids are 16 random bytes of ours; one that is there already would be a fault of the random source.
func (p *pending) add(e *entry) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.open[e.id] != nil || p.ended[e.id] != nil {
		return false
	}
	p.open[e.id] = e
	return true
}

// settle ends a card once. Only the first caller gets true, and only its outcome counts.
func (p *pending) settle(e *entry, o outcome) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[e.id] != e {
		return false
	}
	delete(p.open, e.id)
	p.release(e.owner)
	e.outcome = o
	p.remember(e)
	close(e.done)
	return true
}

func (p *pending) remember(e *entry) {
	p.ended[e.id] = e
	p.order = append(p.order, e.id)
	p.bytes += e.size()
	for len(p.order) > maxEnded || p.bytes > maxEndedBytes && len(p.order) > 1 {
		oldest := p.order[0]
		p.bytes -= p.ended[oldest].size()
		delete(p.ended, oldest)
		p.order = p.order[1:]
	}
}

// find returns the card of a request id, open or lately ended; nil if it is unknown.
func (p *pending) find(id requestID) (e *entry, isOpen bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.open[id]; e != nil {
		return e, true
	}
	return p.ended[id], false
}

// all returns the open cards, nearest deadline first.
func (p *pending) all() []*entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]*entry, 0, len(p.open))
	for _, e := range p.open {
		list = append(list, e)
	}
	sortByDeadline(list)
	return list
}

// close takes no further card, and returns those that are open.
func (p *pending) close() []*entry {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	return p.all()
}
