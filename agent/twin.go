package agent

import (
	"crypto/sha256"
	"sync"
	"time"

	"answerback/hook/caller"
)

// twinWindow: byte-identical stdin from the same parent within this time is one call seen twice, from a hook configured twice.
const twinWindow = 250 * time.Millisecond

// ident is what makes two connections one call.
type ident struct {
	stdin  [32]byte
	parent int // pid of the nearest ancestor that is not a shell started for the hook
}

// twins remembers the calls of the last moments.
type twins struct {
	mu    sync.Mutex
	first map[ident]*firstSeen
}

// firstSeen is the call that a twin waits for.
type firstSeen struct {
	once    sync.Once
	done    chan struct{}
	verdict caller.Verdict // read after done
}

// claim makes this connection the first of its call, or returns the first that it is a twin of. An unreadable parent (0) has no twins.
func (t *twins) claim(stdin []byte, parent int) (mine, other *firstSeen) {
	mine = &firstSeen{done: make(chan struct{})}
	if parent == 0 {
		return mine, nil
	}
	id := ident{stdin: sha256.Sum256(stdin), parent: parent}
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.first[id]; f != nil {
		return nil, f
	}
	t.first[id] = mine
	time.AfterFunc(twinWindow, func() { t.forget(id, mine) })
	return mine, nil
}

func (t *twins) forget(id ident, f *firstSeen) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first[id] == f {
		delete(t.first, id)
	}
}

// end publishes the first's verdict to its twins, once. A twin, which has no first of its own, ends nothing.
func (f *firstSeen) end(v caller.Verdict) {
	if f == nil {
		return
	}
	f.once.Do(func() {
		f.verdict = v
		close(f.done)
	})
}

// forTwin is what a twin gets of a verdict: the Deny, never the Allow.
func forTwin(v caller.Verdict) caller.Verdict {
	if v.Kind == caller.Deny {
		return v
	}
	return caller.Verdict{}
}
