package device

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/pairing"
)

// ErrState is wrapped when bytes are no state of a device.
var ErrState = errors.New("this is no state of a paired device; pair again")

// State is all that a device keeps of one pairing. Whoever can read it can answer in the person's name, unless SignKey was taken out
// and is kept elsewhere; so it belongs in a file that only its owner can read.
type State struct {
	Agent    abcrypto.ID
	AgentKey ed25519.PublicKey
	Device   abcrypto.ID
	SignKey  ed25519.PrivateKey // nil: kept elsewhere, and Options.Key has it
	Boxes    pairing.Boxes
	Ratchet  abcrypto.Ratchet

	Name, Platform      string // this device's
	AgentName, HostName string
	Relay, App          string // URL, origin
	Roster              []byte // as the agent sent it at pairing

	SeqOut uint64 // of the last signed message sent
	SeqIn  uint64 // of the last state or settled taken

	memory memory
}

// newState is what a pairing leaves.
func newState(p *pairing.Paired, key ed25519.PrivateKey) State {
	return State{
		Agent: p.Agent, AgentKey: p.AgentKey, Device: p.Device, SignKey: key, Boxes: p.Boxes, Ratchet: p.Ratchet,
		Name: p.Name, Platform: p.Platform, AgentName: p.AgentName, HostName: p.HostName, Relay: p.RelayURL, App: p.AppOrigin, Roster: p.Roster,
	}
}

// role is this device's in the roster that the agent sent at pairing.
func (s *State) role() card.Role {
	roster, _ := card.ParseRoster(s.Roster)
	for _, m := range roster {
		if m.ID == s.Device {
			return m.Role
		}
	}
	return ""
}

// text is bytes as hex in JSON.
type text []byte

func (t text) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(t)), nil }

func (t *text) UnmarshalText(b []byte) (err error) {
	*t, err = hex.DecodeString(string(b))
	return err
}

// record is a State as it stands in a file.
type record struct {
	Version   int           `json:"version"`
	AgentKey  text          `json:"agent_key"`
	Device    abcrypto.ID   `json:"device"`
	SignSeed  text          `json:"sign_seed,omitempty"`
	ReadKeys  []text        `json:"read_keys"`
	WriteKeys []text        `json:"write_keys"`
	Stored    abcrypto.Day  `json:"stored_day"`
	Chain     text          `json:"chain"`
	Newest    abcrypto.Day  `json:"newest_day"`
	Name      string        `json:"name"`
	Platform  string        `json:"platform"`
	AgentName string        `json:"agent_name"`
	HostName  string        `json:"host_name"`
	Relay     string        `json:"relay"`
	App       string        `json:"app"`
	Roster    string        `json:"roster"`
	SeqOut    uint64        `json:"seq_out"`
	SeqIn     uint64        `json:"seq_in"`
	Heads     []headRecord  `json:"heads"`
	Seen      []seenRecord  `json:"seen"`
	Outbox    []replyRecord `json:"outbox"`
}

// Marshal writes the state, its key included, as JSON.
func (s State) Marshal() ([]byte, error) {
	r := record{
		Version: 1, AgentKey: text(s.AgentKey), Device: s.Device, Stored: s.Ratchet.Stored, Chain: s.Ratchet.Chain[:], Newest: s.Ratchet.Newest,
		Name: s.Name, Platform: s.Platform, AgentName: s.AgentName, HostName: s.HostName, Relay: s.Relay, App: s.App, Roster: string(s.Roster),
		SeqOut: s.SeqOut, SeqIn: s.SeqIn,
	}
	if s.SignKey != nil {
		r.SignSeed = text(s.SignKey.Seed())
	}
	for i := range s.Boxes.ReadKey {
		r.ReadKeys, r.WriteKeys = append(r.ReadKeys, s.Boxes.ReadKey[i][:]), append(r.WriteKeys, s.Boxes.WriteKey[i][:])
	}
	r.Heads, r.Seen, r.Outbox = s.memory.records()
	b, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("device: write state: %w", err)
	}
	return b, nil
}

// ParseState reads what Marshal wrote.
func ParseState(b []byte) (State, error) {
	var r record
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return State{}, fmt.Errorf("device: read state: %w: %w", ErrState, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return State{}, fmt.Errorf("device: read state: %w: bytes follow its end", ErrState)
	}
	s, ok := r.state()
	if !ok {
		return State{}, fmt.Errorf("device: read state: %w", ErrState)
	}
	return s, nil
}

func (r record) state() (s State, ok bool) {
	sized := r.Version == 1 && len(r.AgentKey) == ed25519.PublicKeySize && len(r.Chain) == 32 && len(r.ReadKeys) == 2 && len(r.WriteKeys) == 2 &&
		(len(r.SignSeed) == 0 || len(r.SignSeed) == ed25519.SeedSize)
	for _, k := range append(r.ReadKeys, r.WriteKeys...) {
		sized = sized && len(k) == 32
	}
	if !sized {
		return State{}, false
	}
	s = State{
		Agent: abcrypto.AgentID(ed25519.PublicKey(r.AgentKey)), AgentKey: ed25519.PublicKey(r.AgentKey), Device: r.Device,
		Ratchet: abcrypto.Ratchet{Stored: r.Stored, Chain: abcrypto.Chain(r.Chain), Newest: r.Newest},
		Name:    r.Name, Platform: r.Platform, AgentName: r.AgentName, HostName: r.HostName, Relay: r.Relay, App: r.App, Roster: []byte(r.Roster),
		SeqOut: r.SeqOut, SeqIn: r.SeqIn,
	}
	for i := range r.ReadKeys {
		s.Boxes.ReadKey[i], s.Boxes.WriteKey[i] = [32]byte(r.ReadKeys[i]), [32]byte(r.WriteKeys[i])
	}
	if len(r.SignSeed) > 0 {
		s.SignKey = ed25519.NewKeyFromSeed(r.SignSeed)
		if abcrypto.DeviceID(s.SignKey.Public().(ed25519.PublicKey)) != s.Device {
			return State{}, false
		}
	}
	s.memory, ok = remembered(r.Heads, r.Seen, r.Outbox)
	return s, ok
}
