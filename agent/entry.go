package agent

import (
	"sync"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/hook/caller"
)

// requestID names one card. It is made here, for one hook connection, and never used twice.
type requestID = card.RequestID

// ending is how an entry ended. The zero value is still open.
type ending int

const (
	open      ending = iota
	answered         // a device's verified answer
	expired          // nobody answered in time
	withdrawn        // the caller went away
	denied           // `answerback deny` on this machine
	released         // `answerback release` on this machine
)

// outcome is how one card ended, and by whom. Zero allows nothing.
type outcome struct {
	how     ending
	answer  card.Verified    // set when how is answered
	device  device           // who answered
	message abcrypto.Message // the message that carried the answer: its reply box gets the receipt
	words   string           // the words of a local deny
	at      time.Time
}

// entry is one open card.
type entry struct {
	card.Written // the card, its exact bytes, which every device sees, and their digest
	id           requestID
	owner        string // whose share of the open cards it takes
	call         caller.Call
	roster       map[abcrypto.ID]bool // who was in the roster that the card names
	deadline     time.Time            // with the monotonic clock, which stops in sleep
	expires      uint64               // by the wall clock, which can be set; the earlier of the two counts

	done    chan struct{} // closed by settle
	outcome outcome       // read after done

	mu        sync.Mutex
	spoilt    string                    // why a good answer came to nothing after all; empty: it did not
	sent      map[abcrypto.ID]bool      // devices whose socket took the card
	seen      map[abcrypto.ID]bool      // devices that said that they have it
	watched   map[abcrypto.ID]bool      // devices on which a person can see it
	rung      map[abcrypto.ID]bool      // devices that it was pushed to
	confirmed map[abcrypto.ID]bool      // of them, those that said so
	again     time.Time                 // when those that did not get it again
	pause     time.Duration             // and how long after that
	receipts  map[[32]byte]card.Receipt // by receipt hash: the outcome recorded for exactly these answer bytes
	told      map[[32]byte]time.Time    // when it was last said again
}

// over reports whether the time for an answer has passed on either clock.
func (e *entry) over(now time.Time) bool {
	return !now.Before(e.deadline) || uint64(now.UnixMilli()) >= e.expires
}

// verdictLag is how long after its deadline a card's verdict may still be written: the hook waits two seconds longer than it was told.
const verdictLag = time.Second

// tooLateToTell reports whether the hook would not take a verdict any more. It looks at both clocks, as the hook does.
func (e *entry) tooLateToTell(now time.Time) bool { return e.over(now.Add(-verdictLag)) }

// size is about how many bytes the card keeps alive.
func (e *entry) size() int { return len(e.Body) + len(e.Card.Input) + len(e.call.Target) }

// spoil notes that a good answer comes to nothing: a script changed, the log is full, the hook is gone. Nobody may say then that it counted.
func (e *entry) spoil(why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.spoilt = why
}

func (e *entry) spoiled() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.spoilt
}

// reached notes that a device's socket took the card.
func (e *entry) reached(id abcrypto.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent[id] = true
}

// saw notes that a device has the card.
func (e *entry) saw(id abcrypto.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen[id] = true
}

// watch notes whether a person can see the card on a device: then it does not ring there.
func (e *entry) watch(id abcrypto.ID, visible bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watched[id] = visible
}

func (e *entry) watchedBy(id abcrypto.ID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.watched[id]
}

// ringing notes that the card is pushed to a device, so that its end is pushed there too.
func (e *entry) ringing(id abcrypto.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rung[id] = true
}

func (e *entry) rang(id abcrypto.ID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.rung[id]
}

// confirms reports whether a device's word that it has the card is the first that says so of a push.
func (e *entry) confirms(id abcrypto.ID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.rung[id] || e.confirmed[id] {
		return false
	}
	e.confirmed[id] = true
	return true
}

// Between firstAgain and lastAgain, doubling: how long after a card was sent it goes again to a device that has not said that it has it.
// SENT means that a socket took the bytes, and a relay can be killed between that and the device.
const (
	firstAgain = time.Second
	lastAgain  = 15 * time.Second
)

// due returns whom the card must be sent to again now: those that have it are never due.
func (e *entry) due(now time.Time) func(abcrypto.ID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now.Before(e.again) {
		return nil
	}
	e.pause = min(2*e.pause, lastAgain)
	e.again = now.Add(e.pause)
	return func(id abcrypto.ID) bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.roster[id] && !e.seen[id]
	}
}

func (e *entry) reachedCount() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.sent)
}

func newEntry(q question, now time.Time) *entry {
	end := now.Add(q.wait)
	call := q.call
	call.Raw, call.Input, call.Exact = nil, nil, "" // the card has what of them is needed
	return &entry{Written: card.Written{Card: q.card}, owner: ownerOf(q), call: call, deadline: end, expires: uint64(end.UnixMilli()),
		done: make(chan struct{}), sent: map[abcrypto.ID]bool{}, seen: map[abcrypto.ID]bool{},
		watched: map[abcrypto.ID]bool{}, rung: map[abcrypto.ID]bool{}, confirmed: map[abcrypto.ID]bool{},
		again: now.Add(firstAgain), pause: firstAgain, receipts: map[[32]byte]card.Receipt{}, told: map[[32]byte]time.Time{}}
}

// ownerOf says whose share of the open cards a question takes: that of one session of one caller.
func ownerOf(q question) string { return q.card.Caller + "\x00" + q.call.Session }
