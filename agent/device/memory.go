package device

import (
	"maps"
	"slices"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
)

// Bounds of what a device remembers of one agent.
const (
	maxHeads = 64
	maxSeen  = 8192
	// keepSeen is for how long after its end a card is remembered, in ms of the agent's clock: two days.
	keepSeen = 2 * 24 * 60 * 60 * 1000
)

// memory is what must survive a restart so that no card is shown, or answered, twice.
// It is guarded by the device's lock.
type memory struct {
	heads  []head // by size
	seen   map[card.RequestID]seen
	outbox map[card.RequestID]*reply
}

// head is a head of the agent's log, as a card carried it.
type head struct {
	size uint64
	root [32]byte
	made uint64 // of that card
}

// seen is one card that was once here.
type seen struct {
	digest [32]byte
	until  uint64 // the card's end by the agent's clock
	ended  bool
	logCut bool
}

// reply is one answer, sealed once. The same bytes are sent until a receipt names them.
type reply struct {
	decision abcrypto.Decision
	hash     [32]byte // what a receipt names
	sealed   []byte
	receipt  *card.Receipt // lives in RAM only: after a restart the agent is asked again
}

// follows reports whether a card's head can be of the one log that the earlier cards were of, and remembers it if so.
// At one size a log has one root. A smaller size than one seen is a cut, unless the card was made no later than the one that carried the
// larger size: then it is merely late, as a card is that came by a push.
func (m *memory) follows(c *card.Card) bool {
	at, same := slices.BinarySearchFunc(m.heads, c.Log.Size, func(h head, size uint64) int {
		switch {
		case h.size < size:
			return -1
		case h.size > size:
			return 1
		}
		return 0
	})
	if same {
		return m.heads[at].root == c.Log.Root
	}
	if at < len(m.heads) && c.Made > m.heads[len(m.heads)-1].made {
		return false
	}
	m.heads = slices.Insert(m.heads, at, head{c.Log.Size, c.Log.Root, c.Made})
	if len(m.heads) > maxHeads {
		m.heads = m.heads[1:]
	}
	return true
}

// note remembers a card.
func (m *memory) note(id card.RequestID, s seen) {
	if m.seen == nil {
		m.seen = map[card.RequestID]seen{}
	}
	m.seen[id] = s
}

// end notes that a card has ended, whether or not it was ever here.
func (m *memory) end(id card.RequestID, now uint64) {
	s, ok := m.seen[id]
	if !ok {
		s.until = now
	}
	s.ended = true
	m.note(id, s)
}

// forget drops what is older than two days by the agent's clock.
func (m *memory) forget(now uint64) {
	maps.DeleteFunc(m.seen, func(id card.RequestID, s seen) bool {
		old := now > s.until+keepSeen
		if old {
			delete(m.outbox, id)
		}
		return old
	})
	for len(m.seen) > maxSeen {
		var oldest card.RequestID
		first := true
		for id, s := range m.seen {
			if first || s.until < m.seen[oldest].until {
				oldest, first = id, false
			}
		}
		delete(m.seen, oldest)
		delete(m.outbox, oldest)
	}
}

// clone copies the memory for a snapshot.
func (m memory) clone() memory {
	return memory{heads: slices.Clone(m.heads), seen: maps.Clone(m.seen), outbox: maps.Clone(m.outbox)}
}

type headRecord struct {
	Size uint64 `json:"size"`
	Root text   `json:"root"`
	Made uint64 `json:"made"`
}

type seenRecord struct {
	Request text   `json:"request"`
	Digest  text   `json:"digest"`
	Until   uint64 `json:"until"`
	Ended   bool   `json:"ended"`
	LogCut  bool   `json:"log_cut"`
}

type replyRecord struct {
	Request  text              `json:"request"`
	Decision abcrypto.Decision `json:"decision"`
	Hash     text              `json:"hash"`
	Sealed   text              `json:"sealed"`
}

func (m memory) records() (heads []headRecord, all []seenRecord, outbox []replyRecord) {
	for _, h := range m.heads {
		heads = append(heads, headRecord{h.size, h.root[:], h.made})
	}
	for id, s := range m.seen {
		all = append(all, seenRecord{id[:], s.digest[:], s.until, s.ended, s.logCut})
	}
	for id, r := range m.outbox {
		outbox = append(outbox, replyRecord{id[:], r.decision, r.hash[:], r.sealed})
	}
	return heads, all, outbox
}

func remembered(heads []headRecord, all []seenRecord, outbox []replyRecord) (m memory, ok bool) {
	m = memory{seen: map[card.RequestID]seen{}, outbox: map[card.RequestID]*reply{}}
	for i, h := range heads {
		if len(h.Root) != 32 || i > 0 && heads[i-1].Size >= h.Size {
			return memory{}, false
		}
		m.heads = append(m.heads, head{h.Size, [32]byte(h.Root), h.Made})
	}
	for _, s := range all {
		if len(s.Request) != 16 || len(s.Digest) != 32 {
			return memory{}, false
		}
		m.seen[card.RequestID(s.Request)] = seen{[32]byte(s.Digest), s.Until, s.Ended, s.LogCut}
	}
	for _, r := range outbox {
		if len(r.Request) != 16 || len(r.Hash) != 32 || len(r.Sealed) == 0 {
			return memory{}, false
		}
		m.outbox[card.RequestID(r.Request)] = &reply{decision: r.Decision, hash: [32]byte(r.Hash), sealed: r.Sealed}
	}
	return m, true
}
