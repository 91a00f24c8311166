package web

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/relay"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
	"answerback/relay/webpush"
	"answerback/test/browser"
)

// desk is a real Firefox with a push service and a desktop of the test's own. It runs the app's own service worker, as it ships.
type desk struct {
	p       browser.Page
	push    *browser.Autopush
	desktop *browser.Notifyd
	sender  *webpush.Sender
	relay   *relaytest.Relay
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{push: browser.NewAutopush(t), desktop: browser.NewNotifyd(t)}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err == nil {
		d.sender, err = webpush.New(webpush.Options{Key: key, Subject: "mailto:you@example.com", Hosts: []string{d.push.Host()}})
	}
	if err != nil {
		t.Fatal(err)
	}
	d.relay = relaytest.New(t, relayserver.Options{App: withWorker(t), Push: d.sender})
	d.p = browser.NewFirefoxWith(t, browser.FirefoxOptions{Prefs: d.push.Prefs(), Env: d.desktop.Env(), On: browser.NewDisplay(t)}).Page(t)
	openCore(t, d.p, d.relay.URL)
	return d
}

// withWorker is the core's test page with the worker, and all that the worker keeps, of the built app.
func withWorker(t *testing.T) fs.FS {
	t.Helper()
	files := appFS(t).(fstest.MapFS)
	err := fs.WalkDir(os.DirFS(app), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || name == "index.html" {
			return err
		}
		body, err := fs.ReadFile(os.DirFS(app), name)
		files[name] = &fstest.MapFile{Data: body}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// ready turns pushes on, and leaves the app when the machine has been told where they go.
func (d *desk) ready(t *testing.T, lock card.LockScreen) {
	t.Helper()
	browser.Eval[any](t, d.p, `navigator.serviceWorker.ready.then(() => until(() => core.pushState(), (s) => s === "off"))`)
	if state := browser.Eval[string](t, d.p, `core.enablePush()`); state != "on" {
		t.Fatalf("after the tap the state is %q", state)
	}
	browser.Eval[any](t, d.p, fmt.Sprintf(`until(() => core.machines()[0]?.lockScreen, (l) => l === %q)`, lock))
}

// away leaves the app: only its worker is there.
func (d *desk) away(t *testing.T) {
	t.Helper()
	browser.Open(t, d.p, d.relay.URL+"/v1/info")
}

// The lock screen for real: Firefox subscribes, a push that only its keys open comes through a push service, Allow is pressed on the desktop,
// and what the machine gets is this very card's Allow, signed by the phone, given on a notification.
func TestLockScreenInFirefox(t *testing.T) {
	d := newDesk(t)
	a := newAgent(t, d.relay.URL)
	a.lock, a.outcome = card.LockAnswer, card.Accepted
	a.pair(d.p)
	d.ready(t, card.LockAnswer)
	target := a.told(1)
	d.away(t)
	ring := func(w card.Written) browser.Notification {
		t.Helper()
		body, err := abcrypto.SealPush(target.P256DH, target.Auth, a.payload(abcrypto.TypeCard, w.Body), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if len(body) != 2712 && len(body) > relay.MaxPushBody {
			t.Errorf("the push has %d bytes", len(body))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if status, _ := d.sender.Push(ctx, relay.Push{TTL: 60, Urgency: relay.UrgencyHigh, Endpoint: target.Endpoint, Body: body}); status != 201 {
			t.Fatalf("the push service answers %d", status)
		}
		n := d.desktop.Next()
		if ack := d.push.WaitAck(); ack.Code != 100 {
			t.Errorf("Firefox says %d", ack.Code)
		}
		return n
	}

	w := a.write(settle, time.Minute, nil)
	n := ring(w)
	if n.Title != "Claude Code on studio: command" || !strings.Contains(n.Body, "go test ./... -run TestSettle -count=1\n") || fmt.Sprint(n.Labels()) != "[Deny Allow]" {
		t.Fatalf("on the desktop: %+v", n)
	}
	a.waitSeen(w.Card.Request)
	d.desktop.Press(n, "Allow")
	d.until(t, "Allowed. Accepted by studio.")
	got := a.waitAnswers(1)[0]
	if _, err := card.VerifyAnswer(w.Asked(a.paired.Agent), card.Answerer{Device: a.paired.Device, Key: a.paired.DeviceKey, Role: card.Approver}, got.Bytes()); err != nil {
		t.Error(err)
	}
	if got.Answer.Decision != abcrypto.Allow || got.Answer.Via != abcrypto.ViaNotification {
		t.Errorf("decision %d by way %d", got.Answer.Decision, got.Answer.Via)
	}

	// A destructive one has no Allow there, and Deny is one press.
	w = a.write(`{"command":"rm -rf build"}`, time.Minute, class(card.Destructive, card.NeedApp))
	n = ring(w)
	if n.Title != "Claude Code on studio: command, destructive" || fmt.Sprint(n.Labels()) != "[Deny Open]" {
		t.Fatalf("on the desktop: %+v", n)
	}
	d.desktop.Press(n, "Deny")
	d.until(t, "Denied. Accepted by studio.")
	if last := a.waitAnswers(2)[1]; last.Answer.Decision != abcrypto.Deny || last.Answer.Request != [16]byte(w.Card.Request) {
		t.Errorf("decision %d", last.Answer.Decision)
	}

	// The relay is gone at the press.
	w = a.write(`{"command":"make"}`, time.Minute, nil)
	n = ring(w)
	d.relay.Kill()
	d.desktop.Press(n, "Allow")
	d.until(t, "Not delivered. Open to try again.")
	d.relay.Restart()
	openCore(t, d.p, d.relay.URL)
	browser.Eval[any](t, d.p, untilAt("receipt", w))
	if last := a.waitAnswers(3)[2]; last.Answer.Request != [16]byte(w.Card.Request) || last.Answer.Via != abcrypto.ViaNotification {
		t.Errorf("after the relay was back: %+v", last.Answer)
	}

	// A click on the notification itself, with the app closed, opens the app, which asks for what waits.
	d.away(t)
	time.Sleep(200 * time.Millisecond)
	hellos := 0
	a.do(func() { hellos = a.hellos })
	w = a.write(`{"command":"ls"}`, time.Minute, nil)
	d.desktop.Click(ring(w))
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		more := false
		a.do(func() { more = a.hellos > hellos })
		if more {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no window of the app was opened")
		}
	}
}

// until waits until a notification with this title comes up.
func (d *desk) until(t *testing.T, title string) browser.Notification {
	t.Helper()
	var titles []string
	for range 8 {
		n := d.desktop.Next()
		if n.Title == title {
			return n
		}
		titles = append(titles, n.Title)
		t.Logf("on the desktop: %q %q", n.Title, n.Labels())
	}
	t.Fatalf("no notification %q, but %q", title, titles)
	return browser.Notification{}
}

// The whole trip with the product's own parts: a tool's hook asks, the machine rings, Firefox shows it with the app closed, Allow is pressed,
// the hook prints it; then a Deny.
func TestHookToLockScreenAndBack(t *testing.T) {
	d := newDesk(t)
	m := startMachine(t, d.relay.URL)
	m.pair(d.p)
	browser.Eval[any](t, d.p, `until(() => core.machines(), (m) => m[0]?.online)`)
	browser.Eval[any](t, d.p, `core.setLockScreen(core.machines()[0].id, "answer")`)
	d.ready(t, card.LockAnswer)
	browser.Eval[any](t, d.p, `core.testPush(core.machines()[0].id)`)
	if n := d.desktop.Next(); n.Title != "Notifications reach this phone" {
		t.Fatalf("the test is %+v", n)
	}
	d.away(t)
	printed := m.callTool("Bash", "git status --short")
	n := d.until(t, "my-tool on studio: command")
	if fmt.Sprint(n.Labels()) != "[Deny Allow]" {
		t.Fatalf("on the desktop: %+v", n)
	}
	d.desktop.Press(n, "Allow")
	waitPrinted(t, printed, `0 {"decision":"allow"}`)
	d.until(t, "Allowed. Accepted by studio.")

	printed = m.callTool("Bash", "git diff")
	d.desktop.Press(d.until(t, "my-tool on studio: command"), "Deny")
	waitPrinted(t, printed, `0 {"decision":"deny"`)
	d.until(t, "Denied. Accepted by studio.")
}

func waitPrinted(t *testing.T, printed <-chan string, want string) {
	t.Helper()
	select {
	case got := <-printed:
		if !strings.HasPrefix(got, want) {
			t.Errorf("the hook printed %q", got)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the hook waits in vain")
	}
}
