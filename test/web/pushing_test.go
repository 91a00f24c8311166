package web

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"

	"answerback/agent/card"
	"answerback/relay"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
	"answerback/test/browser"
)

// vapid is a pusher that has a public key, which can change, and pushes nothing.
type vapid struct{ key atomic.Value }

func (v *vapid) PublicKey() string                                     { return v.key.Load().(string) }
func (v *vapid) Push(context.Context, relay.Push) (int, time.Duration) { return 201, 0 }

// point is the public half of a new P-256 key, as browsers and relays write it.
func point(t *testing.T) string {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
}

// noPushService stands in for the browser's half of a subscription, which headless Chromium has none of: it holds one key at a time, gives a
// new endpoint at each subscribing, and keeps that over reloads.
const noPushService = `(() => {
	const bytes = (s) => Uint8Array.from(atob(s.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
	const read = () => JSON.parse(localStorage.getItem("subscription") ?? "null");
	const made = (s) => s && ({ endpoint: s.endpoint, options: { applicationServerKey: bytes(s.key).buffer }, getKey: (name) => bytes(name === "p256dh" ? s.point : "AAAAAAAAAAAAAAAAAAAAAA").buffer,
		unsubscribe: async () => (localStorage.removeItem("subscription"), true) });
	PushManager.prototype.getSubscription = async () => made(read());
	PushManager.prototype.subscribe = async ({ applicationServerKey: key, userVisibleOnly }) => {
		const text = btoa(String.fromCharCode(...key)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""), was = read();
		if (!userVisibleOnly || (was && was.key !== text)) throw new DOMException("another key", "InvalidStateError");
		if (localStorage.getItem("broken")) throw new DOMException("push service error", "AbortError");
		const n = Number(localStorage.getItem("made") ?? 0) + 1;
		localStorage.setItem("made", n);
		localStorage.setItem("subscription", JSON.stringify(was ?? { endpoint: "https://push.example.org/" + n, key: text, point: %q }));
		return made(read());
	};
})()`

// prepare gives the page a browser that can subscribe, and counts how often it asks the person.
func (r *rung) prepare(t *testing.T, more string) {
	t.Helper()
	r.permit(t)
	source := fmt.Sprintf(noPushService, point(t)) + `; globalThis.asked = 0; { const ask = Notification.requestPermission.bind(Notification); Notification.requestPermission = () => (asked++, ask()); }` + more
	if _, err := chromedp.Call(browser.Context(r.p), cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: source}); err != nil {
		t.Fatal(err)
	}
}

// pushing is a paired page that can subscribe, at a relay that has a key, or none.
func pushing(t *testing.T, key, more string) (*rung, *vapid) {
	t.Helper()
	v := &vapid{}
	v.key.Store(key)
	r := &rung{p: chromium.Page(t), relay: relaytest.New(t, relayserver.Options{App: appFS(t), Push: v}), registrations: map[string]serviceworker.RegistrationID{}}
	r.prepare(t, more)
	openCore(t, r.p, r.relay.URL)
	r.agent = newAgent(t, r.relay.URL)
	r.pair(r.p)
	return r, v
}

// state waits until the page is of one mind about pushes.
func (r *rung) state(want string) {
	r.t.Helper()
	browser.Eval[any](r.t, r.p, fmt.Sprintf(`until(() => core.pushState(), (s) => s === %q)`, want))
}

// enable is the tap on the button.
func (r *rung) enable(want string) {
	r.t.Helper()
	if got := browser.Eval[string](r.t, r.p, `core.enablePush()`); got != want {
		r.t.Fatalf("after the tap the state is %q, want %q", got, want)
	}
}

func (r *rung) reload() {
	r.t.Helper()
	openCore(r.t, r.p, r.relay.URL)
	browser.Eval[any](r.t, r.p, `until(() => core.machines(), (all) => all.every((m) => m.online))`)
}

// told waits until the machine was told of n push targets, and holds that they are no more.
func (a *agent) told(n int) card.Push {
	a.t.Helper()
	count := func() int { a.mu.Lock(); defer a.mu.Unlock(); return len(a.targets) }
	for end := time.Now().Add(20 * time.Second); count() < n && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.targets) != n {
		a.t.Fatalf("the machine was told of %d targets, want %d: %+v", len(a.targets), n, a.targets)
	}
	if n == 0 {
		return card.Push{}
	}
	return a.targets[n-1]
}

// endpoint is where the page's browser is pushed to.
func (r *rung) endpoint() string {
	r.t.Helper()
	return browser.Eval[string](r.t, r.p, `navigator.serviceWorker.ready.then((r) => r.pushManager.getSubscription()).then((s) => s?.endpoint ?? "")`)
}
