package pairing

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	abcrypto "answerback/crypto"
)

// vector is any case of the files in crypto/testdata/vectors that this package
// reads. What makes them is in crypto/internal/genvectors, which spells the
// handshake out anew.
type vector struct {
	Name, Expect, Result                             string
	Link, App, Relay, Secret, Fingerprint            string
	Bytes, Ephemeral, Commitment                     string
	Offer, Platform, IV, Msg1, Digits, Agent, Device string
	Chain, Roster, Random, Reply                     string
	Messages, Boxes                                  []string
	PairBoxes                                        []string `json:"pair_boxes"`
	Reason                                           Reason
	Stored                                           abcrypto.Day
	Expires, Now                                     uint64
	AgentClock                                       uint64 `json:"agent_clock"`
	DeviceSeed                                       string `json:"device_seed"`
	DeviceName                                       string `json:"device_name"`
	ED                                               string `json:"e_d"`
	ND                                               string `json:"n_d"`
	AgentSeed                                        string `json:"agent_seed"`
	AgentKey                                         string `json:"agent_key"`
	AgentName                                        string `json:"agent_name"`
	HostName                                         string `json:"host_name"`
	RelayURL                                         string `json:"relay_url"`
	AppOrigin                                        string `json:"app_origin"`
}

var faults = map[string]error{
	"link": ErrLink, "offer": ErrOffer, "version": ErrVersion, "key": abcrypto.ErrKey, "format": ErrFormat, "ignored": ErrIgnored,
	"not_ours": ErrNotOurs, "unproven": ErrUnproven, "two_devices": ErrTwoDevices, "expired": ErrExpired,
}

func eachVector(t *testing.T, file string, run func(t *testing.T, v vector) error) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "crypto", "testdata", "vectors", file))
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Cases []vector }
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Cases) < 20 {
		t.Fatalf("%s holds %d cases", file, len(g.Cases))
	}
	for _, v := range g.Cases {
		if err := run(t, v); !v.expects(err) {
			t.Errorf("%s: %s: expect %s, got %v", file, v.Name, v.Expect, err)
		}
	}
}

func (v vector) expects(err error) bool {
	switch v.Expect {
	case "ok":
		return err == nil
	case "stopped":
		var stopped ErrStopped
		return errors.As(err, &stopped) && stopped.Reason == v.Reason
	}
	want := faults[v.Expect]
	return want != nil && errors.Is(err, want)
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestVectorsOfLinks(t *testing.T) {
	eachVector(t, "link.json", func(t *testing.T, v vector) error {
		app, o, relay, err := ParseLink(v.Link)
		if app != v.App || relay != v.Relay {
			t.Errorf("%s: app %q, relay %q", v.Name, app, relay)
		}
		if err == nil && (hex.EncodeToString(o.Secret[:]) != v.Secret || hex.EncodeToString(o.Fingerprint[:]) != v.Fingerprint) {
			t.Errorf("%s: %x, %x", v.Name, o.Secret, o.Fingerprint)
		}
		return err
	})
}

func TestVectorsOfBundles(t *testing.T) {
	eachVector(t, "bundle.json", func(t *testing.T, v vector) error {
		b, err := ParseBundle(unhex(t, v.Bytes))
		if err != nil {
			return err
		}
		if hex.EncodeToString(b.AgentKey) != v.AgentKey || hex.EncodeToString(b.Ephemeral[:]) != v.Ephemeral || hex.EncodeToString(b.Commitment[:]) != v.Commitment {
			t.Errorf("%s: keys %+v", v.Name, b)
		}
		if b.ExpiresMS != v.Expires || b.AgentName != v.AgentName || b.HostName != v.HostName || b.RelayURL != v.RelayURL || b.AppOrigin != v.AppOrigin {
			t.Errorf("%s: %+v", v.Name, b)
		}
		if hex.EncodeToString(b.Marshal()) != v.Bytes {
			t.Errorf("%s: prints as other bytes", v.Name)
		}
		return nil
	})
}

func TestVectorsOfTheDevicesHalf(t *testing.T) {
	eachVector(t, "pairing.json", func(t *testing.T, v vector) error {
		o, err := ParseOffer(unhex(t, v.Offer))
		if err != nil {
			t.Fatal(err)
		}
		random := bytes.NewReader(append(append(unhex(t, v.ED), unhex(t, v.ND)...), unhex(t, v.IV)...))
		d, err := NewDeviceSide(DeviceConfig{
			Offer: o, SignKey: ed25519.NewKeyFromSeed(unhex(t, v.DeviceSeed)), DeviceName: v.DeviceName, Platform: v.Platform, Random: random,
		})
		if err != nil {
			t.Fatal(err)
		}
		event, msg1, err := live(t, d, v.Messages)
		if err == nil {
			v.checkDevice(t, d, event, msg1)
		} else if event != (DeviceEvent{}) {
			t.Errorf("%s: refused with an event", v.Name)
		}
		return err
	})
}

// live hands all messages over and returns what came of the last one.
func live(t *testing.T, d *DeviceSide, messages []string) (event DeviceEvent, msg1 []byte, err error) {
	t.Helper()
	for _, m := range messages {
		if _, event, err = d.Receive(unhex(t, m)); event.Bundle != nil {
			if msg1, err = d.Confirm(); err != nil {
				event = DeviceEvent{}
			}
		}
	}
	return event, msg1, err
}

func (v vector) checkDevice(t *testing.T, d *DeviceSide, event DeviceEvent, msg1 []byte) {
	t.Helper()
	switch v.Result {
	case "bundle":
		if event.Bundle == nil {
			t.Errorf("%s: no bundle", v.Name)
		}
		return
	case "digits":
		if event.Digits != v.Digits || hex.EncodeToString(msg1) != v.Msg1 {
			t.Errorf("%s: digits %q, msg1 %x", v.Name, event.Digits, msg1)
		}
		return
	}
	p := event.Paired
	if p == nil {
		t.Fatalf("%s: not paired", v.Name)
	}
	if p.Agent.String() != v.Agent || p.Device.String() != v.Device || hex.EncodeToString(p.Roster) != v.Roster || p.AgentClockMS != v.AgentClock {
		t.Errorf("%s: %+v", v.Name, p)
	}
	if p.Ratchet.Stored != v.Stored || hex.EncodeToString(p.Ratchet.Chain[:]) != v.Chain {
		t.Errorf("%s: ratchet %+v", v.Name, p.Ratchet)
	}
	checkBoxes(t, v.Name, p.Boxes, v.Boxes)
	checkBoxes(t, v.Name, d.PairBoxes(), v.PairBoxes)
}

func checkBoxes(t *testing.T, name string, b Boxes, want []string) {
	t.Helper()
	for i, key := range [][32]byte{b.R(abcrypto.ToDevice), b.W(abcrypto.ToDevice), b.R(abcrypto.ToAgent), b.W(abcrypto.ToAgent)} {
		if hex.EncodeToString(key[:]) != want[i] {
			t.Errorf("%s: mailbox key %d is %x", name, i, key)
		}
	}
}

func TestVectorsOfTheAgentsHalf(t *testing.T) {
	eachVector(t, "agent/pairing.json", func(t *testing.T, v vector) error {
		random := append(unhex(t, v.Random), make([]byte, 64)...)
		a, err := NewAgentSide(AgentConfig{
			SignKey: ed25519.NewKeyFromSeed(unhex(t, v.AgentSeed)), AgentName: v.AgentName, HostName: v.HostName,
			RelayURL: v.RelayURL, AppOrigin: v.AppOrigin, ExpiresMS: v.Expires, Random: bytes.NewReader(random),
		})
		if err != nil || hex.EncodeToString(a.Offer().Payload()) != v.Offer {
			t.Fatalf("%s: another offer, %v", v.Name, err)
		}
		var reply []byte
		var event AgentEvent
		for _, m := range v.Messages {
			reply, event, err = a.Receive(v.Now, unhex(t, m))
		}
		v.checkAgent(t, a, reply, event)
		return err
	})
}

func (v vector) checkAgent(t *testing.T, a *AgentSide, reply []byte, event AgentEvent) {
	t.Helper()
	if v.Reply != "" && hex.EncodeToString(reply) != v.Reply {
		t.Errorf("%s: replies %x", v.Name, reply)
	}
	if (event.Locked != nil) != (v.Device != "") {
		t.Errorf("%s: %+v", v.Name, event)
	}
	if event.Locked == nil {
		return
	}
	if event.Locked.Device.String() != v.Device {
		t.Errorf("%s: locked by %s", v.Name, event.Locked.Device)
	}
	if ok, _, err := a.Digits(v.Digits); !ok || err != nil {
		t.Errorf("%s: digits %s: %v, %v", v.Name, v.Digits, ok, err)
	}
}
