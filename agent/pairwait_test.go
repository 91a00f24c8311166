package agent

import (
	"errors"
	"strings"
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	peerdevice "answerback/agent/device"
	abcrypto "answerback/crypto"
	"answerback/pairing"
)

// upToAdmission begins a pairing and brings it to where a paired device is asked.
func (tr *trip) upToAdmission(t *testing.T, phone *peerdevice.Device) (p *pairingTalk, link string, ended chan error, v peerdevice.View) {
	t.Helper()
	tr.asReal(phone)
	p = tr.beginPairing()
	link = p.expect(t, "code").Link
	digits, ended := tr.scan(link, "tablet")
	p.expect(t, "locked")
	p.input <- control.PairInput{Digits: <-digits}
	p.expect(t, "admission")
	v, err := phone.WaitCard(tr.within(), func(v peerdevice.View) bool { return v.Open() && v.Card.Kind == card.KindAdmin })
	must(t, err)
	return p, link, ended, v
}

// B093: the second device is noticed, and ends it all, while a paired device is being asked too.
func TestB093_SecondDeviceDuringAdmission(t *testing.T) {
	tr := newTrip(t)
	p, link, first, _ := tr.upToAdmission(t, tr.pair("Pixel 9"))
	_, second := tr.scan(link, "thief")
	if err := p.end(t); !errors.Is(err, errTwo) {
		t.Errorf("the terminal hears %v", err)
	}
	for name, ended := range map[string]chan error{"first": first, "second": second} {
		var stopped pairing.ErrStopped
		if err := <-ended; !errors.As(err, &stopped) || stopped.Reason != pairing.StopTwoDevices {
			t.Errorf("the %s device ended with %v", name, err)
		}
	}
	if n := len(tr.agent.allPeers()); n != 1 {
		t.Errorf("%d devices are there", n)
	}
}

// The terminal goes while a paired device is asked: the card is withdrawn, and an Allow that comes then admits nobody.
func TestTerminalGoneDuringAdmission(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	p, _, ended, v := tr.upToAdmission(t, phone)
	late, err := phone.Raw().SealAnswer(v.Card.Request, allow())
	must(t, err)
	close(p.input)
	if err := p.end(t); !errors.Is(err, errCancelled) {
		t.Errorf("the pairing ended with %v", err)
	}
	must(t, phone.Raw().Send(tr.within(), late))
	if err := <-ended; err == nil {
		t.Error("the device hears that it was paired")
	}
	tr.expectRecord("refused", "too late")
	if n := len(tr.agent.allPeers()); n != 1 {
		t.Errorf("%d devices are there", n)
	}
	tr.ready(t)
}

// ready holds that another pairing can begin.
func (tr *trip) ready(t *testing.T) {
	t.Helper()
	p := tr.beginPairing()
	p.expect(t, "code")
	p.input <- control.PairInput{Cancel: true}
	if err := p.end(t); !errors.Is(err, errCancelled) {
		t.Errorf("the next pairing ended with %v", err)
	}
}

// How an admission card ended is said as it was: refused by a device, at the terminal, or by nobody in time.
func TestAdmissionSaysHowItEnded(t *testing.T) {
	for _, c := range []struct {
		o    outcome
		says error
	}{
		{outcome{how: answered}, errRefused},
		{outcome{how: denied}, errRefusedHere},
		{outcome{how: released}, errRefusedHere},
		{outcome{how: expired}, errUnasked},
		{outcome{how: withdrawn}, errCancelled},
	} {
		if err := admission(c.o); !errors.Is(err, c.says) {
			t.Errorf("ending %d: %v", c.o.how, err)
		}
		if admission(c.o) == nil {
			t.Errorf("ending %d admits a device", c.o.how)
		}
	}
}

// With the relay away no code comes; the person can give up, and the next pairing is not told that this one still goes on.
func TestGivingUpWhileTheRelayIsAway(t *testing.T) {
	tr := newTrip(t)
	tr.relay.Kill()
	p := tr.beginPairing()
	select {
	case p.input <- control.PairInput{Cancel: true}:
	case <-time.After(3 * time.Second):
		t.Fatal("the person is not heard")
	}
	if err := p.end(t); !errors.Is(err, errCancelled) {
		t.Errorf("the pairing ended with %v", err)
	}
	tr.relay.Restart()
	tr.ready(t)
}

// A code does not outlive its ten minutes by a machine that slept, though the clock that measured them stood still.
func TestCodeEndsByTheWallClock(t *testing.T) {
	tr := newTrip(t)
	p, err := tr.agent.newPairing(talk{say: func(control.PairEvent) {}})
	must(t, err)
	defer p.unlisten()
	p.expires = time.Now().Round(0).Add(-time.Second)
	if right, err := p.digits("123456"); right || !errors.Is(err, errOld) {
		t.Errorf("digits after the end: %v, %v", right, err)
	}
}

// A relay's socket takes so many mailboxes and no more: one device too many would cut all others off.
func TestNoMoreDevicesThanMailboxes(t *testing.T) {
	a := &Agent{peers: map[abcrypto.ID]*peer{}}
	for n := range maxDevices {
		a.peers[abcrypto.ID{byte(n)}] = &peer{}
	}
	if err := a.pairNow(t.Context(), talk{}); err == nil || !strings.Contains(err.Error(), "revoke") {
		t.Errorf("with %d devices: %v", maxDevices, err)
	}
}

// A device that is revoked before it has spoken ends its pairing at once.
func TestRevokedBeforeItHasSpoken(t *testing.T) {
	tr := newTrip(t)
	p := tr.beginPairing()
	digits, ended := tr.scan(p.expect(t, "code").Link, "tablet") // it keeps its keys and never says hello
	p.expect(t, "locked")
	p.input <- control.PairInput{Digits: <-digits}
	must(t, <-ended)
	for _, d := range tr.agent.allPeers() {
		must(t, tr.agent.remove(d.device().ID, "test"))
	}
	if err := p.end(t); err == nil || !strings.Contains(err.Error(), "revoked") {
		t.Errorf("the pairing ended with %v", err)
	}
	if tr.agent.hasDevices() {
		t.Error("it is in the roster")
	}
}
