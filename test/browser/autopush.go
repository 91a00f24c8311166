package browser

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Autopush stands in for Mozilla's push server (https://mozilla-push-service.readthedocs.io/), so that a real Firefox subscribes and is
// pushed to without the internet. The browser keeps a WebSocket to it; senders POST to the endpoints that it hands out (RFC 8030), with
// the signature of the key that the browser subscribed with (RFC 8292). It is as strict as the real one, and it keeps a push for a
// browser that is away.
type Autopush struct {
	t    testing.TB
	base string // http://localhost:PORT

	mu       sync.Mutex
	channels map[string]*channel // by token, the end of an endpoint
	browsers map[string]*websocket.Conn
	got      []Pushed
	acks     []Ack
	next     *Answer
	serial   int
	change   chan struct{}
}

// channel is one subscription.
type channel struct {
	id, browser, key string
	waiting          []stored
}

// stored is a push for a browser that is away.
type stored struct {
	topic string
	ends  time.Time
	frame map[string]any
}

// Pushed is one POST to an endpoint.
type Pushed struct {
	Path   string
	Header http.Header
	Size   int
	Status int // what it was answered with
}

// Ack is the browser's word on a push: 100 the page has it, 101 it did not decrypt, 102 the service worker failed.
type Ack struct {
	Version string `json:"version"`
	Code    int    `json:"code"`
}

// Answer is what a push is answered with in place of being delivered.
type Answer struct {
	Status     int
	RetryAfter string
}

var b64url = base64.RawURLEncoding

// NewAutopush runs a push server on loopback for the time of the test.
func NewAutopush(t testing.TB) *Autopush {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("browser: start a push server: %v", err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	a := &Autopush{t: t, base: "http://localhost:" + port, channels: map[string]*channel{}, browsers: map[string]*websocket.Conn{}, change: make(chan struct{})}
	srv := &http.Server{Handler: a}
	go srv.Serve(l)
	t.Cleanup(func() { srv.Close(); a.Disconnect() })
	return a
}

// Host is "localhost:PORT", as a relay is told of a push service.
func (a *Autopush) Host() string { return strings.TrimPrefix(a.base, "http://") }

// Prefs make a Firefox use this server, and let pages notify without asking.
func (a *Autopush) Prefs() map[string]any {
	return map[string]any{
		"dom.push.enabled": true, "dom.push.connection.enabled": true, "dom.push.serverURL": "ws://" + a.Host() + "/",
		"dom.push.testing.allowInsecureServerURL": true, "dom.push.retryBaseInterval": 100,
		"permissions.default.desktop-notification": 1, "alerts.useSystemBackend": true,
	}
}

// Pushes are all that senders posted so far.
func (a *Autopush) Pushes() []Pushed {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.got)
}

// WaitAck waits for the browser's next word on a push, or fails the test.
func (a *Autopush) WaitAck() Ack {
	a.t.Helper()
	end := time.NewTimer(notifyWait)
	defer end.Stop()
	for {
		a.mu.Lock()
		if len(a.acks) > 0 {
			ack := a.acks[0]
			a.acks = a.acks[1:]
			a.mu.Unlock()
			return ack
		}
		change := a.change
		a.mu.Unlock()
		select {
		case <-change:
		case <-end.C:
			a.t.Fatal("browser: Firefox acknowledges no push")
		}
	}
}

// Fail answers all pushes from now on with a status, and delivers none. Nil ends it.
func (a *Autopush) Fail(with *Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next = with
}

// Forget drops all subscriptions, as a push service does in the end: their endpoints are gone (410).
func (a *Autopush) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.channels)
}

// Disconnect cuts the browsers off; they come back by themselves.
func (a *Autopush) Disconnect() {
	a.mu.Lock()
	open := a.browsers
	a.browsers = map[string]*websocket.Conn{}
	a.mu.Unlock()
	for _, c := range open {
		c.CloseNow()
	}
}

// ServeHTTP takes both sides.
func (a *Autopush) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		a.servePush(w, r)
		return
	}
	a.serveBrowser(w, r)
}

// endpoints are where the real server has them.
const endpoints = "/wpush/v2/"

const maxPushBody = 4096

func (a *Autopush) servePush(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxPushBody+1))
	answer := Answer{Status: http.StatusBadRequest}
	if err == nil {
		answer = a.take(r, body)
	}
	a.mu.Lock()
	a.got = append(a.got, Pushed{Path: r.URL.Path, Header: r.Header, Size: len(body), Status: answer.Status})
	a.mu.Unlock()
	if answer.RetryAfter != "" {
		w.Header().Set("Retry-After", answer.RetryAfter)
	}
	if answer.Status == http.StatusCreated {
		w.Header().Set("Location", a.base+"/m/"+rand.Text())
		w.Header().Set("TTL", r.Header.Get("TTL"))
	}
	w.WriteHeader(answer.Status)
	io.WriteString(w, "{}")
}

// take checks a push as the real server does, and delivers it or keeps it.
func (a *Autopush) take(r *http.Request, body []byte) Answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	ttl, err := strconv.ParseUint(r.Header.Get("TTL"), 10, 31)
	c := a.channels[strings.TrimPrefix(r.URL.Path, endpoints)]
	switch {
	case a.next != nil:
		return *a.next
	case c == nil:
		return Answer{Status: http.StatusGone}
	case len(body) > maxPushBody:
		return Answer{Status: http.StatusRequestEntityTooLarge}
	case err != nil || r.Header.Get("Content-Encoding") != "aes128gcm" || len(r.Header.Get("Topic")) > 32:
		return Answer{Status: http.StatusBadRequest}
	case c.key != "" && !signedBy(r.Header.Get("Authorization"), c.key, a.base, time.Now()):
		return Answer{Status: http.StatusUnauthorized}
	}
	a.serial++
	a.deliver(c, stored{topic: r.Header.Get("Topic"), ends: time.Now().Add(time.Duration(ttl) * time.Second), frame: map[string]any{
		"messageType": "notification", "channelID": c.id, "version": "v" + strconv.Itoa(a.serial), "ttl": ttl,
		"data": b64url.EncodeToString(body), "headers": map[string]string{"encoding": "aes128gcm"},
	}})
	return Answer{Status: http.StatusCreated}
}

// deliver sends a push to its browser, or keeps it in the place of one with the same topic. The caller holds the lock.
func (a *Autopush) deliver(c *channel, s stored) {
	if conn := a.browsers[c.browser]; conn != nil && writeJSON(conn, s.frame) == nil {
		return
	}
	c.waiting = append(slices.DeleteFunc(c.waiting, func(old stored) bool { return s.topic != "" && old.topic == s.topic }), s)
}

// backlog sends what was kept for a browser that is back. The caller holds the lock.
func (a *Autopush) backlog(browser string) {
	for _, c := range a.channels {
		if c.browser != browser {
			continue
		}
		waiting := c.waiting
		c.waiting = nil
		for _, s := range waiting {
			if time.Now().Before(s.ends) {
				a.deliver(c, s)
			}
		}
	}
}

// changed wakes whoever waits. The caller holds the lock.
func (a *Autopush) changed() {
	close(a.change)
	a.change = make(chan struct{})
}

func writeJSON(conn *websocket.Conn, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	ctx, cancel := timeout()
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, b)
}
