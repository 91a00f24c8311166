package pairing

import (
	"crypto/ed25519"
	"encoding/binary"

	abcrypto "answerback/crypto"
)

// Paired is what both sides keep of a pairing that ended well. The root it was
// made from is gone.
type Paired struct {
	Agent, Device       abcrypto.ID
	AgentKey, DeviceKey ed25519.PublicKey
	Boxes               Boxes
	Ratchet             abcrypto.Ratchet

	// Name and Platform are the device's.
	Name, Platform string
	Push           PushSubscription
	Passkey        Passkey

	AgentName, HostName, RelayURL, AppOrigin string

	Roster       []byte // the roster's JSON, as the agent sent it
	AgentClockMS uint64 // the agent's clock when it sent it
}

// newPaired derives K = Expand(R, "root" || H2 || N_a) and all that follows from
// it, and forgets it.
func newPaired(x *exchange, b Bundle, f fields) Paired {
	root := [32]byte(x.last(abcrypto.WordRoot, 32))
	chain := abcrypto.Chain(abcrypto.Expand(root[:], abcrypto.WordChain0, nil, 32))
	return Paired{
		Agent: abcrypto.AgentID(b.AgentKey), Device: abcrypto.DeviceID(f.Key),
		AgentKey: b.AgentKey, DeviceKey: f.Key,
		Boxes:   boxesFrom(root, abcrypto.WordBoxR, abcrypto.WordBoxW),
		Ratchet: abcrypto.NewRatchet(chain, b.ExpiresMS),
		Name:    f.Name, Platform: f.Platform, Push: f.Push, Passkey: f.Passkey,
		AgentName: b.AgentName, HostName: b.HostName, RelayURL: b.RelayURL, AppOrigin: b.AppOrigin,
	}
}

// finish is msg3's plaintext: device_id(16) || len(4) || roster || agent clock(8).
type finish struct {
	device  abcrypto.ID
	roster  []byte
	clockMS uint64
}

func (f finish) marshal() []byte {
	b := appendLong(append([]byte(nil), f.device[:]...), f.roster)
	return binary.BigEndian.AppendUint64(b, f.clockMS)
}

func parseFinish(data []byte) (f finish, err error) {
	r := reader{b: data}
	copy(f.device[:], r.take(16))
	f.roster = append([]byte(nil), r.long()...)
	f.clockMS = r.uint64()
	if !r.ok() || len(f.roster) > MaxRoster || f.clockMS > abcrypto.MaxNumber {
		return finish{}, ErrFormat
	}
	return f, nil
}
