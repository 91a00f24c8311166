package webpush_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayclient"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
	"answerback/relay/webpush"
)

// syncBuffer is a log that many goroutines write.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// agentOf connects an agent's side to a relay and listens on a box.
func agentOf(t *testing.T, url string) *relayclient.Client {
	t.Helper()
	c := relayclient.New(relayclient.Options{URL: url})
	ended := make(chan struct{})
	go func() { defer close(ended); c.Run(t.Context()) }()
	t.Cleanup(func() { <-ended })
	r, w := [32]byte{1}, [32]byte{2}
	c.Listen(r, w, func([]byte) {})
	if err := c.WaitListening(t.Context(), r, w); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPushThroughARelay: a frame on an agent's socket becomes a signed request
// at the push service, and its status comes back; a relay in between tells its
// log nothing of it.
func TestPushThroughARelay(t *testing.T) {
	got := make(chan *http.Request, 1)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		got <- r
		if strings.HasPrefix(r.URL.Path, "/busy/") {
			w.Header().Set("Retry-After", "17")
			w.WriteHeader(429)
			return
		}
		w.WriteHeader(201)
	}))
	t.Cleanup(service.Close)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var out syncBuffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	sender, err := webpush.New(webpush.Options{Key: key, Hosts: []string{strings.TrimPrefix(service.URL, "http://")}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	url := relaytest.Start(t, relayserver.Options{Push: sender, Log: log})
	if info := infoOf(t, url); info.VAPID != sender.PublicKey() {
		t.Errorf("the relay tells the key %q", info.VAPID)
	}
	c := agentOf(t, url)
	push := relay.Push{TTL: 120, Urgency: relay.UrgencyHigh, Topic: relay.Topic{7}, Endpoint: service.URL + "/push/secret-path", Body: []byte("sealed \x00 body")}
	status, after, err := c.Push(t.Context(), push)
	if err != nil || status != 201 || after != 0 {
		t.Fatal(status, after, err)
	}
	r := <-got
	body, _ := io.ReadAll(r.Body)
	if r.URL.Path != "/push/secret-path" || string(body) != "sealed \x00 body" || r.Header.Get("TTL") != "120" || r.Header.Get("Urgency") != "high" || !strings.HasSuffix(r.Header.Get("Authorization"), ", k="+sender.PublicKey()) {
		t.Errorf("%s %q %v", r.URL, body, r.Header)
	}
	for path, want := range map[string]struct {
		status int
		after  time.Duration
	}{service.URL + "/busy/secret-path": {429, 17 * time.Second}, "https://push.evil.example/secret-path": {421, 0}, "https://web.push.apple.com/secret-path": {501, 0}} {
		push.Endpoint = path
		if status, after, err := c.Push(t.Context(), push); err != nil || status != want.status || after != want.after {
			t.Errorf("%s: %d, %v, %v", path, status, after, err)
		}
	}
	for _, secret := range []string{"secret-path", "sealed", "vapid t="} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("the log holds %q:\n%s", secret, out.String())
		}
	}
	if !strings.Contains(out.String(), "push.evil.example") {
		t.Errorf("the log does not name the host that is not on the list:\n%s", out.String())
	}
}

func infoOf(t *testing.T, url string) relayserver.Info {
	t.Helper()
	resp, err := http.Get(url + "/v1/info")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var info relayserver.Info
	if err := json.NewDecoder(resp.Body).Decode(&info); err != nil {
		t.Fatal(err)
	}
	return info
}
