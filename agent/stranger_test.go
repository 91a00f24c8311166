package agent

import (
	"crypto/ed25519"
	"crypto/rand"
	"testing"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
)

// stranger is a device of which the test has both ends, and no link in between.
type stranger struct {
	p       *peer
	key     ed25519.PrivateKey
	ratchet abcrypto.Ratchet
	agent   *Agent
	seq     uint64
}

func (tr *trip) stranger(t *testing.T, active bool) *stranger {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(nil)
	must(t, err)
	d := device{ID: abcrypto.DeviceID(pub), Name: "tablet", Role: card.Approver, SameMachine: true, Key: pub, Paired: nowMS(), Active: active}
	r, _ := unmarshalRatchet(someChain(d.ID))
	must(t, tr.agent.keepNew(d, r))
	return &stranger{p: tr.agent.addPeer(d, r), key: key, ratchet: r, agent: tr.agent}
}

// says has a message arrive in the agent's mailbox.
func (s *stranger) says(t *testing.T, typ byte, body []byte) {
	t.Helper()
	sealed, err := s.ratchet.SealDevice(s.p.device().ID, abcrypto.Message{Type: typ, Body: body}, rand.Reader)
	must(t, err)
	s.p.receive(sealed)
}

func (s *stranger) orders(t *testing.T, order card.Admin) {
	t.Helper()
	s.seq++
	s.says(t, abcrypto.TypeAdmin, s.signed(t, order, s.seq))
}

func (s *stranger) signed(t *testing.T, order card.Admin, seq uint64) []byte {
	t.Helper()
	body, err := order.Marshal()
	must(t, err)
	m, err := abcrypto.SignMessage(s.key, s.agent.id, s.p.device().ID, abcrypto.TypeAdmin, seq, body)
	must(t, err)
	return m.Bytes()
}

// quiet waits until the agent sends nothing of its own accord, and returns the last sequence number: each state takes one.
func (tr *trip) quiet(t *testing.T) (seq uint64) {
	t.Helper()
	for calm, end := 0, time.Now().Add(10*time.Second); calm < 5 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		last := seq
		if seq = tr.agent.nextSeq(); seq == last+1 && tr.agent.link.Connected() {
			calm++
		} else {
			calm = 0
		}
	}
	return seq
}
