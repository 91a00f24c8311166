package crypto

import "errors"

// Horizon is how many days ahead of its stored chain a side follows the other.
// It bounds what a stranger's header can make it compute (400 HMACs), and how
// long a pairing may lie unused.
const Horizon = 400

// Faults of the ratchet.
var (
	// ErrDay is returned for a message of a day that this side cannot or must
	// not follow, and for sealing with a clock that is too far ahead.
	ErrDay = errors.New("crypto: ratchet: the day is outside of what this pairing can reach; check the machine's clock, or pair again after 400 idle days")
	// ErrNoRatchet is returned for a zero or damaged Ratchet.
	ErrNoRatchet = errors.New("crypto: ratchet: there are no keys of this pairing; pair again")
)

// Ratchet is one side's state of one pairing: plain data, for a store to keep.
// One goroutine uses it at a time.
//
// A side stores the chain of the day before the newest message that it has
// opened from the other, derives later days when it needs them, and moves only
// when a message of a later day opens. A wrong clock on either side delays
// messages at worst; it destroys nothing.
//
// Write the state to disk before the bytes that SealAgent gave are sent: if the
// agent forgot Sealed, it would refuse its own device.
//
// The zero value seals and opens nothing.
type Ratchet struct {
	Stored Day   // the day of Chain
	Chain  Chain // chain[Stored]
	Newest Day   // the newest day opened from the other side; always Stored+1
	Sealed Day   // the newest day that this side has sealed with; agent only, 0 before the first
}

// NewRatchet returns the state that both sides start with: the chain is that of
// the day before the pairing code expires. It returns the zero Ratchet, which
// does nothing, for a time on the first day of 1970.
func NewRatchet(chain0 Chain, expiresMS uint64) Ratchet {
	day := DayOf(expiresMS)
	if day == 0 {
		return Ratchet{}
	}
	return Ratchet{Stored: day - 1, Chain: chain0, Newest: day}
}

// ReplyBox returns the mailbox keys of the reply box of the message with this
// day and nonce. It returns ErrDay when the chain of that day is gone.
func (r *Ratchet) ReplyBox(day Day, nonce [NonceSize]byte) (read, write [32]byte, err error) {
	chain, err := r.at(day)
	if err != nil {
		return read, write, err
	}
	read, write = chain.Reply(nonce[:])
	return read, write, nil
}

// at returns chain[day] for a day that this side can reach.
func (r *Ratchet) at(day Day) (Chain, error) {
	if r.Chain == (Chain{}) || uint64(r.Newest) != uint64(r.Stored)+1 {
		return Chain{}, ErrNoRatchet
	}
	if day < r.Stored || day-r.Stored > Horizon {
		return Chain{}, ErrDay
	}
	return r.Chain.After(int(day - r.Stored)), nil
}

// move records that a message of this day opened. The chains before the day
// before it are forgotten.
func (r *Ratchet) move(day Day) {
	if day <= r.Newest {
		return
	}
	r.Chain = r.Chain.After(int(day - 1 - r.Stored))
	r.Stored, r.Newest = day-1, day
}

// agentDay is the day that the agent seals with.
func (r *Ratchet) agentDay(nowMS uint64) Day { return max(DayOf(nowMS), r.Newest) }

// agentOpens says whether the agent may open a message of this day: up to
// tomorrow by its clock, or the newest day that it has itself sealed with. A
// device never seals with a later one, because it seals with the newest day
// that it has opened.
func (r *Ratchet) agentOpens(day Day, nowMS uint64) bool {
	return uint64(day) <= max(uint64(DayOf(nowMS))+1, uint64(r.Sealed))
}
