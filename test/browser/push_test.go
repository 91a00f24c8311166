package browser_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	abcrypto "answerback/crypto"
	"answerback/relay"
	"answerback/relay/webpush"
	"answerback/test/browser"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("browser: -short leaves real browsers to: make test")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// worker is a service worker that shows what is pushed and tells what is pressed.
const worker = `
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (e) => e.waitUntil(clients.claim()));
self.addEventListener("push", (e) => {
  const text = e.data ? e.data.text() : "";
  e.waitUntil(self.registration.showNotification(text, { body: "is waiting", tag: text, actions: [{ action: "deny", title: "Deny" }, { action: "allow", title: "Allow" }] }));
});
self.addEventListener("notificationclick", (e) => {
  e.waitUntil(fetch("/told", { method: "POST", body: [e.notification.title, e.action, e.isTrusted].join(" ") }));
});
self.addEventListener("notificationclose", (e) => {
  e.waitUntil(fetch("/told", { method: "POST", body: e.notification.title + " closed" }));
});
`

const subscribe = `(async () => {
  const r = await navigator.serviceWorker.register("/sw.js");
  await navigator.serviceWorker.ready;
  const s = await r.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: %q });
  const key = (name) => btoa(String.fromCharCode(...new Uint8Array(s.getKey(name))));
  return { endpoint: s.endpoint, p256dh: key("p256dh"), auth: key("auth") };
})()`

type subscription struct {
	Endpoint     string `json:"endpoint"`
	P256dh, Auth []byte
}

// desk is a Firefox with a push server and a desktop, and a page that subscribed.
type desk struct {
	push    *browser.Autopush
	desktop *browser.Notifyd
	page    browser.Page
	sender  *webpush.Sender
	sub     subscription
	told    chan string
}

func newSender(t *testing.T, host string) *webpush.Sender {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := webpush.New(webpush.Options{Key: key, Subject: "mailto:you@example.com", Hosts: []string{host}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{push: browser.NewAutopush(t), desktop: browser.NewNotifyd(t), told: make(chan string, 8)}
	d.sender = newSender(t, d.push.Host())
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/sw.js":
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, worker)
		case "/told":
			body, _ := io.ReadAll(r.Body)
			d.told <- string(body)
		default:
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<!doctype html><title>push</title>")
		}
	}))
	t.Cleanup(site.Close)
	f := browser.NewFirefoxWith(t, browser.FirefoxOptions{Prefs: d.push.Prefs(), Env: d.desktop.Env(), On: browser.NewDisplay(t)})
	d.page = f.Page(t)
	browser.Open(t, d.page, strings.Replace(site.URL, "127.0.0.1", "localhost", 1))
	d.sub = d.subscribe(t)
	return d
}

func (d *desk) subscribe(t *testing.T) subscription {
	t.Helper()
	raw := browser.Eval[map[string]string](t, d.page, fmt.Sprintf(subscribe, d.sender.PublicKey()))
	decode := func(name string) []byte {
		b, err := base64.StdEncoding.DecodeString(raw[name])
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return subscription{Endpoint: raw["endpoint"], P256dh: decode("p256dh"), Auth: decode("auth")}
}

// body encrypts a text for the page.
func (d *desk) body(t *testing.T, text string) []byte {
	t.Helper()
	b, err := abcrypto.SealPush(d.sub.P256dh, d.sub.Auth, []byte(text), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (d *desk) send(t *testing.T, s *webpush.Sender, topic byte, body []byte, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	p := relay.Push{TTL: 60, Urgency: relay.UrgencyHigh, Topic: relay.Topic{topic}, Endpoint: d.sub.Endpoint, Body: body}
	if status, _ := s.Push(ctx, p); status != want {
		t.Fatalf("the push server answers %d, not %d", status, want)
	}
}

// hears waits for what the service worker tells, in any order: its events run at once.
func (d *desk) hears(t *testing.T, want ...string) {
	t.Helper()
	for range want {
		select {
		case got := <-d.told:
			i := slices.Index(want, got)
			if i < 0 {
				t.Fatalf("the service worker tells %.60q, not %.60q", got, want)
			}
			want[i] = ""
		case <-time.After(30 * time.Second):
			t.Fatalf("the service worker does not tell %.60q", want)
		}
	}
}

// TestFirefoxIsPushedTo: a real browser takes what our sender and our RFC 8291 make, shows it, and hears the buttons.
func TestFirefoxIsPushedTo(t *testing.T) {
	d := newDesk(t)
	d.send(t, d.sender, 1, d.body(t, "rm -rf build"), 201)
	n := d.desktop.Next()
	if ack := d.push.WaitAck(); ack.Code != 100 {
		t.Errorf("acknowledged with %+v", ack)
	}
	if n.Title != "rm -rf build" || !strings.Contains(n.Body, "is waiting") || fmt.Sprint(n.Labels()) != "[Deny Allow]" {
		t.Errorf("on the screen: %+v", n)
	}
	d.desktop.Press(n, "Allow")
	d.hears(t, "rm -rf build allow true", "rm -rf build closed")
	d.desktop.WaitClosed(n.ID)

	longest := strings.Repeat("x", abcrypto.MaxPush)
	d.send(t, d.sender, 2, d.body(t, longest), 201)
	n = d.desktop.Next()
	d.desktop.Click(n)
	d.hears(t, longest+"  true", longest+" closed")
	d.push.WaitAck()

	d.send(t, d.sender, 3, d.body(t, "swept away"), 201)
	d.desktop.Dismiss(d.desktop.Next())
	d.hears(t, "swept away closed")
	d.push.WaitAck()
	if open := d.desktop.Open(); len(open) != 0 {
		t.Errorf("left on the screen: %+v", open)
	}

	bad := d.body(t, "changed on the way")
	bad[len(bad)-1] ^= 1
	d.send(t, d.sender, 4, bad, 201)
	if ack := d.push.WaitAck(); ack.Code != 101 {
		t.Errorf("a changed push is acknowledged with %+v", ack)
	}
}

// TestPushServerIsStrict: it refuses what the real one refuses, keeps the newest of a topic for a browser that is away, and forgets.
func TestPushServerIsStrict(t *testing.T) {
	d := newDesk(t)
	d.send(t, newSender(t, d.push.Host()), 1, d.body(t, "another key"), 401)
	d.push.Fail(&browser.Answer{Status: 429, RetryAfter: "7"})
	d.send(t, d.sender, 1, d.body(t, "too much"), 429)
	d.push.Fail(nil)
	for name, header := range map[string]http.Header{"no TTL": {"Content-Encoding": {"aes128gcm"}}, "no encoding": {"Ttl": {"60"}}} {
		req, err := http.NewRequest(http.MethodPost, d.sub.Endpoint, bytes.NewReader([]byte("x")))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = header
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 400 {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
	}
	d.push.Disconnect()
	d.send(t, d.sender, 1, d.body(t, "the card"), 201)
	d.send(t, d.sender, 1, d.body(t, "was answered"), 201)
	if n := d.desktop.Next(); n.Title != "was answered" {
		t.Errorf("the browser comes back to %q", n.Title)
	}
	d.push.Forget()
	d.send(t, d.sender, 1, d.body(t, "nobody"), 410)
	statuses := []int{}
	for _, p := range d.push.Pushes() {
		statuses = append(statuses, p.Status)
	}
	if got := fmt.Sprint(statuses); got != "[401 429 400 400 201 201 410]" {
		t.Errorf("it answered %s", got)
	}
}
