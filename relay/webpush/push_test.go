package webpush

import (
	"bytes"
	"context"
	"crypto/x509"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"answerback/relay"
)

// received is what a push service got.
type received struct {
	path   string
	header http.Header
	body   []byte
}

// fake is a push service: it answers as told and keeps what it was sent.
type fake struct {
	*httptest.Server
	mu     sync.Mutex
	got    []received
	answer func(w http.ResponseWriter)
}

func newFake(t *testing.T, status int) *fake {
	t.Helper()
	f := &fake{answer: func(w http.ResponseWriter) { w.WriteHeader(status) }}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	f.got = append(f.got, received{r.Method + " " + r.URL.String(), r.Header, body})
	f.mu.Unlock()
	f.answer(w)
}

func (f *fake) requests() []received {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]received(nil), f.got...)
}

func (f *fake) host() string { return strings.TrimPrefix(f.URL, "http://") }

func newSender(t *testing.T, o Options) *Sender {
	t.Helper()
	if o.Key == nil {
		o.Key = newKey(t)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.http.CloseIdleConnections)
	return s
}

func aPush(endpoint string) relay.Push {
	return relay.Push{TTL: 120, Urgency: relay.UrgencyHigh, Topic: relay.Topic{1, 2, 3}, Endpoint: endpoint, Body: []byte("sealed body")}
}

// TestB061_HeadersOfAPush: without Urgency high a card came minutes late.
func TestB061_HeadersOfAPush(t *testing.T) {
	f := newFake(t, 201)
	s := newSender(t, Options{Subject: "mailto:you@example.com", Hosts: []string{f.host()}})
	if status, after := s.Push(t.Context(), aPush(f.URL+"/push/secret-path?x=%2f")); status != 201 || after != 0 {
		t.Fatal(status, after)
	}
	got := f.requests()
	if len(got) != 1 || got[0].path != "POST /push/secret-path?x=%2f" || string(got[0].body) != "sealed body" {
		t.Fatalf("%+v", got)
	}
	for name, want := range map[string]string{"TTL": "120", "Urgency": "high", "Topic": "AQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "Content-Encoding": "aes128gcm",
		"Content-Type": "application/octet-stream", "X-WNS-Cache-Policy": "", "X-Idempotency-Key": "", "Cookie": "", "Referer": ""} {
		if is := got[0].header.Get(name); is != want {
			t.Errorf("%s: %q, want %q", name, is, want)
		}
	}
	c, key := verify(t, got[0].header.Get("Authorization"))
	if c.Audience != f.URL || c.Subject != "mailto:you@example.com" || key != s.PublicKey() {
		t.Errorf("%+v, key %s", c, key)
	}
}

func TestPushWithoutTopic(t *testing.T) {
	f := newFake(t, 201)
	s := newSender(t, Options{Hosts: []string{f.host()}})
	p := aPush(f.URL + "/push/x")
	p.Topic, p.Urgency, p.TTL = relay.Topic{}, relay.UrgencyNormal, 0
	s.Push(t.Context(), p)
	h := f.requests()[0].header
	if _, ok := h["Topic"]; ok || h.Get("Urgency") != "normal" || h.Get("TTL") != "0" {
		t.Errorf("%v", h)
	}
}

// TestB059_StatusOfThePushServiceIsPassedOn: what each one means, the agent knows.
func TestB059_StatusOfThePushServiceIsPassedOn(t *testing.T) {
	for _, status := range []int{200, 201, 202, 400, 401, 403, 404, 410, 413, 429, 500, 502, 503} {
		f := newFake(t, status)
		s := newSender(t, Options{Hosts: []string{f.host()}})
		if got, after := s.Push(t.Context(), aPush(f.URL+"/push/x")); got != status || after != 0 {
			t.Errorf("%d came as %d, after %v", status, got, after)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "90": 90 * time.Second, "86400": 24 * time.Hour, "99999999": 24 * time.Hour, "99999999999999999999": 0, "-5": 0, "+5": 0, "1.5": 0, "soon": 0,
		"Mon, 30 Nov 2026 12:01:00 GMT": time.Minute, "Mon, 30 Nov 2026 11:00:00 GMT": 0, "Mon, 30 Nov 2099 11:00:00 GMT": 24 * time.Hour,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	f := newFake(t, 0)
	f.answer = func(w http.ResponseWriter) { w.Header().Set("Retry-After", "7"); w.WriteHeader(429) }
	s := newSender(t, Options{Hosts: []string{f.host()}})
	if got, after := s.Push(t.Context(), aPush(f.URL+"/push/x")); got != 429 || after != 7*time.Second {
		t.Error(got, after)
	}
}

func TestCachePolicyOfMicrosoft(t *testing.T) {
	s := newSender(t, Options{})
	for ttl, want := range map[uint32]string{0: "no-cache", 60: "cache"} {
		p := aPush("https://wns2-par02p.notify.windows.com/w/?token=BQYAAA%2b")
		p.TTL = ttl
		to, err := s.services.find(p.Endpoint)
		if err != nil {
			t.Fatal(err)
		}
		req, err := s.request(t.Context(), to, p)
		if err != nil || req.Header.Get("X-WNS-Cache-Policy") != want || req.URL.String() != p.Endpoint {
			t.Errorf("ttl %d: %v, %v", ttl, req.Header, err)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	inside := newFake(t, 200)
	for _, status := range []int{301, 302, 303, 307, 308} {
		f := newFake(t, 0)
		f.answer = func(w http.ResponseWriter) {
			w.Header().Set("Location", inside.URL+"/admin")
			w.WriteHeader(status)
		}
		s := newSender(t, Options{Hosts: []string{f.host(), inside.host()}})
		if got, _ := s.Push(t.Context(), aPush(f.URL+"/push/x")); got != status {
			t.Errorf("%d came as %d", status, got)
		}
	}
	if got := inside.requests(); len(got) != 0 {
		t.Errorf("followed to %+v", got)
	}
}

// TestOwnStatuses: what the sender itself refuses reaches no service.
func TestOwnStatuses(t *testing.T) {
	f := newFake(t, 201)
	s := newSender(t, Options{Hosts: []string{f.host()}})
	big := aPush(f.URL + "/push/x")
	big.Body = make([]byte, relay.MaxPushBody+1)
	for name, c := range map[string]struct {
		push   relay.Push
		status int
	}{
		"unlisted host":         {aPush("https://push.evil.example/x"), 421},
		"another port":          {aPush("http://127.0.0.1:1/push/x"), 421},
		"metadata":              {aPush("http://169.254.169.254/latest/meta-data"), 421},
		"too large":             {big, 413},
		"Apple without contact": {aPush("https://web.push.apple.com/QGuQ"), 501},
	} {
		if got, after := s.Push(t.Context(), c.push); got != c.status || after != 0 {
			t.Errorf("%s: %d, %v, want %d", name, got, after, c.status)
		}
	}
	if got := f.requests(); len(got) != 0 {
		t.Errorf("the service got %+v", got)
	}
}

func TestRateOfAnEndpoint(t *testing.T) {
	f := newFake(t, 201)
	s := newSender(t, Options{Hosts: []string{f.host()}})
	for i, want := range []int{201, 201, 201, 201, 201, 201, 429} {
		got, after := s.Push(t.Context(), aPush(f.URL+"/push/x"))
		if got != want || (after > 0) != (want == 429) || after > 10*time.Second {
			t.Errorf("push %d: %d, %v", i, got, after)
		}
	}
	if got, _ := s.Push(t.Context(), aPush(f.URL+"/push/y")); got != 201 {
		t.Errorf("another endpoint: %d", got)
	}
	if n := len(f.requests()); n != 7 {
		t.Errorf("the service got %d", n)
	}
}

func TestOverTLS(t *testing.T) {
	f := &fake{answer: func(w http.ResponseWriter) { w.WriteHeader(201) }}
	f.Server = httptest.NewTLSServer(f)
	defer f.Close()
	f.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	host := strings.TrimPrefix(f.URL, "https://")
	roots := x509.NewCertPool()
	roots.AddCert(f.Certificate())
	if got, _ := newSender(t, Options{Hosts: []string{host}, RootCAs: roots}).Push(t.Context(), aPush(f.URL+"/push/x")); got != 201 {
		t.Errorf("status %d", got)
	}
	var log bytes.Buffer
	s := newSender(t, Options{Hosts: []string{host}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if got, _ := s.Push(t.Context(), aPush(f.URL+"/push/x")); got != 0 || !strings.Contains(log.String(), "certificate is not trusted") {
		t.Errorf("without trust: %d, log %s", got, log.String())
	}
}

// TestEndlessAnswer: a service that never ends its answer costs a few KB.
func TestEndlessAnswer(t *testing.T) {
	f := newFake(t, 0)
	f.answer = func(w http.ResponseWriter) {
		w.WriteHeader(201)
		for {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	}
	s := newSender(t, Options{Hosts: []string{f.host()}})
	if got, _ := s.Push(t.Context(), aPush(f.URL+"/push/x")); got != 201 {
		t.Errorf("status %d", got)
	}
	f.answer = func(w http.ResponseWriter) {
		for i := range 40 {
			w.Header().Set("X-Long-"+strings.Repeat("a", i), strings.Repeat("b", 1000))
		}
	}
	if got, _ := s.Push(t.Context(), aPush(f.URL+"/push/x")); got != 0 {
		t.Errorf("40 KB of header: status %d", got)
	}
}

// TestLogNamesNoEndpoint: the log has the service's name and the status, and
// nothing that rings a phone.
func TestLogNamesNoEndpoint(t *testing.T) {
	var log bytes.Buffer
	f := newFake(t, 403)
	f.answer = func(w http.ResponseWriter) {
		w.WriteHeader(403)
		w.Write([]byte("words-of-the-service"))
	}
	key := newKey(t)
	s := newSender(t, Options{Key: key, Subject: "mailto:you@example.com", Hosts: []string{f.host()}, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	s.Push(t.Context(), aPush(f.URL+"/push/secret-path?secret-query"))
	s.Push(t.Context(), aPush("https://evil.example/secret-path?secret-query"))
	s.Push(t.Context(), aPush("https://secret-user@web.push.apple.com/secret-path"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s.Push(ended, aPush(f.URL+"/push/secret-path"))
	text := log.String()
	for _, want := range []string{"status=403", "status=421", "service=evil.example", "service=" + f.host(), "status=0"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not say %s:\n%s", want, text)
		}
	}
	scalar, _ := key.Bytes()
	for _, secret := range []string{"secret", "sealed", "words-of", "eyJ", "vapid ", "you@", s.PublicKey(), b64.EncodeToString(scalar), "AQIDAAAA"} {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds %q:\n%s", secret, text)
		}
	}
}
