package web

import (
	"bytes"
	"testing"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/relay/relayserver"
	"answerback/test/browser"
)

// Nobody is asked before a tap; the tap subscribes with the relay's key and tells the machine, signed; a reload changes and tells nothing.
func TestPushIsTurnedOnByATap(t *testing.T) {
	r, _ := pushing(t, point(t), "")
	r.state("off")
	r.reload()
	if asked := browser.Eval[int](t, r.p, `asked`); asked != 0 || r.endpoint() != "" {
		t.Errorf("asked %d times before the tap, endpoint %q", asked, r.endpoint())
	}
	r.told(0)
	r.enable("on")
	if asked := browser.Eval[int](t, r.p, `asked`); asked != 1 {
		t.Errorf("the tap asked %d times", asked)
	}
	target := r.told(1)
	if target.Endpoint != r.endpoint() || len(target.P256DH) != 65 || len(target.Auth) != 16 {
		t.Errorf("told of %+v", target)
	}
	r.reload()
	r.state("on")
	r.told(1)
}

// P4: a relay with another key, or a browser that lost the subscription: the next opening makes a new one and tells the machine.
func TestPushIsRepairedAtTheNextOpening(t *testing.T) {
	r, v := pushing(t, point(t), "")
	r.state("off")
	r.enable("on")
	first := r.told(1)
	v.key.Store(point(t))
	r.reload()
	r.state("on")
	second := r.told(2)
	if second.Endpoint == first.Endpoint || second.Endpoint != r.endpoint() {
		t.Errorf("with another key: told of %q after %q", second.Endpoint, first.Endpoint)
	}
	browser.Eval[any](t, r.p, `localStorage.removeItem("subscription")`)
	r.reload()
	if third := r.told(3); third.Endpoint == second.Endpoint {
		t.Errorf("after the loss: told of %q again", third.Endpoint)
	}
	// A browser that refuses is said, and repaired by a tap.
	browser.Eval[any](t, r.p, `(localStorage.removeItem("subscription"), localStorage.setItem("broken", "yes"))`)
	r.reload()
	r.state("repair")
	r.told(3)
	browser.Eval[any](t, r.p, `localStorage.removeItem("broken")`)
	r.enable("on")
	r.told(4)
}

// B059: the machine says that the push service refuses the subscription: a new one is made at the next opening, once.
func TestB059_MachineAsksForARepair(t *testing.T) {
	for _, health := range []string{"repair", ""} {
		r, _ := pushing(t, point(t), "")
		r.state("off")
		r.enable("on")
		first := r.told(1)
		r.do(func() { r.health = &health })
		time.Sleep(10 * time.Second) // a machine may not have heard yet of what it was told
		r.reload()
		second := r.told(2)
		if second.Endpoint == first.Endpoint {
			t.Errorf("%q: told of the same endpoint again", health)
		}
		good := "good"
		r.do(func() { r.health = &good })
		r.reload()
		r.state("on")
		r.told(2)
	}
}

// The browser replaces the subscription while the app is closed: the worker makes the new one and tells the machine.
func TestSubscriptionReplacedByTheBrowser(t *testing.T) {
	key := point(t)
	r, _ := pushing(t, key, "")
	r.state("off")
	if asked := askWorker[string](r, `{renew: "https://push.example.org/unwanted"}`); asked != "" {
		t.Error("it subscribes though pushes are off")
	}
	r.enable("on")
	r.told(1)
	browser.Open(t, r.p, r.relay.URL+"/v1/info")
	if asked := askWorker[string](r, `{renew: "https://push.example.org/renewed"}`); asked != key {
		t.Errorf("it subscribes with %q", asked)
	}
	if target := r.told(2); target.Endpoint != "https://push.example.org/renewed" {
		t.Errorf("told of %q", target.Endpoint)
	}
}

// Turned off: the machine is told that there is nowhere to push to, and it stays so.
func TestPushIsTurnedOff(t *testing.T) {
	r, _ := pushing(t, point(t), "")
	r.state("off")
	r.enable("on")
	r.told(1)
	browser.Eval[any](t, r.p, `core.disablePush()`)
	r.state("off")
	if target := r.told(2); target.Endpoint != "" || len(target.P256DH) != 0 {
		t.Errorf("told of %+v", target)
	}
	r.reload()
	r.state("off")
	r.told(2)
	if r.endpoint() != "" {
		t.Error("the subscription is still there")
	}
}

// Machines share the one subscription. A new one has it with its pairing; when the last is unpaired it ends.
func TestMachinesShareTheSubscription(t *testing.T) {
	r, _ := pushing(t, point(t), "")
	r.state("off")
	r.enable("on")
	first := r.told(1)
	other := newAgent(t, r.relay.URL)
	other.pair(r.p)
	if got := other.locked.Push; got.Endpoint != first.Endpoint || !bytes.Equal(got.P256dh, first.P256DH) || !bytes.Equal(got.Auth, first.Auth) {
		t.Errorf("the pairing carries %+v", got)
	}
	browser.Eval[any](t, r.p, `until(() => core.machines(), (all) => all.length === 2 && all.every((m) => m.online))`)
	other.told(0)
	for range 2 {
		browser.Eval[any](t, r.p, `core.unpair(core.machines()[0].id)`)
		if browser.Eval[int](t, r.p, `until(() => core.machines().length, () => true)`) == 1 && r.endpoint() != first.Endpoint {
			t.Error("with one machine left the subscription is another")
		}
	}
	browser.Eval[any](t, r.p, `until(() => localStorage.getItem("subscription"), (s) => s === null)`)
}

// Where there can be none it is said why, and a tap asks nobody.
func TestPushThatCannotBe(t *testing.T) {
	for want, c := range map[string]struct{ key, more string }{
		"unsupported":   {"", ""},
		"denied":        {point(t), `Object.defineProperty(Notification, "permission", { value: "denied" });`},
		"needs_install": {point(t), `Object.defineProperty(navigator, "userAgent", { value: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Safari/605" });`},
	} {
		r, _ := pushing(t, c.key, c.more)
		r.state(want)
		r.enable(want)
		if asked := browser.Eval[int](t, r.p, `asked`); asked != 0 {
			t.Errorf("%s: asked %d times", want, asked)
		}
		r.told(0)
	}
	r, _ := pushing(t, point(t), `delete window.PushManager;`)
	r.state("unsupported")
}

// B068: a test push counts only when this phone's own word on it has come back to the machine.
func TestB068_TestPush(t *testing.T) {
	r := ring(t, card.LockHide, relayserver.Options{})
	browser.Eval[any](t, r.p, `(globalThis.tested = "", core.testPush(core.machines()[0].id).then(() => tested = "shown", () => tested = "lost"), true)`)
	r.waitOrders(1)
	if tested := browser.Eval[string](t, r.p, `tested`); tested != "" {
		t.Errorf("before the push it is %q", tested)
	}
	p := card.Pointer{Request: card.RequestID{9}, Kind: card.PointTest, Caller: "answerback", Host: "studio", Class: card.Routine, Made: nowMS(), Expires: nowMS() + 60_000}
	r.push(abcrypto.TypePointer, p)
	r.waitSeen(p.Request)
	r.do(func() { r.lastPush = nowMS(); r.greet() })
	browser.Eval[any](t, r.p, `until(() => tested, (s) => s === "shown")`)
}

// waitOrders waits until the device has sent n orders, copies included.
func (a *agent) waitOrders(n int) {
	a.t.Helper()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		a.mu.Lock()
		got := len(a.orders)
		a.mu.Unlock()
		if got >= n {
			return
		}
	}
	a.t.Fatalf("%d orders did not come", n)
}
