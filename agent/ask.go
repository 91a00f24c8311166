package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sort"
	"time"

	"answerback/agent/card"
	"answerback/agent/internal/audit"
	abcrypto "answerback/crypto"
	"answerback/hook/caller"
)

// question is what the devices are asked: a caller's call, or something that the agent itself may not do alone.
type question struct {
	card  card.Card     // all but ids, times, roster and log, which ask fills in
	call  caller.Call   // zero for an admin card
	wait  time.Duration // until nobody may answer any more
	grace time.Duration // how long the caller's own prompt has, before a phone rings
	held  func(*entry)  // called once the card is open, before it goes out
}

// ask puts one card before every device and waits for the one outcome: an answer, the deadline, a local command, or ctx's end (the caller
// went away). The asked record is on disk before a device sees the card, because the card names the log's head after it.
func (a *Agent) ask(ctx context.Context, q question) (*entry, error) {
	if err := a.pending.take(ownerOf(q)); err != nil {
		return nil, err
	}
	e, err := a.open(q)
	if err != nil {
		return nil, err
	}
	defer func() { a.pending.settle(e, outcome{how: withdrawn, at: time.Now()}) }() // after a fault of ours: no card without its caller
	a.broadcast(e)
	a.ring(e, q.grace)
	a.wait(ctx, e)
	return e, nil
}

// openWithin is how long a card may take to be written. A busy disk under a hundred hooks takes seconds; one that is full or gone takes for ever.
const openWithin = 8 * time.Second

// errSlow hands a call back that could not be written down in time.
var errSlow = errors.New("the log could not be written in time; is the disk of the state folder full, or gone?")

// open makes the entry, its asked record and its card, in the room that was taken for it. The hook hears first that its call is held: it gives
// up after five seconds without a word.
func (a *Agent) open(q question) (*entry, error) {
	e := newEntry(q, time.Now())
	rand.Read(e.id[:])
	written := make(chan error, 1)
	a.aside.Go(func() { written <- a.write(e, q.held) })
	timer := time.NewTimer(openWithin)
	defer timer.Stop()
	select {
	case err := <-written:
		return e, a.opened(e, err)
	case <-timer.C: // the room stays taken for as long as the disk holds it up
		a.aside.Go(func() { <-written; a.pending.give(e.owner) })
		return nil, errSlow
	}
}

// write tells the hook, then writes record and card. A fault of ours in it is an error like any other.
func (a *Agent) write(e *entry, held func(*entry)) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			a.logFault(fault)
			err = errFault
		}
	}()
	if held != nil {
		held(e)
	}
	return a.complete(e)
}

// opened puts a card that is written on the table, or gives its room back.
func (a *Agent) opened(e *entry, err error) error {
	if err == nil && a.pending.add(e) {
		return nil
	}
	a.pending.give(e.owner)
	return cmp.Or(err, errEnding)
}

// complete fills in what the agent itself says on the card, one card at a time.
func (a *Agent) complete(e *entry) (err error) {
	a.opening.Lock()
	defer a.opening.Unlock()
	c := &e.Card
	c.Request, c.Host, c.Human, c.Expires = e.id, a.opts.Host, a.opts.Human, e.expires
	c.Made = min(a.stamp(nowMS()), e.expires)
	if c.RosterHash, e.roster, err = a.rosterNow(); err != nil {
		return err
	}
	_, head, err := a.ledger.Append(a.record(audit.Asked, e))
	if err != nil {
		return fmt.Errorf("agent: log that %s asked: %w", c.Caller, err)
	}
	c.Log = card.Log{Size: head.Size, Root: head.Root}
	if e.Written, err = card.New(*c, rand.Reader); err != nil {
		return fmt.Errorf("agent: make card: %w", err)
	}
	return nil
}

// maxStep is by how much the clock may be put back, in ms, without the times on cards following it.
const maxStep = 2000

// stamp is the time on the next card: never earlier than on the one before, so that of two cards the later one has the larger log, and a
// device can tell a cut log from an older card. A clock that was put back by more than a little is followed: a time ahead of it would
// make a device take the card for expired. The caller holds opening.
func (a *Agent) stamp(now uint64) uint64 {
	if a.lastMade < now || a.lastMade > now+maxStep {
		a.lastMade = now
	}
	return a.lastMade
}

// wait returns once the entry is settled, and settles it itself at the deadline or when ctx ends.
func (a *Agent) wait(ctx context.Context, e *entry) {
	tick := time.NewTicker(clockCheck)
	defer tick.Stop()
	deadline := time.NewTimer(time.Until(e.deadline))
	defer deadline.Stop()
	for {
		select {
		case <-e.done:
			return
		case <-ctx.Done():
			a.pending.settle(e, outcome{how: withdrawn, at: time.Now()})
		case <-deadline.C:
			a.pending.settle(e, outcome{how: expired, at: time.Now()})
		case now := <-tick.C:
			if e.over(now) {
				a.pending.settle(e, outcome{how: expired, at: now})
			}
			a.remind(e, now)
		}
	}
}

// remind sends the card again to listening devices that have not said that they have it.
func (a *Agent) remind(e *entry, now time.Time) {
	due := e.due(now)
	if due == nil {
		return
	}
	for _, p := range a.activePeers() {
		if p.isOnline() && p.takes(e) && due(p.device().ID) {
			p.enqueue(outgoing{typ: abcrypto.TypeCard, body: e.Body, entry: e})
		}
	}
}

// clockCheck is how often the wall clock is looked at: the monotonic one stops while the machine sleeps.
const clockCheck = time.Second

// broadcast sends the card to every device that can show it.
func (a *Agent) broadcast(e *entry) {
	for _, p := range a.activePeers() {
		if p.takes(e) {
			p.enqueue(outgoing{typ: abcrypto.TypeCard, body: e.Body, entry: e})
		}
	}
}

// conclude tells the devices how the card ended: the one that answered gets a receipt (elsewhere), the others this.
func (a *Agent) conclude(e *entry, except abcrypto.ID) {
	s := card.Settled{Request: e.id, Time: uint64(e.outcome.at.UnixMilli()), Outcome: e.end()}
	if e.outcome.how == answered && e.spoiled() == "" {
		s.Device, s.Decision = e.outcome.device.Name, e.outcome.answer.Word()
	}
	for _, p := range a.activePeers() {
		if p.device().ID == except {
			continue
		}
		s.Seq = a.nextSeq()
		body, err := s.Marshal()
		if err != nil {
			a.log.Error("settled message not made", "why", err)
			return
		}
		p.enqueue(outgoing{typ: abcrypto.TypeSettled, body: body})
		a.pushEnd(e, p, body)
	}
}

// end is how the card ended, for those who did not end it.
func (e *entry) end() card.End {
	switch o := e.outcome; {
	case o.how == expired:
		return card.EndExpired
	case o.how == denied:
		return card.EndDenied
	case o.how == released:
		return card.EndTerminal
	case o.how == answered && e.spoiled() == "":
		return answeredWord(o.answer.Decision())
	case o.how == answered:
		return card.EndHandedBack
	}
	return card.EndWithdrawn
}

func answeredWord(d abcrypto.Decision) card.End {
	switch d {
	case abcrypto.Allow:
		return card.EndAllowed
	case abcrypto.Deny:
		return card.EndDenied
	case abcrypto.Answered:
		return card.EndAnswered
	}
	return card.EndHandedBack
}

func sortByDeadline(list []*entry) {
	sort.Slice(list, func(i, j int) bool { return list[i].deadline.Before(list[j].deadline) })
}
