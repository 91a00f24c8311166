package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	peerdevice "answerback/agent/device"
	"answerback/agent/internal/audit"
	"answerback/agent/internal/store"
	abcrypto "answerback/crypto"
	"answerback/pairing"
)

// pairingTalk is one running pairing with its terminal in the test's hands.
type pairingTalk struct {
	events chan control.PairEvent
	input  chan control.PairInput
	ended  chan error
}

func (tr *trip) beginPairing() *pairingTalk {
	p := &pairingTalk{events: make(chan control.PairEvent, 16), input: make(chan control.PairInput), ended: make(chan error, 1)}
	go func() {
		p.ended <- tr.agent.pairNow(tr.within(), talk{input: p.input, say: func(e control.PairEvent) { p.events <- e }})
	}()
	return p
}

// expect returns the next event, which must be of this kind.
func (p *pairingTalk) expect(t *testing.T, event string) control.PairEvent {
	t.Helper()
	select {
	case e := <-p.events:
		if e.Event != event {
			t.Fatalf("the terminal hears %+v, want %s", e, event)
		}
		return e
	case err := <-p.ended:
		t.Fatalf("the pairing ended with %v, want %s", err, event)
	case <-time.After(10 * time.Second):
		t.Fatalf("no %s came", event)
	}
	return control.PairEvent{}
}

func (p *pairingTalk) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the pairing does not end")
		return nil
	}
}

// scan is a device that scans the code; its digits and its end come back.
func (tr *trip) scan(link, name string) (digits chan string, ended chan error) {
	digits, ended = make(chan string, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(tr.within())
	tr.t.Cleanup(cancel)
	go func() {
		_, err := peerdevice.Pair(ctx, link, peerdevice.PairOptions{Name: name, OnDigits: func(s string) { digits <- s }}, peerdevice.Options{})
		ended <- err
	}()
	return digits, ended
}

// B093: two devices with one code: nothing is paired, and both the terminal and the first device are told.
func TestB093_TwoDevicesAbort(t *testing.T) {
	tr := newTrip(t)
	p := tr.beginPairing()
	link := p.expect(t, "code").Link
	digits, first := tr.scan(link, "Pixel 9")
	p.expect(t, "locked")
	<-digits
	_, second := tr.scan(link, "thief")
	if err := p.end(t); err == nil || !strings.Contains(err.Error(), "two devices") {
		t.Errorf("the terminal hears %v", err)
	}
	for name, ended := range map[string]chan error{"first": first, "second": second} {
		var stopped pairing.ErrStopped
		if err := <-ended; !errors.As(err, &stopped) || stopped.Reason != pairing.StopTwoDevices {
			t.Errorf("the %s device ended with %v", name, err)
		}
	}
	if tr.agent.hasDevices() {
		t.Error("a device was paired")
	}
}

// B093: wrong digits three times burn the code; junk costs no try.
func TestB093_WrongDigits(t *testing.T) {
	tr := newTrip(t)
	p := tr.beginPairing()
	link := p.expect(t, "code").Link
	p.input <- control.PairInput{Digits: "123456"}
	p.expect(t, "early")
	digits, ended := tr.scan(link, "Pixel 9")
	p.expect(t, "locked")
	wrong := "000000"
	if <-digits == wrong {
		wrong = "000001"
	}
	p.input <- control.PairInput{Digits: "yes"}
	p.expect(t, "not_six")
	for left := 2; left > 0; left-- {
		p.input <- control.PairInput{Digits: wrong}
		if e := p.expect(t, "wrong"); e.Left != left {
			t.Errorf("%d tries left, want %d", e.Left, left)
		}
	}
	p.input <- control.PairInput{Digits: wrong}
	if err := p.end(t); err == nil || !strings.Contains(err.Error(), "three times") {
		t.Errorf("the terminal hears %v", err)
	}
	var stopped pairing.ErrStopped
	if err := <-ended; !errors.As(err, &stopped) || stopped.Reason != pairing.StopWrongDigits {
		t.Errorf("the device ended with %v", err)
	}
}

func TestPairingIsCancelledWithItsTerminal(t *testing.T) {
	tr := newTrip(t)
	p := tr.beginPairing()
	link := p.expect(t, "code").Link
	_, ended := tr.scan(link, "Pixel 9")
	p.expect(t, "locked")
	close(p.input)
	if err := p.end(t); !errors.Is(err, errCancelled) {
		t.Errorf("the pairing ended with %v", err)
	}
	var stopped pairing.ErrStopped
	if err := <-ended; !errors.As(err, &stopped) || stopped.Reason != pairing.StopCancelled {
		t.Errorf("the device ended with %v", err)
	}
}

func TestOnePairingAtATime(t *testing.T) {
	tr := newTrip(t)
	p := tr.beginPairing()
	p.expect(t, "code")
	if err := tr.beginPairing().end(t); err == nil || !strings.Contains(err.Error(), "another pairing") {
		t.Errorf("a second pairing: %v", err)
	}
}

// asReal makes a device of this test, which came through loopback, one that was paired through a real relay.
func (tr *trip) asReal(d *peerdevice.Device) {
	tr.t.Helper()
	p := tr.agent.peerOf(d.State().Device)
	p.mu.Lock()
	p.dev.SameMachine = false
	p.mu.Unlock()
	must(tr.t, tr.agent.store.Update(p.save(p.device())))
	must(tr.t, tr.agent.store.Update(func(b *store.Batch) error { b.SetMeta(everPaired, []byte{1}); return nil }))
}

// Once a real phone is paired, another device needs its Allow, on a card that names the new device.
func TestAdmission(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply peerdevice.Reply
		joins bool
	}{
		{"allowed", allow(), true},
		{"denied", deny(""), false},
		{"an allow from a notification is too weak", peerdevice.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaNotification}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTrip(t)
			phone := tr.pair("Pixel 9")
			tr.asReal(phone)
			p := tr.beginPairing()
			digits, ended := tr.scan(p.expect(t, "code").Link, "tablet")
			p.expect(t, "locked")
			p.input <- control.PairInput{Digits: <-digits}
			if e := p.expect(t, "admission"); len(e.Asked) != 1 || e.Asked[0] != "Pixel 9" {
				t.Errorf("asked are %v", e.Asked)
			}
			v, err := phone.WaitCard(tr.within(), func(v peerdevice.View) bool { return v.Card.Kind == card.KindAdmin })
			must(t, err)
			if v.Card.Admin.Name != "tablet" || v.Card.Admin.Device == (abcrypto.ID{}) {
				t.Errorf("the card names %+v", v.Card.Admin)
			}
			tr.answer(phone, v, c.reply)
			if c.joins {
				must(t, <-ended)
				return
			}
			if c.reply.Decision == abcrypto.Allow { // refused by the agent, so the card still waits
				p.input <- control.PairInput{Cancel: true}
			}
			if p.end(t) == nil {
				t.Error("the terminal hears that it was paired")
			}
			if err := <-ended; err == nil {
				t.Error("the device hears that it was paired")
			}
			if n := len(tr.agent.allPeers()); n != 1 {
				t.Errorf("%d devices are there", n)
			}
		})
	}
}

// With the last device revoked nobody can admit another; the agent does not fall back to trusting whoever comes.
func TestRevokingTheLastDeviceAdmitsNobody(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	tr.asReal(phone)
	must(t, tr.agent.remove(phone.State().Device, "test"))
	p := tr.beginPairing()
	digits, ended := tr.scan(p.expect(t, "code").Link, "tablet")
	p.expect(t, "locked")
	p.input <- control.PairInput{Digits: <-digits}
	p.expect(t, "admission")
	if err := p.end(t); !errors.Is(err, errNobodyAdmits) {
		t.Errorf("the pairing ended with %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("the device hears that it was paired")
	}
}

// B096: a revoked device's answers count no more, open cards included, and nothing is sent to it.
func TestB096_RevokedWhileItsCardIsOpen(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test", "--wait", "2s")
	v := tr.card(phone, "npm test")
	tap, err := phone.Raw().SealAnswer(v.Card.Request, allow())
	must(t, err)
	must(t, tr.agent.remove(phone.State().Device, "test"))
	tr.hearsOfItsEnd(phone)
	_ = phone.Raw().Send(tr.within(), tap) // the relay may say that nobody listens there any more
	if got := h.wait(t); got != "" {
		t.Errorf("a revoked phone allowed: %q", got)
	}
	if tr.agent.hasDevices() {
		t.Error("the device is still there")
	}
	tr.expectRecord(audit.Revoked, "test")
	tr.stop()
	tr.start()
	if tr.agent.hasDevices() {
		t.Error("the device came back with a restart")
	}
}

// hearsOfItsEnd waits until the device's newest state does not name it and holds no call.
func (tr *trip) hearsOfItsEnd(d *peerdevice.Device) {
	tr.t.Helper()
	var s card.State
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		s, _ = d.Agent()
		if !slices.ContainsFunc(s.Devices, func(row card.Device) bool { return row.ID == d.State().Device }) && len(s.Open) == 0 {
			return
		}
	}
	tr.t.Errorf("a device was removed, and its newest state is %+v", s)
}

// The roster survives a restart, and so do its keys.
func TestPairedDeviceSurvivesARestart(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	tr.stop()
	tr.start()
	h := tr.ask("npm test")
	tr.answer(phone, tr.card(phone, "npm test"), allow())
	if got := h.wait(t); got != allowed {
		t.Errorf("the hook printed %q", got)
	}
}

// The first real phone retires the devices of this machine, at the latest at the next start.
func TestRealPhoneRetiresThoseOfThisMachine(t *testing.T) {
	tr := newTrip(t)
	browser := tr.pair("Firefox here")
	phone := tr.pair("Pixel 9")
	tr.asReal(phone)
	tr.stop()
	tr.start()
	if tr.agent.peerOf(browser.State().Device) != nil {
		t.Error("the browser of this machine still answers beside a real phone")
	}
	if tr.agent.peerOf(phone.State().Device) == nil {
		t.Error("the phone is gone")
	}
	tr.expectRecord(audit.Revoked, "retired")
}

// The note that a device was once paired is there with the device's own record, or neither is.
func TestEverPairedIsNotedWithTheDevice(t *testing.T) {
	tr := newTrip(t)
	d := tr.strange(t)
	d.Active, d.SameMachine = false, false
	r, _ := unmarshalRatchet(someChain(d.ID))
	must(t, tr.agent.keepNew(d, r))
	p := tr.agent.addPeer(d, r)
	if need, err := tr.agent.needsAdmission(); need || err != nil {
		t.Fatalf("before the first hello an Allow is needed: %v, %v", need, err)
	}
	must(t, tr.agent.activate(p))
	if need, err := tr.agent.needsAdmission(); !need || err != nil {
		t.Errorf("with a real device paired, the next one needs no Allow: %v, %v", need, err)
	}
	must(t, tr.agent.remove(d.ID, "test"))
	if need, _ := tr.agent.needsAdmission(); !need {
		t.Error("revoking the last device took the need for an Allow back")
	}
}

// A real device whose note is missing, as an older version could leave it, gets it at the start.
func TestEverPairedIsNotedAtTheStart(t *testing.T) {
	tr := newTrip(t)
	d := tr.strange(t)
	d.SameMachine = false
	tr.putChain(d)
	tr.putRecord(d)
	tr.stop()
	tr.start()
	if need, err := tr.agent.needsAdmission(); !need || err != nil {
		t.Errorf("with a real device paired, the next one needs no Allow: %v, %v", need, err)
	}
}
