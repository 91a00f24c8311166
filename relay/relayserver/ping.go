package relayserver

import (
	"math/rand/v2"
	"sync"
	"time"

	"answerback/relay"
)

// wheel gives every socket its turn: one goroutine and one ticker for all of
// them, instead of a timer each. It runs only while there are sockets.
type wheel struct {
	mu    sync.Mutex
	slots [64]*socket // heads of lists; a turn at most 63 seconds ahead
	at    int
	count int
	off   bool          // no new sockets: the server is closing
	stop  chan struct{} // closed when the last socket is gone
	ended sync.WaitGroup
}

// wheelEntry links a socket into its slot. The wheel's lock guards it.
type wheelEntry struct {
	next, prev *socket
	slot       int // 1 + index; 0: in no slot
	live       bool
}

const turn = time.Second

// add registers a new socket, whose first turn comes after d. It reports false
// when the server is closing.
func (w *wheel) add(s *socket, d time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.off {
		return false
	}
	s.spoke.live = true
	w.insert(s, d)
	w.ended.Add(1)
	if w.count++; w.count == 1 {
		w.stop = make(chan struct{})
		w.ended.Add(1)
		go w.run(w.stop)
	}
	return true
}

// remove forgets a socket. The wheel stops with the last one.
func (w *wheel) remove(s *socket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unlink(s)
	s.spoke.live = false
	if w.count--; w.count == 0 {
		close(w.stop)
	}
	w.ended.Done()
}

// force closes the connection of s within two seconds.
func (w *wheel) force(s *socket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.forcing = true
	w.again(s, relay.WriteWithin)
}

// again gives s its next turn after d, instead of the one it had.
func (w *wheel) again(s *socket, d time.Duration) {
	if !s.spoke.live {
		return
	}
	w.unlink(s)
	w.insert(s, d)
}

func (w *wheel) insert(s *socket, d time.Duration) {
	ahead := min(max(int((d+turn-1)/turn), 1), len(w.slots)-1)
	i := (w.at + ahead) % len(w.slots)
	s.spoke.slot, s.spoke.prev, s.spoke.next = i+1, nil, w.slots[i]
	if s.spoke.next != nil {
		s.spoke.next.spoke.prev = s
	}
	w.slots[i] = s
}

func (w *wheel) unlink(s *socket) {
	e := &s.spoke
	if e.slot == 0 {
		return
	}
	if e.prev != nil {
		e.prev.spoke.next = e.next
	} else {
		w.slots[e.slot-1] = e.next
	}
	if e.next != nil {
		e.next.spoke.prev = e.prev
	}
	e.slot, e.next, e.prev = 0, nil, nil
}

// run turns the wheel until no socket is left.
func (w *wheel) run(stop chan struct{}) {
	defer w.ended.Done()
	tick := time.NewTicker(turn)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.step()
		case <-stop:
			return
		}
	}
}

// step gives the sockets of the next slot their turn. Saying something can
// block for WriteWithin, so each that has something to say gets a short-lived
// goroutine, at most a 40th of the sockets a second.
func (w *wheel) step() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = (w.at + 1) % len(w.slots)
	for s := w.slots[w.at]; s != nil; s = w.slots[w.at] {
		w.unlink(s)
		w.insert(s, pingTime())
		if say := s.turn(); say != nil {
			w.ended.Add(1)
			go func() {
				defer w.ended.Done()
				say()
			}()
		}
	}
}

// pingTime is the time to the next ping: 45 s, five more or less, so that
// sockets that came together do not stay together.
func pingTime() time.Duration {
	return relay.PingEvery - relay.PingJitter + rand.N(2*relay.PingJitter)
}

// turn decides what to do, under the wheel's lock: close a socket that was told
// BYE; after ListenWithin, drop one that never listened; later, one that left
// PingMisses pings unanswered; else ping. It returns what blocks, to be done
// without the lock.
func (s *socket) turn() (say func()) {
	first := !s.settled
	s.settled = true
	heard := s.conn.heard.Swap(false)
	switch {
	case s.forcing:
		s.conn.Close()
		return nil
	case first && s.listened.Load():
		return nil
	case first:
		return func() { s.bye(relay.ByeNoListen) }
	case heard || !s.pinged:
		s.silent = 0
	default:
		s.silent++
	}
	if s.silent >= relay.PingMisses {
		return func() { s.bye(relay.ByeNoPing) }
	}
	s.pinged = true
	return func() { s.write(pingFrame) }
}

// Alive implements [Reader].
func (s *socket) Alive(within time.Duration) bool {
	s.conn.heard.Store(false)
	s.write(pingFrame)
	const step = 50 * time.Millisecond
	for waited := time.Duration(0); waited < within && !s.closing.Load(); waited += step {
		if s.conn.heard.Load() {
			return true
		}
		time.Sleep(step)
	}
	s.cut(relay.ByeNoPing)
	return false
}

// all returns the sockets that are open.
func (w *wheel) all() (open []*socket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.slots {
		for ; s != nil; s = s.spoke.next {
			open = append(open, s)
		}
	}
	return open
}

// close lets no new socket in.
func (w *wheel) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.off = true
}
