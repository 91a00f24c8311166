package relayclient_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayclient"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
)

func sendTo(name, payload string) relay.Send {
	r, w := keys(name)
	return relay.Send{HR: relay.HashR(r), W: w, Payload: []byte(payload)}
}

func replyBox(name string) relay.Listen {
	r, w := keys(name)
	return relay.Listen{R: r, HW: relay.HashW(w)}
}

func TestPost(t *testing.T) {
	url := relaytest.Start(t, relayserver.Options{Limits: relayserver.Limits{BoxBurst: 3, BoxRate: 1}})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	agent := start(t, relayclient.Options{URL: url})
	r, w := keys("to agent")
	agent.Listen(r, w, func(b []byte) {
		if string(b) == "answer" {
			send(t, agent, "reply", "receipt")
		}
	})
	if err := agent.WaitListening(within(t), r, w); err != nil {
		t.Fatal(err)
	}
	if got, err := relayclient.Post(t.Context(), client, url, replyBox("reply"), sendTo("to agent", "answer"), 10*time.Second); string(got) != "receipt" || err != nil {
		t.Errorf("with a reply: %q, %v", got, err)
	}
	if got, err := relayclient.Post(t.Context(), client, url, relay.Listen{}, sendTo("to agent", "answer"), 0); got != nil || err != nil {
		t.Errorf("without: %q, %v", got, err)
	}
	if _, err := relayclient.Post(t.Context(), client, url, replyBox("another reply"), sendTo("to agent", "no answer"), time.Second); !errors.Is(err, relayclient.ErrNoReply) {
		t.Errorf("in vain: %v", err)
	}
	for name, tc := range map[string]struct {
		send relay.Send
		want relay.UnsentReason
	}{
		"nobody":    {sendTo("nobody", "x"), relay.UnsentNobody},
		"too large": {sendTo("to agent", strings.Repeat("x", relay.MaxPayload+1)), relay.UnsentTooLarge},
	} {
		var unsent *relayclient.UnsentError
		if _, err := relayclient.Post(t.Context(), client, url, relay.Listen{}, tc.send, 0); !errors.As(err, &unsent) || unsent.Reason != tc.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	var refused *relayclient.RefusedError
	if _, err := relayclient.Post(t.Context(), client, url, relay.Listen{}, sendTo("to agent", ""), 0); !errors.As(err, &refused) || refused.Status != 400 {
		t.Errorf("malformed: %v", err)
	}
}

func TestPostRateLimited(t *testing.T) {
	url := relaytest.Start(t, relayserver.Options{Limits: relayserver.Limits{BoxBurst: 1, BoxRate: 1}})
	agent := start(t, relayclient.Options{URL: url})
	inbox(t, agent, "to agent")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var unsent *relayclient.UnsentError
	relayclient.Post(t.Context(), client, url, relay.Listen{}, sendTo("to agent", "x"), 0)
	if _, err := relayclient.Post(t.Context(), client, url, relay.Listen{}, sendTo("to agent", "x"), 0); !errors.As(err, &unsent) || unsent.Reason != relay.UnsentRate {
		t.Errorf("%v", err)
	}
}

// TestPostToSomethingElse: an answer that no relay gives is an error.
func TestPostToSomethingElse(t *testing.T) {
	for _, status := range []int{201, 302, 404, 409, 429, 500, 503} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			w.Write([]byte("<html>"))
		}))
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		var refused *relayclient.RefusedError
		if _, err := relayclient.Post(t.Context(), client, srv.URL, relay.Listen{}, sendTo("a", "x"), 0); !errors.As(err, &refused) || refused.Status != status || refused.RetryAfter != 7*time.Second {
			t.Errorf("%d: %v", status, err)
		}
		srv.Close()
	}
	if _, err := relayclient.Post(t.Context(), nil, "http://localhost:1", relay.Listen{}, sendTo("a", "x"), 0); err == nil {
		t.Error("a post to nowhere succeeded")
	}
}
