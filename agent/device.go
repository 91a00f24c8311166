package agent

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"answerback/agent/card"
	"answerback/agent/internal/passkey"
	abcrypto "answerback/crypto"
	"answerback/pairing"
)

// device is what the agent keeps of one paired device. Its ratchet lies in the chains file, not here.
type device struct {
	ID          abcrypto.ID
	Name        string
	Platform    string
	Role        card.Role
	SameMachine bool
	Key         ed25519.PublicKey
	Boxes       pairing.Boxes
	Passkey     *passkey.Credential
	Push        pairing.PushSubscription // zero: none
	PushHealth  card.PushHealth
	LockScreen  card.LockScreen // what its lock screen may show; the person chooses on the device
	LastPush    uint64          // when it last confirmed a push, ms; 0: never
	Paired      uint64          // ms since 1970 UTC
	LastSeen    uint64
	Active      bool // its first hello under the new keys has opened
}

// stored is device as the store holds it: JSON, bytes in hex.
type stored struct {
	Name        string          `json:"name"`
	Platform    string          `json:"platform"`
	Role        card.Role       `json:"role"`
	SameMachine bool            `json:"same_machine"`
	Key         string          `json:"key"`
	Read        [2]string       `json:"read"`
	Write       [2]string       `json:"write"`
	Passkey     bool            `json:"passkey"`
	Credential  *storedPasskey  `json:"credential,omitempty"`
	Paired      uint64          `json:"paired"`
	Push        *storedPush     `json:"push,omitempty"`
	LockScreen  card.LockScreen `json:"lock_screen,omitempty"`
	LastPush    uint64          `json:"last_push,omitempty"`
	LastSeen    uint64          `json:"last_seen"`
	Active      bool            `json:"active"`
}

func (d device) marshal() ([]byte, error) {
	s := stored{Name: d.Name, Platform: d.Platform, Role: d.Role, SameMachine: d.SameMachine, Key: hex.EncodeToString(d.Key),
		Passkey: d.Passkey != nil, Credential: storePasskey(d.Passkey), Paired: d.Paired, LastSeen: d.LastSeen, Active: d.Active, Push: storePush(d.Push, d.PushHealth), LockScreen: d.LockScreen, LastPush: d.LastPush}
	for i := range s.Read {
		s.Read[i] = hex.EncodeToString(d.Boxes.ReadKey[i][:])
		s.Write[i] = hex.EncodeToString(d.Boxes.WriteKey[i][:])
	}
	return json.Marshal(s)
}

func unmarshalDevice(id abcrypto.ID, b []byte) (device, error) {
	s, err := readStored(b)
	if err != nil {
		return device{}, fmt.Errorf("agent: read device %s: %w", id, err)
	}
	d := device{ID: id, Name: s.Name, Platform: s.Platform, Role: s.Role, SameMachine: s.SameMachine,
		Paired: s.Paired, LastSeen: s.LastSeen, Active: s.Active, LockScreen: s.LockScreen, LastPush: s.LastPush}
	d.Push, d.PushHealth = s.Push.subscription()
	if d.Passkey, err = s.Credential.credential(s.Passkey); err != nil {
		return device{}, fmt.Errorf("agent: read passkey of device %s: %w", id, err)
	}
	if d.Key, err = keyOf(id, s.Key); err != nil {
		return device{}, fmt.Errorf("agent: read key of device %s: %w", id, err)
	}
	if _, err := roster([]device{d}).Marshal(); err != nil { // one bad row would spoil the roster of all cards
		return device{}, fmt.Errorf("agent: read device %s: %w", id, err)
	}
	for i := range s.Read {
		if !fill(d.Boxes.ReadKey[i][:], s.Read[i]) || !fill(d.Boxes.WriteKey[i][:], s.Write[i]) {
			return device{}, fmt.Errorf("agent: read mailbox of device %s: not 32 bytes of hex", id)
		}
	}
	return d, nil
}

func readStored(b []byte) (s stored, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return s, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return s, errors.New("bytes follow its end")
	}
	return s, nil
}

// keyOf reads a device's public key, which is what its id is of.
func keyOf(id abcrypto.ID, text string) (ed25519.PublicKey, error) {
	key, err := hex.DecodeString(text)
	if err == nil {
		err = abcrypto.CheckPublicKey(key)
	}
	if err == nil && abcrypto.DeviceID(key) != id {
		err = errors.New("it is another device's")
	}
	return key, err
}

// fill decodes hex that must be exactly as long as dst.
func fill(dst []byte, src string) bool {
	b, err := hex.DecodeString(src)
	return err == nil && copy(dst, b) == len(dst) && len(b) == len(dst)
}

// roster is what cards, devices and msg3 say of who may answer.
func roster(devices []device) card.Roster {
	list := make(card.Roster, 0, len(devices))
	for _, d := range devices {
		list = append(list, card.Member{ID: d.ID, Name: d.Name, Platform: d.Platform, Role: d.Role, SameMachine: d.SameMachine,
			Key: [32]byte(d.Key)})
	}
	return list
}
