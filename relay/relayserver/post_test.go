package relayserver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayserver"
)

// post returns the status and the body of one POST /v1/send.
func (d dialer) post(t *testing.T, query string, body []byte) (int, string) {
	t.Helper()
	resp, err := d.tryPost(t.Context(), query, body)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(got)
}

func (d dialer) tryPost(ctx context.Context, query string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/v1/send"+query, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range d.header {
		req.Header[name] = values
	}
	client := d.client
	if client == nil {
		client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	}
	return client.Do(req)
}

func (d dialer) wantPost(t *testing.T, query string, body []byte, status int) {
	t.Helper()
	if got, text := d.post(t, query, body); got != status {
		t.Errorf("POST %s: %d %q, want %d", query, got, text, status)
	}
}

func TestPostSent(t *testing.T) {
	d := plain(t)
	p := d.listener(t, "a")
	d.wantPost(t, "", sendFrame(1, "a", "by post"), 204)
	p.wantMessage("a", "by post")
	largest := strings.Repeat("x", relay.MaxPayload)
	d.wantPost(t, "", sendFrame(1, "a", largest), 204)
	p.wantMessage("a", largest)
}

func TestPostUnsent(t *testing.T) {
	d := plain(t)
	if status, body := d.post(t, "", sendFrame(1, "nobody", "x")); status != 409 || body != string(rune(relay.UnsentNobody)) {
		t.Errorf("%d %q, want 409 and the reason", status, body)
	}
	if status, body := d.post(t, "?wait=5", append(listenFrame("reply"), sendFrame(1, "nobody", "x")...)); status != 409 || body != "\x01" {
		t.Errorf("with wait: %d %q, want 409 and the reason", status, body)
	}
}

func TestPostMalformed(t *testing.T) {
	d := plain(t, relayserver.Options{Limits: relayserver.Limits{PostBurst: 1000}})
	p := d.listener(t, "a")
	both := append(listenFrame("reply"), sendFrame(1, "a", "x")...)
	for name, tc := range map[string]struct {
		query string
		body  []byte
	}{
		"nothing":                {"", nil},
		"no payload":             {"", sendFrame(1, "a", "")},
		"another frame":          {"", listenFrame("a")},
		"a LISTEN without wait":  {"", both},
		"wait without a LISTEN":  {"?wait=5", sendFrame(1, "a", "x")},
		"wait with half of it":   {"?wait=5", listenFrame("reply")[:40]},
		"wait without a SEND":    {"?wait=5", listenFrame("reply")},
		"wait=0":                 {"?wait=0", both},
		"wait=21":                {"?wait=21", both},
		"wait=-1":                {"?wait=-1", both},
		"wait=1.5":               {"?wait=1.5", both},
		"wait=":                  {"?wait=", both},
		"wait=99999999999999999": {"?wait=99999999999999999", both},
	} {
		if status, body := d.post(t, tc.query, tc.body); status != 400 || body == "" {
			t.Errorf("%s: %d %q, want 400", name, status, body)
		}
	}
	p.write(sendFrame(1, "a", "nothing came before this"))
	p.wantMessage("a", "nothing came before this")
}

func TestPostTooLarge(t *testing.T) {
	d := plain(t)
	d.listener(t, "a")
	d.wantPost(t, "", sendFrame(1, "a", strings.Repeat("x", relay.MaxPayload+1)), 413)
	d.wantPost(t, "?wait=1", append(listenFrame("r"), sendFrame(1, "a", strings.Repeat("x", relay.MaxPayload+1))...), 413)
	d.wantPost(t, "", bytes.Repeat([]byte{3}, 400<<10), 413)
}

func TestPostReply(t *testing.T) {
	d := plain(t)
	agent := d.listener(t, "agent")
	for i := range 10 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			agent.wantMessage("agent", "answer")
			agent.write(sendFrame(7, "reply", "receipt"))
			agent.want(relay.AppendSent(nil, 7))
			agent.write(sendFrame(8, "reply", "the box is gone with its first message"))
			agent.want(relay.AppendUnsent(nil, 8, relay.UnsentNobody))
		}()
		status, body := d.post(t, "?wait=20", append(listenFrame("reply"), sendFrame(1, "agent", "answer")...))
		if <-done; status != 200 || body != "receipt" {
			t.Fatalf("round %d: %d %q", i, status, body)
		}
	}
}

// spy is a bus that shows who joins.
type spy struct {
	relayserver.Bus
	joined chan relayserver.Reader
}

func (s spy) Join(box relay.Box, r relayserver.Reader) []relayserver.Reader {
	if box == boxOf("reply") {
		s.joined <- r
	}
	return s.Bus.Join(box, r)
}

// TestReplyBoxTakesOneMessage: SENT for a second one, which nobody would ever
// see, would be a lie, also after the first was fetched.
func TestReplyBoxTakesOneMessage(t *testing.T) {
	bus := spy{relayserver.NewHub(relayserver.Limits{}), make(chan relayserver.Reader, 1)}
	d := plain(t, relayserver.Options{Bus: bus})
	agent := d.listener(t, "agent")
	status := make(chan int, 1)
	go func() {
		got, _ := d.post(t, "?wait=20", append(listenFrame("reply"), sendFrame(1, "agent", "x")...))
		status <- got
	}()
	agent.wantMessage("agent", "x")
	reader, m := <-bus.joined, relayserver.NewMessage(boxOf("reply"), []byte("receipt"))
	if why := reader.Take(m); why != 0 {
		t.Errorf("the first: %v", why)
	}
	if got := <-status; got != 200 {
		t.Errorf("the POST: %d", got)
	}
	if why := reader.Take(m); why != relay.UnsentNobody {
		t.Errorf("the second: %v", why)
	}
}

func TestPostReplyTooLate(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		agent, began := d.listener(t, "agent"), time.Now()
		go agent.read(time.Minute)
		d.wantPost(t, "?wait=20", append(listenFrame("reply"), sendFrame(1, "agent", "x")...), 408)
		if took := time.Since(began); took != relay.MaxWait {
			t.Errorf("waited %v, want %v", took, relay.MaxWait)
		}
	})
}

// TestPostFifthWaiter: four may wait on one reply box.
func TestPostFifthWaiter(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		d.listener(t, "agent").answers()
		body := append(listenFrame("reply"), sendFrame(1, "agent", "x")...)
		var waiting sync.WaitGroup
		for range 4 {
			waiting.Go(func() { d.wantPost(t, "?wait=20", body, 408) })
		}
		time.Sleep(time.Second)
		d.wantPost(t, "?wait=20", body, 429)
		waiting.Wait()
		d.wantPost(t, "?wait=1", body, 408)
	})
}

// TestPostGivenUp: a client that goes away frees its reply box at once.
func TestPostGivenUp(t *testing.T) {
	d := plain(t)
	agent := d.listener(t, "agent")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		resp, err := d.tryPost(ctx, "?wait=20", append(listenFrame("reply"), sendFrame(1, "agent", "x")...))
		if err == nil {
			resp.Body.Close()
		}
		done <- err
	}()
	agent.wantMessage("agent", "x")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	deadline := time.Now().Add(5 * time.Second)
	for tag := relay.Tag(1); ; tag++ {
		agent.write(sendFrame(tag, "reply", "receipt"))
		got, err := agent.read(time.Second)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("the reply box outlived its POST: %v", err)
		}
		if _, why, err := relay.ParseUnsent(got); err == nil && why == relay.UnsentNobody {
			return
		}
	}
}

func TestPostRateOfAnAddress(t *testing.T) {
	bubble(t, relayserver.Options{Limits: relayserver.Limits{PostBurst: 3, PostRate: 1}}, func(t *testing.T, d dialer) {
		for range 3 {
			d.wantPost(t, "", sendFrame(1, "nobody", "x"), 409)
		}
		d.wantPost(t, "", sendFrame(1, "nobody", "x"), 429)
		time.Sleep(time.Second)
		d.wantPost(t, "", sendFrame(1, "nobody", "x"), 409)
		d.wantPost(t, "", sendFrame(1, "nobody", "x"), 429)
	})
}

func TestPostWaitersInTotal(t *testing.T) {
	bubble(t, relayserver.Options{Limits: relayserver.Limits{Waiters: 2}}, func(t *testing.T, d dialer) {
		d.listener(t, "agent").answers()
		var waiting sync.WaitGroup
		for i := range 2 {
			waiting.Go(func() {
				d.wantPost(t, "?wait=20", append(listenFrame(fmt.Sprint("reply", i)), sendFrame(1, "agent", "x")...), 408)
			})
		}
		time.Sleep(time.Second)
		d.wantPost(t, "?wait=20", append(listenFrame("reply 3"), sendFrame(1, "agent", "x")...), 429)
		waiting.Wait()
	})
}

// TestPostBodyInTime: a body that does not come is given up.
func TestPostBodyInTime(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		conn, err := d.client.Transport.(*http.Transport).DialContext(t.Context(), "tcp", "localhost:80")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		began := time.Now()
		io.WriteString(conn, "POST /v1/send HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf")
		answer, _ := io.ReadAll(conn)
		if took := time.Since(began); !bytes.HasPrefix(answer, []byte("HTTP/1.1 400")) || took > 15*time.Second {
			t.Errorf("after %v: %.60q", took, answer)
		}
	})
}
