package relaytest

import (
	"answerback/relay"
	"answerback/relay/relayserver"
)

// Lossy is a bus that loses what Drop names, and says SENT all the same: a
// relay that lies, or one that was killed between the two.
type Lossy struct {
	relayserver.Bus
	Drop func(box relay.Box, payload []byte) bool // called from many goroutines
}

// NewLossy returns a lossy bus over a hub of its own.
func NewLossy(drop func(box relay.Box, payload []byte) bool) *Lossy {
	return &Lossy{Bus: relayserver.NewHub(relayserver.Limits{}), Drop: drop}
}

// Send implements relayserver.Bus.
func (l *Lossy) Send(box relay.Box, m relayserver.Message) relay.UnsentReason {
	if l.Drop != nil && l.Drop(box, m.Payload()) {
		return 0
	}
	return l.Bus.Send(box, m)
}
