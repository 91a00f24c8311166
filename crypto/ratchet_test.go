package crypto

import (
	"errors"
	"math"
	"testing"
)

// exchange sends one message each way and fails unless both open.
func exchange(t *testing.T, agent, device *Ratchet, nowMS uint64) {
	t.Helper()
	if _, err := device.OpenDevice(testDevice, sealCard(t, agent, nowMS, "card")); err != nil {
		t.Fatalf("agent to device: %v", err)
	}
	if _, err := agent.OpenAgent(testDevice, nowMS, sealHello(t, device, "hello")); err != nil {
		t.Fatalf("device to agent: %v", err)
	}
}

func TestZeroRatchetDoesNothing(t *testing.T) {
	for name, r := range map[string]Ratchet{
		"zero":            {},
		"no chain":        {Stored: 5, Newest: 6},
		"newest is older": {Stored: 5, Newest: 5, Chain: testChain("a")},
		"newest is later": {Stored: 5, Newest: 7, Chain: testChain("a")},
		"day 0":           NewRatchet(testChain("a"), dayMS-1),
		"day overflow":    {Stored: math.MaxUint32, Newest: 0, Chain: testChain("a")},
	} {
		if _, err := r.SealDevice(testDevice, Message{Type: TypeHello}, &stream{}); !errors.Is(err, ErrNoRatchet) {
			t.Errorf("%s: device seals: %v", name, err)
		}
		if _, err := r.SealAgent(testDevice, 0, Message{Type: TypeCard}, &stream{}); !errors.Is(err, ErrNoRatchet) {
			t.Errorf("%s: agent seals: %v", name, err)
		}
		agent, _ := pairOf("a")
		if _, err := r.OpenDevice(testDevice, sealCard(t, agent, testNow, "x")); !errors.Is(err, ErrNoRatchet) {
			t.Errorf("%s: opens: %v", name, err)
		}
		if _, _, err := r.ReplyBox(5, [12]byte{}); !errors.Is(err, ErrNoRatchet) {
			t.Errorf("%s: reply box: %v", name, err)
		}
	}
}

func TestNewRatchetStartsOnTheDayBeforeTheCodeEnds(t *testing.T) {
	r := NewRatchet(testChain("a"), 20_000*dayMS+5)
	if r.Stored != 19_999 || r.Newest != 20_000 || r.Sealed != 0 {
		t.Errorf("%+v", r)
	}
}

func TestChainsOlderThanTheDayBeforeAreGone(t *testing.T) {
	agent, device := pairOf("a")
	start := device.Newest
	old := sealCard(t, agent, testNow, "old")
	exchange(t, agent, device, testNow+5*dayMS)
	for _, r := range []*Ratchet{agent, device} {
		if r.Newest != start+5 || r.Stored != start+4 || r.Chain != testChain("a").After(5) {
			t.Errorf("%+v", r)
		}
	}
	if _, err := device.OpenDevice(testDevice, old); !errors.Is(err, ErrDay) {
		t.Errorf("five days old: %v", err)
	}
}

// A message sealed before midnight and opened after a later one.
func TestDayRollsOverWithMessagesInFlight(t *testing.T) {
	agent, device := pairOf("a")
	yesterday := sealCard(t, agent, testNow, "sealed at 23:59")
	fromDevice := sealHello(t, device, "sealed at 23:59, too")
	today := sealCard(t, agent, testNow+dayMS, "sealed at 00:00")
	for _, sealed := range [][]byte{today, yesterday, today} {
		if _, err := device.OpenDevice(testDevice, sealed); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := agent.OpenAgent(testDevice, testNow+dayMS, sealHello(t, device, "today")); err != nil {
		t.Fatal(err)
	}
	if _, err := agent.OpenAgent(testDevice, testNow+dayMS, fromDevice); err != nil {
		t.Errorf("the device's last one of yesterday: %v", err)
	}
	exchange(t, agent, device, testNow+dayMS)
}

// One second with the agent's clock a month ahead: the device follows, and the
// agent goes on hearing it after the clock is right again.
func TestAgentClockAMonthAhead(t *testing.T) {
	agent, device := pairOf("a")
	ahead := sealCard(t, agent, testNow+30*dayMS, "ahead")
	if _, err := device.OpenDevice(testDevice, ahead); err != nil {
		t.Fatal(err)
	}
	stored := *agent // as if the agent had been started again here
	if _, err := stored.OpenAgent(testDevice, testNow, sealHello(t, device, "clock right again")); err != nil {
		t.Fatalf("the agent is deaf to its device: %v", err)
	}
	exchange(t, &stored, device, testNow)
	exchange(t, &stored, device, testNow+40*dayMS)
}

// The same, but the device never got the message of the wrong day.
func TestAgentClockAMonthAheadUnheard(t *testing.T) {
	agent, device := pairOf("a")
	sealCard(t, agent, testNow+30*dayMS, "lost")
	exchange(t, agent, device, testNow)
	if agent.Newest != DayOf(testNow) {
		t.Errorf("the agent moved to day %d", agent.Newest)
	}
}

func TestAgentClockBack(t *testing.T) {
	for _, back := range []uint64{1, 2, 400, 20_000} {
		agent, device := pairOf("a")
		exchange(t, agent, device, testNow+10*dayMS)
		exchange(t, agent, device, testNow+10*dayMS-back*dayMS)
		if agent.Newest != DayOf(testNow)+10 {
			t.Errorf("%d days back: the agent is at day %d", back, agent.Newest)
		}
		exchange(t, agent, device, testNow+11*dayMS)
	}
}

// A day back without the device having been heard: still the day before the
// newest, so it opens.
func TestAgentClockADayBackUnheard(t *testing.T) {
	agent, device := pairOf("a")
	if _, err := device.OpenDevice(testDevice, sealCard(t, agent, testNow+10*dayMS, "card")); err != nil {
		t.Fatal(err)
	}
	exchange(t, agent, device, testNow+9*dayMS)
}

func TestHorizon(t *testing.T) {
	agent, device := pairOf("a")
	before := *agent
	last := testNow + (Horizon-1)*dayMS // Stored + 400
	if _, err := agent.SealAgent(testDevice, last+dayMS, card("x"), &stream{}); !errors.Is(err, ErrDay) {
		t.Errorf("401 days ahead: %v", err)
	}
	if *agent != before {
		t.Error("a refused day changed the state")
	}
	sealed := sealCard(t, agent, last, "400 days ahead")
	if _, err := device.OpenDevice(testDevice, sealed); err != nil {
		t.Errorf("400 days ahead: %v", err)
	}
	_, fresh := pairOf("a")
	sealed[3]++ // 256 days further
	if _, err := fresh.OpenDevice(testDevice, sealed); !errors.Is(err, ErrDay) {
		t.Errorf("a header beyond the horizon: %v", err)
	}
}

// What a stranger writes into the header costs the agent nothing, whatever its
// clock says.
func TestAgentOpensOnlyReachableDays(t *testing.T) {
	sealed := sealPlain(&Ratchet{Newest: DayOf(testNow) + 2, Chain: testChain("a")}, ToAgent, make([]byte, 512))
	agent, _ := pairOf("a")
	if _, err := agent.OpenAgent(testDevice, testNow, sealed); !errors.Is(err, ErrDay) {
		t.Errorf("the day after tomorrow: %v", err)
	}
	if _, err := agent.OpenAgent(testDevice, testNow+dayMS, sealed); !errors.Is(err, ErrOpen) {
		t.Errorf("tomorrow: %v", err)
	}
	agent.Sealed = DayOf(testNow) + 2
	if _, err := agent.OpenAgent(testDevice, testNow, sealed); !errors.Is(err, ErrOpen) {
		t.Errorf("a day that the agent has sealed with: %v", err)
	}
	copy(sealed[1:], "\xff\xff\xff\xff")
	if _, err := agent.OpenAgent(testDevice, math.MaxUint64, sealed); !errors.Is(err, ErrDay) {
		t.Errorf("the last day, and a clock at its end: %v", err)
	}
}

func TestSealedNeverGoesBack(t *testing.T) {
	agent, _ := pairOf("a")
	sealCard(t, agent, testNow+9*dayMS, "ahead")
	sealCard(t, agent, testNow, "back")
	if agent.Sealed != DayOf(testNow)+9 {
		t.Errorf("Sealed is %d", agent.Sealed)
	}
}

func TestDayOf(t *testing.T) {
	for ms, want := range map[uint64]Day{
		0: 0, dayMS - 1: 0, dayMS: 1, testNow: 20787, MaxNumber: 104249991,
		math.MaxUint32*dayMS + 1: math.MaxUint32, math.MaxUint64: math.MaxUint32,
	} {
		if got := DayOf(ms); got != want {
			t.Errorf("%d: day %d, want %d", ms, got, want)
		}
	}
}

func TestReplyBoxIsTheSameOnBothSidesAndForOneMessage(t *testing.T) {
	agent, device := pairOf("a")
	sealed := sealHello(t, device, "answer")
	day, nonce, _ := Header(sealed)
	r1, w1, err := device.ReplyBox(day, nonce)
	if err != nil {
		t.Fatal(err)
	}
	m, err := agent.OpenAgent(testDevice, testNow, sealed)
	if err != nil {
		t.Fatal(err)
	}
	r2, w2, err := agent.ReplyBox(m.Day, m.Nonce)
	if err != nil || r1 != r2 || w1 != w2 || r1 == w1 {
		t.Errorf("the two sides do not meet: %v", err)
	}
	nonce[0] ^= 1
	if r3, w3, _ := device.ReplyBox(day, nonce); r3 == r1 || w3 == w1 {
		t.Error("two messages share a reply box")
	}
	if _, _, err := agent.ReplyBox(agent.Stored-1, nonce); !errors.Is(err, ErrDay) {
		t.Errorf("a day that is gone: %v", err)
	}
	if _, _, err := agent.ReplyBox(agent.Stored+Horizon+1, nonce); !errors.Is(err, ErrDay) {
		t.Errorf("a day too far: %v", err)
	}
}
