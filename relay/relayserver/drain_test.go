package relayserver_test

import (
	"io"
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

// TestNothingFollowsADrain: the client's own close frame gets no answer after
// the relay's.
func TestNothingFollowsADrain(t *testing.T) {
	r := relaytest.New(t)
	conn, br := dialer{url: r.URL}.raw(t)
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	conn.Write(masked(2, listenFrame("a")))
	wantBytes(t, br, unmasked(relay.AppendListening(nil, boxOf("a"))))
	go r.Stop()
	wantBytes(t, br, unmasked(relay.AppendBye(nil, relay.ByeDraining)))
	text := relay.ByeDraining.String()
	wantBytes(t, br, append([]byte{0x88, byte(2 + len(text)), 4006 >> 8, 4006 & 0xff}, text...))
	conn.Write(masked(8, []byte{4006 >> 8, 4006 & 0xff}))
	if rest, err := io.ReadAll(br); err != nil || len(rest) > 0 {
		t.Errorf("after the close frame: %x, %v", rest, err)
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
