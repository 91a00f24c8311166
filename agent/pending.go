package agent

import (
	"sync"
)

// maxEnded bounds how many ended cards are remembered, to give the same bytes the same words again.
const maxEnded = 512

// Caps on open cards; above them the caller asks its own user.
const (
	maxOpen        = 100
	maxOpenSession = 20
)

// pending holds the open cards and the last ended ones. It is the only state that hook connections and devices share.
// It lives in memory only: after a restart every old answer is unknown.
type pending struct {
	mu    sync.Mutex
	open  map[requestID]*entry
	ended map[requestID]*entry
	order []requestID // ended, oldest first
}

func newPending() *pending {
	return &pending{open: map[requestID]*entry{}, ended: map[requestID]*entry{}}
}

// room reports whether one more card may be opened for the session.
func (p *pending) room(session string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	same := 0
	for _, e := range p.open {
		if e.call.Session == session {
			same++
		}
	}
	return len(p.open) < maxOpen && same < maxOpenSession
}

// add opens a card. Ids are 16 random bytes of ours; one that is there already would be a fault of the random source.
func (p *pending) add(e *entry) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[e.id] != nil || p.ended[e.id] != nil {
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
	e.outcome = o
	p.remember(e)
	close(e.done)
	return true
}

func (p *pending) remember(e *entry) {
	p.ended[e.id] = e
	p.order = append(p.order, e.id)
	if len(p.order) > maxEnded {
		delete(p.ended, p.order[0])
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
