package pairing

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"reflect"
	"testing"

	abcrypto "answerback/crypto"
)

const (
	testNow     = 1_796_000_000_000 // a day in November 2026
	testExpires = testNow + 10*60*1000
)

// stream is a reader of bytes that depend on its name alone: SHA-256 of name ||
// counter, block after block.
type stream struct {
	name string
	n    uint64
	rest []byte
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.rest) < len(p) {
		block := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(s.name), s.n))
		s.rest, s.n = append(s.rest, block[:]...), s.n+1
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func testKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func agentConfig(name string) AgentConfig {
	return AgentConfig{
		SignKey: testKey(name), AgentName: "desk", HostName: "workstation",
		RelayURL: "https://relay.example.org", AppOrigin: "https://relay.example.org",
		ExpiresMS: testExpires, Random: &stream{name: name},
	}
}

func newAgent(t testing.TB, name string) *AgentSide {
	t.Helper()
	a, err := NewAgentSide(agentConfig(name))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func newDevice(t testing.TB, o Offer, name string) *DeviceSide {
	t.Helper()
	d, err := NewDeviceSide(DeviceConfig{
		Offer: o, SignKey: testKey(name), DeviceName: "phone " + name, Platform: "Android", Random: &stream{name: name},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// must hands one message over and fails unless it is taken.
func (a *AgentSide) must(t testing.TB, msg []byte) ([]byte, AgentEvent) {
	t.Helper()
	reply, event, err := a.Receive(testNow, msg)
	if err != nil {
		t.Fatalf("agent: %v", err)
	}
	return reply, event
}

func (d *DeviceSide) must(t testing.TB, msg []byte) DeviceEvent {
	t.Helper()
	reply, event, err := d.Receive(msg)
	if err != nil || reply != nil {
		t.Fatalf("device: reply %x, %v", reply, err)
	}
	return event
}

// confirmed brings a device to the point where it has msg1 to send.
func confirmed(t testing.TB, a *AgentSide, name string) (d *DeviceSide, msg1 []byte) {
	t.Helper()
	d = newDevice(t, a.Offer(), name)
	bundle, _ := a.must(t, d.Hello())
	if d.must(t, bundle).Bundle == nil {
		t.Fatal("no bundle event")
	}
	msg1, err := d.Confirm()
	if err != nil {
		t.Fatal(err)
	}
	return d, msg1
}

// transcript is one pairing as the relay sees it.
type transcript struct {
	agent                           *AgentSide
	device                          *DeviceSide
	hello, bundle, msg1, msg2, msg3 []byte
	digits                          string
	locked                          *Locked
	atAgent, atDevice               *Paired
}

// upToDigits runs a pairing until the device shows its digits.
func upToDigits(t testing.TB, name string) *transcript {
	t.Helper()
	p := &transcript{agent: newAgent(t, name)}
	p.device = newDevice(t, p.agent.Offer(), name+"'s phone")
	p.hello = p.device.Hello()
	p.bundle, _ = p.agent.must(t, p.hello)
	p.device.must(t, p.bundle)
	p.msg1, _ = p.device.Confirm()
	var event AgentEvent
	p.msg2, event = p.agent.must(t, p.msg1)
	p.locked = event.Locked
	p.digits = p.device.must(t, p.msg2).Digits
	return p
}

func (p *transcript) finish(t testing.TB) *transcript {
	t.Helper()
	if ok, _, err := p.agent.Digits(p.digits); !ok || err != nil {
		t.Fatalf("right digits: %v, %v", ok, err)
	}
	msg3, atAgent, err := p.agent.Finish(testNow+5000, []byte(`[]`))
	if err != nil {
		t.Fatal(err)
	}
	p.msg3, p.atAgent = msg3, &atAgent
	p.atDevice = p.device.must(t, msg3).Paired
	return p
}

func TestPair(t *testing.T) {
	p := upToDigits(t, "a").finish(t)
	if p.locked == nil || p.locked.DeviceName != "phone a's phone" || p.locked.Platform != "Android" {
		t.Errorf("locked by %+v", p.locked)
	}
	if p.atDevice == nil || !reflect.DeepEqual(p.atAgent, p.atDevice) {
		t.Fatalf("the two sides keep different things:\n%+v\n%+v", p.atAgent, p.atDevice)
	}
	if p.atAgent.AgentClockMS != testNow+5000 || string(p.atAgent.Roster) != "[]" {
		t.Errorf("clock %d, roster %s", p.atAgent.AgentClockMS, p.atAgent.Roster)
	}
	if p.atAgent.Ratchet.Stored != abcrypto.DayOf(testExpires)-1 {
		t.Errorf("ratchet starts at day %d", p.atAgent.Ratchet.Stored)
	}
}

func TestPairedSidesTalk(t *testing.T) {
	p := upToDigits(t, "a").finish(t)
	agent, device := p.atAgent.Ratchet, p.atDevice.Ratchet
	random := &stream{name: "talk"}
	sealed, err := device.SealDevice(p.atDevice.Device, abcrypto.Message{Type: abcrypto.TypeHello, Body: []byte(`{}`)}, random)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := agent.OpenAgent(p.atAgent.Device, testNow, sealed); err != nil {
		t.Fatal(err)
	}
	sealed, err = agent.SealAgent(p.atAgent.Device, testNow, abcrypto.Message{Type: abcrypto.TypeState, Body: []byte(`{}`)}, random)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := device.OpenDevice(p.atDevice.Device, sealed); err != nil {
		t.Fatal(err)
	}
}

func TestRepeatedMessagesGetTheSameBytes(t *testing.T) {
	p := upToDigits(t, "a")
	if again, event := p.agent.must(t, p.msg1); !bytes.Equal(again, p.msg2) || event.Locked != nil {
		t.Error("msg1 again: not the same msg2, or a second event")
	}
	if again, _ := p.agent.must(t, p.hello); !bytes.Equal(again, p.bundle) {
		t.Error("hello again: not the same bundle")
	}
	if again, _ := p.device.Confirm(); !bytes.Equal(again, p.msg1) {
		t.Error("Confirm again: not the same msg1")
	}
	for _, msg := range [][]byte{p.bundle, p.msg2} {
		if _, event, err := p.device.Receive(msg); !errors.Is(err, ErrIgnored) || event != (DeviceEvent{}) {
			t.Errorf("device took a repeated message: %+v, %v", event, err)
		}
	}
	p.finish(t)
	if again, _ := p.agent.must(t, p.msg1); !bytes.Equal(again, p.msg3) {
		t.Error("msg1 after the end: not msg3 again")
	}
	if _, event, err := p.device.Receive(p.msg3); !errors.Is(err, ErrIgnored) || event.Paired != nil {
		t.Errorf("device paired twice: %v", err)
	}
}
