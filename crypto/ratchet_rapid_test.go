package crypto

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// link is a pairing under a relay that loses, delays and repeats messages, with
// an agent whose clock somebody sets.
type link struct {
	agent, device Ratchet
	skewDays      int64
	elapsed       uint64
	toDevice      [][]byte
	toAgent       [][]byte
}

func (l *link) now() uint64 { return uint64(int64(testNow+l.elapsed) + l.skewDays*int64(dayMS)) }

func (l *link) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"the agent's clock is set": func(t *rapid.T) { l.skewDays = rapid.Int64Range(-500, 300).Draw(t, "skew") },
		"time passes":              func(t *rapid.T) { l.elapsed += rapid.Uint64Range(0, 2*dayMS).Draw(t, "ms") },
		"the agent seals":          l.agentSeals,
		"the device seals":         l.deviceSeals,
		"the device gets one":      func(t *rapid.T) { l.deliver(t, l.toDevice, &l.device, l.device.OpenDevice) },
		"the agent gets one":       func(t *rapid.T) { l.deliver(t, l.toAgent, &l.agent, l.agentOpens) },
		"":                         l.check,
	}
}

func (l *link) agentOpens(device ID, sealed []byte) (Message, error) {
	return l.agent.OpenAgent(device, l.now(), sealed)
}

func (l *link) agentSeals(t *rapid.T) {
	sealed, err := l.agent.SealAgent(testDevice, l.now(), card("card"), &stream{name: "a"})
	if err == nil {
		l.toDevice = append(l.toDevice, sealed)
	} else if !errors.Is(err, ErrDay) {
		t.Fatalf("seal: %v", err)
	}
}

func (l *link) deviceSeals(t *rapid.T) {
	sealed, err := l.device.SealDevice(testDevice, Message{Type: TypeHello}, &stream{name: "d"})
	if err != nil {
		t.Fatalf("the device cannot speak: %v", err)
	}
	l.toAgent = append(l.toAgent, sealed)
}

// deliver hands over any message of the past; only its day may stop it.
func (l *link) deliver(t *rapid.T, queue [][]byte, r *Ratchet, open func(ID, []byte) (Message, error)) {
	if len(queue) == 0 {
		return // nothing under way
	}
	before := *r
	_, err := open(testDevice, rapid.SampledFrom(queue).Draw(t, "message"))
	if err != nil && (!errors.Is(err, ErrDay) || *r != before) {
		t.Fatalf("open: %v", err)
	}
}

func (l *link) check(t *rapid.T) {
	if l.agent.Newest > l.device.Newest {
		t.Fatalf("the agent heard of day %d, the device is at %d", l.agent.Newest, l.device.Newest)
	}
	for _, r := range []Ratchet{l.agent, l.device} {
		if r.Newest != r.Stored+1 {
			t.Fatalf("%+v", r)
		}
	}
}

// Whatever the agent's clock did and whatever was lost: once the clock is right
// again, the device is heard at once, and is reached after that.
func TestNoClockDestroysAPairing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, d := pairOf("a")
		l := &link{agent: *a, device: *d}
		t.Repeat(l.actions())

		l.skewDays = 0
		l.deviceSeals(t)
		if _, err := l.agentOpens(testDevice, l.toAgent[len(l.toAgent)-1]); err != nil {
			t.Fatalf("the agent is deaf to its device: %v", err)
		}
		l.agentSeals(t)
		if len(l.toDevice) == 0 {
			t.Fatal("the agent cannot seal")
		}
		if _, err := l.device.OpenDevice(testDevice, l.toDevice[len(l.toDevice)-1]); err != nil {
			t.Fatalf("the device is deaf to its agent: %v", err)
		}
	})
}
