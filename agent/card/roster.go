package card

import (
	"bytes"
	"fmt"
	"slices"

	abcrypto "answerback/crypto"
)

// MaxRoster is the largest roster in bytes.
const MaxRoster = 64 << 10

// Member is one device of a roster, with the key that its answers are checked with.
type Member struct {
	ID          abcrypto.ID
	Name        string
	Platform    string
	Role        Role
	SameMachine bool
	Key         [32]byte // Ed25519 public key
}

// Roster is who may answer for an agent, ordered by id. Its bytes are canonical: one set of devices has one roster, and its
// hash stands on every card, so that an answer says which devices its device believed in.
type Roster []Member

// Hash is H("roster" || the roster's bytes), as cards name it.
func (r Roster) Hash() ([32]byte, error) {
	body, err := r.Marshal()
	if err != nil {
		return [32]byte{}, err
	}
	return abcrypto.Hash("roster", body), nil
}

// Marshal writes the roster: a JSON list, ordered by id whatever the order of r.
func (r Roster) Marshal() ([]byte, error) {
	sorted := slices.SortedFunc(slices.Values(r), func(a, b Member) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	out := []byte{'['}
	for i, m := range sorted {
		if i > 0 {
			out = append(out, ',')
		}
		body, err := marshal(m.fields)
		if err == nil && i > 0 && m.ID == sorted[i-1].ID {
			err = fmt.Errorf("%w: device %s comes twice", ErrFormat, m.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("card: write roster: %w", err)
		}
		out = append(out, body...)
	}
	if out = append(out, ']'); len(r) > MaxDevices || len(out) > MaxRoster {
		return nil, fmt.Errorf("card: write roster: %w: at most %d devices", ErrSize, MaxDevices)
	}
	return out, nil
}

// ParseRoster reads a roster and refuses any bytes but the canonical ones.
func ParseRoster(b []byte) (Roster, error) {
	if len(b) > MaxRoster {
		return nil, fmt.Errorf("card: read roster: %w", ErrSize)
	}
	v, err := scan(b)
	if err != nil {
		return nil, fmt.Errorf("card: read roster: %w", err)
	}
	if v.shape != shapeList {
		return nil, fmt.Errorf("card: read roster: %w: a list is expected", ErrFormat)
	}
	var r Roster
	for _, item := range v.items {
		var m Member
		if err := read(item, m.fields); err != nil {
			return nil, fmt.Errorf("card: read roster: %w", err)
		}
		r = append(r, m)
	}
	if again, err := r.Marshal(); err != nil || !bytes.Equal(again, b) {
		return nil, fmt.Errorf("card: read roster: %w: it is not in its one form", ErrFormat)
	}
	return r, nil
}

func (m *Member) fields(f *fields) {
	f.hex("id", m.ID[:])
	f.text("name", &m.Name, 1, MaxName)
	f.text("platform", &m.Platform, 0, MaxName)
	word(f, "role", &m.Role, Approver, Watcher)
	f.flag("same_machine", &m.SameMachine)
	f.hex("key", m.Key[:])
}
