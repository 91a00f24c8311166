package pairing

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	abcrypto "answerback/crypto"
)

func TestNewAgentSideRefuses(t *testing.T) {
	for name, change := range map[string]func(*AgentConfig){
		"no key":            func(c *AgentConfig) { c.SignKey = nil },
		"no randomness":     func(c *AgentConfig) { c.Random = nil },
		"empty randomness":  func(c *AgentConfig) { c.Random = bytes.NewReader(nil) },
		"no agent name":     func(c *AgentConfig) { c.AgentName = "" },
		"no host name":      func(c *AgentConfig) { c.HostName = "" },
		"long name":         func(c *AgentConfig) { c.AgentName = strings.Repeat("é", 33) },
		"name not UTF-8":    func(c *AgentConfig) { c.HostName = "\xff" },
		"no relay":          func(c *AgentConfig) { c.RelayURL = "" },
		"relay is no URL":   func(c *AgentConfig) { c.RelayURL = "relay.example.org" },
		"relay has a space": func(c *AgentConfig) { c.RelayURL = "https://relay.example.org/ x" },
		"only a scheme":     func(c *AgentConfig) { c.AppOrigin = "https://" },
		"another scheme":    func(c *AgentConfig) { c.AppOrigin = "javascript:alert(1)" },
		"long URL":          func(c *AgentConfig) { c.RelayURL = "https://" + strings.Repeat("a", MaxURL) },
		"time 0":            func(c *AgentConfig) { c.ExpiresMS = 0 },
		"time over 2^53":    func(c *AgentConfig) { c.ExpiresMS = abcrypto.MaxNumber + 1 },
	} {
		cfg := agentConfig("a")
		change(&cfg)
		if a, err := NewAgentSide(cfg); err == nil || a != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAgentIgnoresNoise(t *testing.T) {
	a := newAgent(t, "a")
	_, msg1 := confirmed(t, a, "phone")
	for name, msg := range map[string][]byte{
		"nothing": nil, "one byte": {typeHello}, "hello 0": {typeHello, 0}, "hello with more": {typeHello, 1, 0},
		"type 0": append([]byte{0}, msg1[1:]...), "type 7": append([]byte{7}, msg1[1:]...),
		"its own bundle": a.bundleMsg, "msg1 without its end": msg1[:len(msg1)-1], "msg1 with more": append(slices.Clone(msg1), 0),
		"a key and nothing": msg1[:33], "half a key": msg1[:20], "too long": append(slices.Clone(msg1), make([]byte, maxMessage)...),
	} {
		reply, event, err := a.Receive(testNow, msg)
		if reply != nil || event.Locked != nil || !errors.Is(err, ErrIgnored) {
			t.Errorf("%s: reply %x, %+v, %v", name, reply, event, err)
		}
	}
	if _, event := a.must(t, msg1); event.Locked == nil {
		t.Error("noise used the code up")
	}
}

func TestAgentIgnoresMsg1WithAnyByteChanged(t *testing.T) {
	a := newAgent(t, "a")
	_, msg1 := confirmed(t, a, "phone")
	for i := range msg1 {
		bad := slices.Clone(msg1)
		bad[i] ^= 1
		if reply, event, err := a.Receive(testNow, bad); reply != nil || event.Locked != nil || !errors.Is(err, ErrIgnored) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	a.must(t, msg1)
	for i := range msg1 { // nor do they abort a locked code
		bad := slices.Clone(msg1)
		bad[i] ^= 1
		if _, _, err := a.Receive(testNow, bad); !errors.Is(err, ErrIgnored) {
			t.Fatalf("byte %d after the lock: %v", i, err)
		}
	}
}

// A hello of a later version learns which one this side speaks.
func TestHelloOfAnotherVersion(t *testing.T) {
	a := newAgent(t, "a")
	reply, _, err := a.Receive(testNow, []byte{typeHello, 2})
	if !errors.Is(err, ErrVersion) || !bytes.Equal(reply, a.bundleMsg) {
		t.Errorf("%v", err)
	}
	if _, msg1 := confirmed(t, a, "phone"); msg1 == nil {
		t.Error("it ended the pairing")
	}
}

func TestSecondDeviceAborts(t *testing.T) {
	p := upToDigits(t, "a")
	second, bundle := newDevice(t, p.agent.Offer(), "thief"), p.bundle
	second.must(t, bundle)
	msg1, err := second.Confirm()
	if err != nil {
		t.Fatal(err)
	}
	stop, event, err := p.agent.Receive(testNow, msg1)
	if !errors.Is(err, ErrTwoDevices) || event.Locked != nil {
		t.Fatalf("%+v, %v", event, err)
	}
	for name, d := range map[string]*DeviceSide{"first": p.device, "second": second} {
		if reason := stopReason(d, stop); reason != StopTwoDevices {
			t.Errorf("the %s device hears %v", name, reason)
		}
	}
	if ok, _, err := p.agent.Digits(p.digits); ok || !errors.Is(err, ErrTwoDevices) {
		t.Errorf("digits after it: %v, %v", ok, err)
	}
	if again, _, err := p.agent.Receive(testNow, p.msg1); !bytes.Equal(again, stop) || !errors.Is(err, ErrTwoDevices) {
		t.Errorf("the first device again: %v", err)
	}
}

// stopReason hands a stop over and returns the reason that the device reads.
func stopReason(d *DeviceSide, stop []byte) Reason {
	_, _, err := d.Receive(stop)
	var stopped ErrStopped
	errors.As(err, &stopped)
	return stopped.Reason
}

// Even between the right digits and Finish, while a paired device is asked.
func TestSecondDeviceAbortsAfterTheDigits(t *testing.T) {
	p := upToDigits(t, "a")
	second := newDevice(t, p.agent.Offer(), "thief")
	if ok, _, _ := p.agent.Digits(p.digits); !ok {
		t.Fatal("right digits are wrong")
	}
	second.must(t, p.bundle)
	msg1, _ := second.Confirm()
	if _, _, err := p.agent.Receive(testExpires+1, msg1); !errors.Is(err, ErrTwoDevices) {
		t.Fatalf("%v", err)
	}
	if msg3, _, err := p.agent.Finish(testNow, nil); msg3 != nil || !errors.Is(err, ErrTwoDevices) {
		t.Errorf("finished: %v", err)
	}
}

func TestExpiredCode(t *testing.T) {
	a := newAgent(t, "a")
	late := newDevice(t, a.Offer(), "late")
	d, msg1 := confirmed(t, a, "phone")
	stop, event, err := a.Receive(testExpires, msg1)
	if event.Locked != nil || !errors.Is(err, ErrExpired) {
		t.Fatalf("%+v, %v", event, err)
	}
	if reason := stopReason(d, stop); reason != StopExpired {
		t.Errorf("the device hears %v", reason)
	}
	if again, _, err := a.Receive(testNow, msg1); !bytes.Equal(again, stop) || !errors.Is(err, ErrExpired) {
		t.Errorf("the clock set back: %v", err)
	}
	// A device that comes later still gets the bundle, so that it can read why.
	bundle, _, err := a.Receive(testExpires, late.Hello())
	if err != nil || late.must(t, bundle).Bundle == nil {
		t.Fatalf("hello after the end: %v", err)
	}
	msg1, _ = late.Confirm()
	if again, _, _ := a.Receive(testExpires, msg1); stopReason(late, again) != StopExpired {
		t.Error("the late device does not hear why")
	}
}

func TestExpiryBetweenLockAndDigits(t *testing.T) {
	p := upToDigits(t, "a")
	if _, _, err := p.agent.Receive(testExpires, p.msg1); !errors.Is(err, ErrExpired) {
		t.Fatalf("%v", err)
	}
	if ok, _, err := p.agent.Digits(p.digits); ok || !errors.Is(err, ErrExpired) {
		t.Errorf("digits: %v, %v", ok, err)
	}
}

// After the right digits a paired device may be asked for a day; the code's end
// does not matter any more.
func TestNoExpiryAfterTheDigits(t *testing.T) {
	p := upToDigits(t, "a")
	p.agent.Digits(p.digits)
	if msg2, _, err := p.agent.Receive(testExpires+1, p.msg1); err != nil || !bytes.Equal(msg2, p.msg2) {
		t.Errorf("%v", err)
	}
	if _, _, err := p.agent.Finish(testExpires+24*3600*1000, nil); err != nil {
		t.Errorf("%v", err)
	}
}

func TestStopSaysWhyAndOnlyOnce(t *testing.T) {
	for reason := StopTwoDevices; reason <= StopVersion; reason++ {
		p := upToDigits(t, "a")
		stop := p.agent.Stop(reason)
		if !bytes.Equal(stop, p.agent.Stop(StopCancelled)) {
			t.Error("a second stop differs")
		}
		if got := stopReason(p.device, stop); got != reason || got.String() == Reason(0).String() {
			t.Errorf("reason %d is read as %d: %s", reason, got, got)
		}
	}
}

func TestRosterTooLong(t *testing.T) {
	p := upToDigits(t, "a")
	p.agent.Digits(p.digits)
	if _, _, err := p.agent.Finish(testNow, make([]byte, MaxRoster+1)); !errors.Is(err, ErrFormat) {
		t.Errorf("%v", err)
	}
	if msg3, _, err := p.agent.Finish(testNow, make([]byte, MaxRoster)); err != nil || p.device.must(t, msg3).Paired == nil {
		t.Errorf("the longest one: %v", err)
	}
}

// Every secret is gone at the end, whatever the end was.
func TestAgentForgets(t *testing.T) {
	finished := upToDigits(t, "a").finish(t).agent
	stopped := upToDigits(t, "b").agent
	stopped.Stop(StopCancelled)
	for name, a := range map[string]*AgentSide{"finished": finished, "stopped": stopped} {
		if a.offer.Secret != [32]byte{} || a.nonceA != [32]byte{} || a.ephemeral != nil || a.lock.x != (exchange{}) ||
			!bytes.Equal(a.keys.stop, make([]byte, 32)) || !bytes.Equal(a.keys.bundle, make([]byte, 32)) {
			t.Errorf("%s: a secret is left", name)
		}
	}
}
