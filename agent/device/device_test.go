package device_test

import (
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/device"
	abcrypto "answerback/crypto"
)

var allow = device.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaApp}

// waitCard waits for this very card.
func waitCard(t *testing.T, d *device.Device, w card.Written) device.View {
	t.Helper()
	v, err := d.WaitCard(within(t, 10*time.Second), func(v device.View) bool { return v.Card.Request == w.Card.Request })
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAllowOverTheSocket(t *testing.T) {
	_, a, d := setUp(t, device.Options{})
	a.onAnswer = a.accept
	w := a.ask(routine())
	v := waitCard(t, d, w)
	if v.NoAllow != card.Offered || !v.Open() || v.Digest != w.Digest || string(v.Body) != string(w.Body) {
		t.Fatalf("%+v", v)
	}
	r, err := d.Answer(within(t, 10*time.Second), w.Card.Request, allow)
	if err != nil || r.Outcome != card.Accepted {
		t.Fatalf("%+v %v", r, err)
	}
	if v, _ := d.Card(w.Card.Request); v.Open() || v.Decided != abcrypto.Allow || v.Receipt == nil || v.NoAllow != card.Already {
		t.Errorf("%+v", v)
	}
	eventually(t, "seen", func() bool { return a.count(abcrypto.TypeSeen) == 1 })
}
