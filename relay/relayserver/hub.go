package relayserver

import (
	"slices"
	"sync"
	"time"

	"answerback/relay"
)

// Hub is the [Bus] of one node: who reads which box, in memory, in 64 parts so
// that sockets rarely wait for each other.
type Hub struct {
	start  time.Time
	count  rate // messages into one box
	bytes  rate // bytes into one box
	shards [64]shard
}

type shard struct {
	mu    sync.Mutex
	boxes map[relay.Box]*mailbox
}

// mailbox exists while somebody reads it. It holds no message, only what the
// limits need.
type mailbox struct {
	readers []Reader
	count   bucket
	bytes   bucket
}

// NewHub returns an empty hub that holds each box to the limits' BoxRate,
// BoxBurst and BoxBytes.
func NewHub(l Limits) *Hub {
	l = l.withDefaults()
	h := &Hub{start: time.Now(), count: perSecond(l.BoxRate, l.BoxBurst), bytes: perMinute(l.BoxBytes)}
	for i := range h.shards {
		h.shards[i].boxes = map[relay.Box]*mailbox{}
	}
	return h
}

func (h *Hub) shard(box relay.Box) *shard { return &h.shards[box[0]%64] }

// Join implements [Bus].
func (h *Hub) Join(box relay.Box, r Reader) (full []Reader) {
	sh := h.shard(box)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	m := sh.boxes[box]
	if m == nil {
		m = &mailbox{}
		sh.boxes[box] = m
	}
	switch {
	case slices.Contains(m.readers, r):
	case len(m.readers) == relay.MaxListeners:
		return slices.Clone(m.readers)
	default:
		m.readers = append(m.readers, r)
	}
	return nil
}

// Leave implements [Bus].
func (h *Hub) Leave(box relay.Box, r Reader) {
	sh := h.shard(box)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	m := sh.boxes[box]
	if m == nil {
		return
	}
	if i := slices.Index(m.readers, r); i >= 0 {
		m.readers = slices.Delete(m.readers, i, i+1)
	}
	if len(m.readers) == 0 {
		delete(sh.boxes, box)
	}
}

// Send implements [Bus].
func (h *Hub) Send(box relay.Box, m Message) relay.UnsentReason {
	var found [relay.MaxListeners]Reader
	n, why := h.find(box, len(m.wire), &found)
	switch {
	case why != 0:
		return why
	case n == 1:
		return found[0].Take(m)
	}
	return takeAll(slices.Clone(found[:n]), m)
}

// find copies the readers of box out of the lock, and counts the message.
func (h *Hub) find(box relay.Box, size int, found *[relay.MaxListeners]Reader) (int, relay.UnsentReason) {
	now := int64(time.Since(h.start))
	sh := h.shard(box)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	m := sh.boxes[box]
	if m == nil {
		return 0, relay.UnsentNobody
	}
	if !m.count.take(h.count, now, 1) || !m.bytes.take(h.bytes, now, size) {
		return 0, relay.UnsentRate
	}
	return copy(found[:], m.readers), 0
}

// takeAll hands m to several readers at once, so that a slow one does not hold
// up the rest, and returns 0 if one took it.
func takeAll(readers []Reader, m Message) relay.UnsentReason {
	results := make(chan relay.UnsentReason, len(readers))
	for _, r := range readers {
		go func() { results <- r.Take(m) }()
	}
	best := relay.UnsentNobody
	for range readers {
		switch why := <-results; {
		case why == 0 || best == 0:
			best = 0
		case why == relay.UnsentSlow:
			best = why
		}
	}
	return best
}
