package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayclient"
	"answerback/relay/relayserver"
)

// relayOf starts a relay on a state folder and returns its URL and its end.
func relayOf(t *testing.T, state string, args ...string) (url string, end func()) {
	t.Helper()
	s := onTerminal(t, nil, append([]string{"--state", state, "relay", "--listen", "127.0.0.1:0"}, args...)...)
	return s.see(`relay   (http://127\.0\.0\.1:\d+) `)[1], func() { s.enter("\x03"); s.ends(0) }
}

// vapidOf asks a relay for the key that browsers subscribe with.
func vapidOf(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url + "/v1/info")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var info relayserver.Info
	if err := json.NewDecoder(resp.Body).Decode(&info); err != nil || len(info.VAPID) != 87 {
		t.Fatalf("%+v, %v", info, err)
	}
	return info.VAPID
}

// TestRelayKeepsItsKey: subscriptions are bound to the key, so a restart has the same one, and another folder another.
func TestRelayKeepsItsKey(t *testing.T) {
	state := stateFolder(t)
	url, end := relayOf(t, state)
	first := vapidOf(t, url)
	end()
	url, end = relayOf(t, state)
	if again := vapidOf(t, url); again != first {
		t.Errorf("after a restart the key is %s, before it was %s", again, first)
	}
	end()
	url, end = relayOf(t, stateFolder(t))
	if other := vapidOf(t, url); other == first {
		t.Error("two relays have one key")
	}
	end()
}

// TestRelaySendsPushes: the whole program, with a push service of the test's own.
func TestRelaySendsPushes(t *testing.T) {
	got := make(chan http.Header, 1)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header
		w.WriteHeader(http.StatusCreated)
	}))
	defer service.Close()
	url, end := relayOf(t, stateFolder(t), "--push-host", strings.TrimPrefix(service.URL, "http://"), "--contact", "you@example.com")
	client := relayclient.New(relayclient.Options{URL: url})
	go client.Run(t.Context())
	r, w := [32]byte{1}, [32]byte{2}
	client.Listen(r, w, func([]byte) {})
	if err := client.WaitListening(t.Context(), r, w); err != nil {
		t.Fatal(err)
	}
	push := relay.Push{TTL: 60, Urgency: relay.UrgencyHigh, Endpoint: service.URL + "/push/x", Body: []byte("sealed")}
	if status, _, err := client.Push(t.Context(), push); err != nil || status != http.StatusCreated {
		t.Fatal(status, err)
	}
	select {
	case h := <-got:
		if !strings.HasSuffix(h.Get("Authorization"), ", k="+vapidOf(t, url)) {
			t.Errorf("%v", h)
		}
	case <-time.After(10 * time.Second):
		t.Error("the service got nothing")
	}
	push.Endpoint = "http://127.0.0.1:1/push/x"
	if status, _, err := client.Push(t.Context(), push); err != nil || status != http.StatusMisdirectedRequest {
		t.Errorf("another port: %d, %v", status, err)
	}
	end()
}
