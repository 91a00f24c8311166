package relayserver_test

import (
	"net/http"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
)

func TestDrain(t *testing.T) {
	r := relaytest.New(t)
	d := dialer{url: r.URL}
	first, second := d.listener(t, "a"), d.listener(t, "b")
	waiting := make(chan int, 1)
	go func() {
		status, _ := d.post(t, "?wait=20", append(listenFrame("reply"), sendFrame(1, "a", "x")...))
		waiting <- status
	}()
	first.wantMessage("a", "x")
	stopped := make(chan struct{})
	began := time.Now()
	go func() { defer close(stopped); r.Stop() }()
	first.wantBye(relay.ByeDraining)
	second.wantBye(relay.ByeDraining)
	if status := <-waiting; status != 503 {
		t.Errorf("the POST that waited got %d", status)
	}
	<-stopped
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("draining took %v though everybody left", took)
	}
}

// TestDrainWithADeafClient: one that does not close is closed.
func TestDrainWithADeafClient(t *testing.T) {
	t.Parallel()
	r := relaytest.New(t)
	dialer{url: r.URL}.listener(t, "a") // nobody reads its BYE
	began := time.Now()
	r.Stop()
	if took := time.Since(began); took > 7*time.Second {
		t.Errorf("draining took %v", took)
	}
}

func TestDrainingRefuses(t *testing.T) {
	s := relayserver.New(relayserver.Options{})
	s.Close()
	for path, method := range map[string]string{"/healthz": "GET", "/v1/ws": "GET", "/v1/send": "POST"} {
		if got := respond(s, method, path); got.Code != http.StatusServiceUnavailable {
			t.Errorf("%s while draining: %d", path, got.Code)
		}
	}
}

func TestHealth(t *testing.T) {
	s := relayserver.New(relayserver.Options{})
	if got := respond(s, "GET", "/healthz"); got.Code != http.StatusNoContent {
		t.Errorf("health: %d", got.Code)
	}
}
