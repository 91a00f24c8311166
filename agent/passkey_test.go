package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"answerback/agent/card"
	"answerback/agent/control"
	peerdevice "answerback/agent/device"
	"answerback/agent/internal/audit"
	"answerback/agent/internal/passkey"
	"answerback/agent/internal/passkey/passkeytest"
	abcrypto "answerback/crypto"
	"answerback/pairing"
)

// withPasskey is how a device that has one answers.
func withPasskey() peerdevice.Reply {
	return peerdevice.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaPasskey}
}

// asserts is a device's way to its passkey.
func asserts(a *passkeytest.Authenticator) func([32]byte) ([]byte, error) {
	return func(challenge [32]byte) ([]byte, error) { return a.Assert(challenge), nil }
}

// pairPasskey pairs a device that registers this passkey and asserts with it.
func (tr *trip) pairPasskey(name string, a *passkeytest.Authenticator) *peerdevice.Device {
	tr.t.Helper()
	d, err := tr.pairWith(name, pairing.Passkey{ID: a.ID, PublicKey: a.PublicKey()}, asserts(a))
	must(tr.t, err)
	return d
}

// pairWith pairs a device that registers one thing and asserts with another. It runs until the test ends.
func (tr *trip) pairWith(name string, k pairing.Passkey, assert func([32]byte) ([]byte, error)) (*peerdevice.Device, error) {
	tr.t.Helper()
	p := tr.beginPairing()
	o := peerdevice.PairOptions{Name: name, Platform: "test", Passkey: k, OnDigits: func(d string) {
		select {
		case p.input <- control.PairInput{Digits: d}:
		case err := <-p.ended:
			p.ended <- err // for p.end
		}
	}}
	s, err := peerdevice.Pair(tr.within(), p.expect(tr.t, "code").Link, o, peerdevice.Options{})
	if err != nil {
		return nil, errors.Join(err, p.end(tr.t))
	}
	d, err := peerdevice.Open(s, peerdevice.Options{Passkey: assert})
	must(tr.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { d.Run(ctx); close(ended) }()
	tr.t.Cleanup(func() { cancel(); <-ended })
	return d, p.end(tr.t)
}

// A destructive call is allowed with the passkey; the log keeps the assertion and the passkey's key, so that whoever
// reads it can check both.
func TestPasskeyAllowsADestructiveCall(t *testing.T) {
	for kind, make := range map[string]func(testing.TB, string) *passkeytest.Authenticator{"Ed25519": passkeytest.New, "P-256": passkeytest.NewP256} {
		t.Run(kind, func(t *testing.T) {
			tr := newTrip(t)
			a := make(t, tr.relay.URL)
			phone := tr.pairPasskey("Pixel 9", a)
			h := tr.ask("rm -rf build")
			v := tr.card(phone, "rm -rf")
			if v.Card.Class != card.Destructive || v.Card.Needs.Via == card.NeedPasskey {
				t.Errorf("the card is %s and needs %s; it is one card for devices with and without a passkey", v.Card.Class, v.Card.Needs.Via)
			}
			if r := tr.answer(phone, v, withPasskey()); r.Outcome != card.Accepted {
				t.Errorf("the receipt says %+v", r)
			}
			if got := h.wait(t); got != allowed {
				t.Errorf("the hook printed %q", got)
			}
			r, paired := tr.expectRecord(audit.Outcome, ""), tr.expectRecord(audit.Paired, "")
			key, err := passkey.Parse([]byte("any"), paired.Passkey, paired.Origin)
			must(t, err)
			if r.Via != "passkey" || key.Verify(abcrypto.UVChallenge(r.Answer), r.Assertion) != nil {
				t.Errorf("the log has via %q and an assertion of %d bytes that proves nothing", r.Via, len(r.Assertion))
			}
		})
	}
}

// What is not the passkey's own word on this very answer, with its user verified, allows no destructive call.
func TestPasskeyRefuses(t *testing.T) {
	other := passkeytest.New(t, "https://relay.example.org")
	for name, c := range map[string]struct {
		change func(a *passkeytest.Authenticator)
		reply  peerdevice.Reply
		reason string
	}{
		"the app alone":         {nil, allow(), "via"},
		"a notification":        {nil, peerdevice.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaNotification}, "via"},
		"no user verification":  {func(a *passkeytest.Authenticator) { a.Flags = passkeytest.UserPresent }, withPasskey(), "passkey"},
		"another relying party": {func(a *passkeytest.Authenticator) { a.Party = "example.org" }, withPasskey(), "passkey"},
		"another origin":        {func(a *passkeytest.Authenticator) { a.Origin += "1" }, withPasskey(), "passkey"},
		"another passkey":       {func(a *passkeytest.Authenticator) { *a = *other }, withPasskey(), "passkey"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTrip(t)
			a := passkeytest.New(t, tr.relay.URL)
			phone := tr.pairPasskey("Pixel 9", a)
			if c.change != nil {
				c.change(a)
			}
			h := tr.ask("rm -rf build", "--wait", "1s")
			if r := tr.answer(phone, tr.card(phone, "rm -rf"), c.reply); r.Outcome != card.Refused || r.Reason != c.reason {
				t.Errorf("the receipt says %s %q, want refused %q", r.Outcome, r.Reason, c.reason)
			}
			if got := h.wait(t); got != "" {
				t.Errorf("the hook printed %q", got)
			}
		})
	}
}

// An assertion that was good for one answer is good for no other.
func TestPasskeyIsBoundToItsAnswer(t *testing.T) {
	tr := newTrip(t)
	a := passkeytest.New(t, tr.relay.URL)
	var first []byte
	d, err := tr.pairWith("Pixel 9", pairing.Passkey{ID: a.ID, PublicKey: a.PublicKey()}, func(challenge [32]byte) ([]byte, error) {
		if first == nil {
			first = a.Assert(challenge)
		}
		return first, nil
	})
	must(t, err)
	h := tr.ask("rm -rf build")
	if r := tr.answer(d, tr.card(d, "rm -rf build"), withPasskey()); r.Outcome != card.Accepted || h.wait(t) != allowed {
		t.Fatalf("the first answer: %+v", r)
	}
	h = tr.ask("rm -rf dist", "--wait", "1s")
	if r := tr.answer(d, tr.card(d, "rm -rf dist"), withPasskey()); r.Outcome != card.Refused || r.Reason != "passkey" {
		t.Errorf("the second answer: %+v", r)
	}
	if got := h.wait(t); got != "" {
		t.Errorf("the hook printed %q", got)
	}
	tr.expectRecord(audit.Refused, passkey.ErrChallenge.Error())
}

// With a passkey, what narrows and what is routine still take one tap; without one, the app is enough for all.
func TestPasskeyIsAskedOnlyWhereItMatters(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pairPasskey("Pixel 9", passkeytest.New(t, tr.relay.URL))
	plain, err := tr.pairWith("tablet", pairing.Passkey{}, asserts(passkeytest.New(t, tr.relay.URL))) // it has one, and never registered it
	must(t, err)
	for _, c := range []struct {
		command string
		by      *peerdevice.Device
		reply   peerdevice.Reply
	}{{"ls 1", phone, allow()}, {"rm -rf 2", phone, deny("")}, {"rm -rf 3", plain, allow()}, {"ls 4", phone, withPasskey()}} {
		h := tr.ask(c.command)
		if r := tr.answer(c.by, tr.card(c.by, c.command), c.reply); r.Outcome != card.Accepted {
			t.Errorf("%s: %+v", c.command, r)
		}
		h.wait(t)
	}
	h := tr.ask("rm -rf 5", "--wait", "1s")
	if r := tr.answer(plain, tr.card(plain, "rm -rf 5"), withPasskey()); r.Outcome != card.Refused || r.Reason != "passkey" {
		t.Errorf("a passkey that was never registered: %+v", r)
	}
	h.wait(t)
}

// The passkey is in the state that every device sees, and is there after a restart.
func TestPasskeySurvivesARestart(t *testing.T) {
	tr := newTrip(t)
	a := passkeytest.New(t, tr.relay.URL)
	phone := tr.pairPasskey("Pixel 9", a)
	tr.stop()
	tr.start()
	h := tr.ask("rm -rf build", "--wait", "3s")
	v := tr.card(phone, "rm -rf")
	if s, err := tr.agent.state(device{}); err != nil || len(s.Devices) != 1 || !s.Devices[0].Passkey {
		t.Errorf("the state says %+v, %v", s.Devices, err)
	}
	if r := tr.answer(phone, v, allow()); r.Reason != "via" {
		t.Errorf("after a restart the app alone: %+v", r)
	}
	h.wait(t)
	h = tr.ask("rm -rf dist")
	if r := tr.answer(phone, tr.card(phone, "rm -rf dist"), withPasskey()); r.Outcome != card.Accepted || h.wait(t) != allowed {
		t.Errorf("after a restart: %+v", r)
	}
}

// A new device needs the passkey of the one that lets it in.
func TestPasskeyOnAdmission(t *testing.T) {
	for name, c := range map[string]struct {
		reply peerdevice.Reply
		joins bool
	}{"with it": {withPasskey(), true}, "by the app alone": {allow(), false}} {
		t.Run(name, func(t *testing.T) {
			tr := newTrip(t)
			phone := tr.pairPasskey("Pixel 9", passkeytest.New(t, tr.relay.URL))
			tr.asReal(phone)
			p := tr.beginPairing()
			digits, ended := tr.scan(p.expect(t, "code").Link, "tablet")
			p.expect(t, "locked")
			p.input <- control.PairInput{Digits: <-digits}
			p.expect(t, "admission")
			v, err := phone.WaitCard(tr.within(), func(v peerdevice.View) bool { return v.Card.Kind == card.KindAdmin })
			must(t, err)
			r := tr.answer(phone, v, c.reply)
			if c.joins {
				must(t, <-ended)
				return
			}
			if r.Outcome != card.Refused || r.Reason != "via" {
				t.Errorf("the receipt says %+v", r)
			}
			p.input <- control.PairInput{Cancel: true}
			if p.end(t) == nil || <-ended == nil {
				t.Error("the tablet was paired without the passkey")
			}
		})
	}
}

// A passkey comes with the pairing or not at all: a later message with one, rightly signed, changes nothing.
func TestNoPasskeyAfterThePairing(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	message, err := abcrypto.SignMessage(phone.State().SignKey, tr.agent.id, phone.State().Device, abcrypto.TypePasskey, 1, []byte(`{"id":"AA","key":"AA"}`))
	must(t, err)
	sealed, err := phone.Raw().Seal(abcrypto.TypePasskey, message.Bytes())
	must(t, err)
	must(t, phone.Raw().Send(tr.within(), sealed))
	h := tr.ask("rm -rf build") // after the message, in order
	if r := tr.answer(phone, tr.card(phone, "rm -rf"), allow()); r.Outcome != card.Accepted || h.wait(t) != allowed {
		t.Errorf("the device answers otherwise since: %+v", r)
	}
	if tr.agent.peerOf(phone.State().Device).device().Passkey != nil {
		t.Error("the device has a passkey now")
	}
	tr.stop()
	if !strings.Contains(tr.log.String(), errNoNewPasskey.Error()) {
		t.Error("the agent did not say why it refused the passkey")
	}
}

// A passkey that the agent could never check ends the pairing; to drop it in silence would leave the person with less than they chose.
func TestPairingWithAPasskeyOfAnotherKind(t *testing.T) {
	tr := newTrip(t)
	rsa := []byte{0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x41, 0x03, 0x21, 0x41, 0x03}
	if _, err := tr.pairWith("Pixel 9", pairing.Passkey{ID: []byte("id"), PublicKey: rsa}, nil); !errors.Is(err, passkey.ErrCredential) {
		t.Errorf("the terminal does not say that this passkey is the trouble: %v", err)
	}
	if n := len(tr.agent.allPeers()); n != 0 {
		t.Errorf("%d devices are there", n)
	}
}

func TestPasskeyRecord(t *testing.T) {
	a, d := passkeytest.NewP256(t, "https://relay.example.org"), sample(t)
	c := a.Credential(t)
	d.Passkey = &c
	good, err := d.marshal()
	must(t, err)
	back, err := unmarshalDevice(d.ID, good)
	must(t, err)
	challenge := [32]byte{1}
	if err := back.confirms()(challenge, a.Assert(challenge)); err != nil {
		t.Errorf("the passkey came back as another: %v", err)
	}
	if sample(t).confirms() != nil {
		t.Error("a device without a passkey has something to check one with")
	}
	for name, change := range map[string]func(m, credential map[string]any){
		"said and gone":      func(m, _ map[string]any) { delete(m, "credential") },
		"there and not said": func(m, _ map[string]any) { m["passkey"] = false },
		"no key":             func(_, c map[string]any) { c["key"] = "" },
		"a key of junk":      func(_, c map[string]any) { c["key"] = "AAAA" },
		"no base64":          func(_, c map[string]any) { c["key"] = "!" },
		"an id of no base64": func(_, c map[string]any) { c["id"] = "!" },
		"no id":              func(_, c map[string]any) { c["id"] = "" },
		"no origin":          func(_, c map[string]any) { c["origin"] = "" },
		"something more":     func(_, c map[string]any) { c["uv"] = false },
	} {
		m := map[string]any{}
		must(t, json.Unmarshal(good, &m))
		change(m, m["credential"].(map[string]any))
		bad, err := json.Marshal(m)
		must(t, err)
		if _, err := unmarshalDevice(d.ID, bad); err == nil {
			t.Errorf("%s: the record was read", name)
		}
	}
}
