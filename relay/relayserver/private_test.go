package relayserver_test

import (
	"testing"

	"answerback/relay"
	"answerback/relay/relayserver"
)

const token = "correct horse battery staple"

// private returns dialers for a private relay: without and with the token.
func private(t *testing.T) (device, agent dialer) {
	t.Helper()
	d := plain(t, relayserver.Options{Token: token})
	return d, d.with("Authorization", "Bearer "+token)
}

func TestWrongToken(t *testing.T) {
	d, _ := private(t)
	for _, wrong := range []string{"Bearer wrong", "Bearer " + token + "x", "Bearer", "Basic " + token, token, "Bearer " + token[:5]} {
		d.with("Authorization", wrong).wantRefused(t, 401)
	}
}

func TestPrivateRelayServesNoStranger(t *testing.T) {
	device, agent := private(t)
	stranger := device.dial(t)
	stranger.write(listenFrame("a box of the stranger's"))
	stranger.wantBye(relay.ByeNotAdmitted)
	admits := device.dial(t)
	admits.write(relay.AppendAdmit(nil, boxOf("a box of the stranger's")))
	admits.wantBye(relay.ByeNotAdmitted)
	a := agent.listener(t, "agent")
	device.wantPost(t, "", sendFrame(1, "not admitted", "x"), 409)
	device.wantPost(t, "?wait=5", append(listenFrame("reply"), sendFrame(1, "not admitted", "x")...), 409)
	a.write(sendFrame(1, "not admitted", "the agent itself has to admit it"))
	a.want(relay.AppendUnsent(nil, 1, relay.UnsentNotAdmitted))
}

func TestPrivateRelayServesWhatTheAgentAdmits(t *testing.T) {
	device, agent := private(t)
	a := agent.listener(t, "agent")
	a.write(relay.AppendAdmit(nil, boxOf("device")))
	a.write(relay.AppendAdmit(nil, boxOf("device")))
	a.write(sendFrame(1, "device", "not there yet"))
	a.want(relay.AppendUnsent(nil, 1, relay.UnsentNobody))
	phone := device.listener(t, "device")
	a.write(sendFrame(2, "device", "card"))
	phone.wantMessage("device", "card")
	a.want(relay.AppendSent(nil, 2))
	phone.write(sendFrame(3, "agent", "answer"))
	a.wantMessage("agent", "answer")
	phone.want(relay.AppendSent(nil, 3))
}

// TestPrivateReplyBox: it needs no ADMIT, but lives only as long as its POST.
func TestPrivateReplyBox(t *testing.T) {
	device, agent := private(t)
	a := agent.listener(t, "agent")
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.wantMessage("agent", "answer")
		a.write(sendFrame(1, "reply", "receipt"))
		a.want(relay.AppendSent(nil, 1))
	}()
	if status, body := device.post(t, "?wait=20", append(listenFrame("reply"), sendFrame(9, "agent", "answer")...)); status != 200 || body != "receipt" {
		t.Errorf("%d %q", status, body)
	}
	<-done
	a.write(sendFrame(2, "reply", "late"))
	a.want(relay.AppendUnsent(nil, 2, relay.UnsentNotAdmitted))
}

// TestAdmissionEndsWithItsConnection: when the agent leaves a box, or goes, the
// device's socket stays, but nothing passes.
func TestAdmissionEndsWithItsConnection(t *testing.T) {
	device, agent := private(t)
	a, other := agent.listener(t, "agent"), agent.listener(t, "other agent")
	a.write(relay.AppendAdmit(nil, boxOf("device")))
	a.write(relay.AppendAdmit(nil, boxOf("device 2")))
	a.write(sendFrame(0, "device", "so that ADMIT is through"))
	a.want(relay.AppendUnsent(nil, 0, relay.UnsentNobody))
	phone := device.listener(t, "device", "device 2")
	a.write(relay.AppendLeave(nil, boxOf("device 2")))
	a.write(sendFrame(1, "device 2", "x"))
	a.want(relay.AppendUnsent(nil, 1, relay.UnsentNotAdmitted))
	a.ws.CloseNow()
	for tag := relay.Tag(2); ; tag++ {
		other.write(sendFrame(tag, "device", "x"))
		got, err := other.read(5e9)
		if err != nil {
			t.Fatal(err)
		}
		if _, why, err := relay.ParseUnsent(got); err == nil && why == relay.UnsentNotAdmitted {
			break
		}
		phone.wantMessage("device", "x")
	}
	phone.write(sendFrame(1, "agent", "x"))
	phone.want(relay.AppendUnsent(nil, 1, relay.UnsentNotAdmitted))
}

// TestAdmitOnAPublicRelay is no error: an agent need not know which it is on.
func TestAdmitOnAPublicRelay(t *testing.T) {
	p := plain(t).listener(t, "a")
	p.write(relay.AppendAdmit(nil, boxOf("b")))
	p.write(sendFrame(1, "a", "fine"))
	p.wantMessage("a", "fine")
}

func TestAdmitHasALimit(t *testing.T) {
	_, agent := private(t)
	a := agent.listener(t, "agent")
	for i := range relay.MaxBoxes + 1 {
		a.write(relay.AppendAdmit(nil, relay.Box{byte(i)}))
	}
	a.wantBye(relay.ByeTooMany)
}
