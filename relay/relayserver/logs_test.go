package relayserver_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"answerback/relay"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
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

// TestLogHoldsNothingOfAnybody runs through everything that the relay does, at
// the most talkative level, and looks for every secret in every spelling.
func TestLogHoldsNothingOfAnybody(t *testing.T) {
	var log syncBuffer
	relays := relaytest.New(t, relayserver.Options{
		Token: token, Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Limits: relayserver.Limits{PerAddress: 12}, Push: &pusher{got: make(chan relay.Push, 9), status: 201},
	})
	device := dialer{url: relays.URL}
	agent := device.with("Authorization", "Bearer "+token)
	const payload = "curl -H 'Authorization: Bearer abc'"
	a := agent.listener(t, "agent")
	a.write(relay.AppendAdmit(nil, boxOf("device")))
	a.write(sendFrame(1, "agent", payload))
	a.wantMessage("agent", payload)
	a.want(relay.AppendSent(nil, 1))
	a.write(pushFrame(2))
	a.want(relay.Pushed{Tag: 2, Status: 201, RetryAfter: 90}.Append(nil))
	device.listener(t, "device").ws.CloseNow()
	device.post(t, "", sendFrame(1, "agent", payload))
	device.post(t, "?wait=1", append(listenFrame("reply"), sendFrame(1, "nobody", payload)...))
	device.post(t, "", []byte(payload))
	junk := device.listener(t, "device")
	junk.write([]byte(payload))
	junk.wantBye(relay.ByeMalformed)
	device.with("Authorization", "Bearer not-"+token).wantRefused(t, 401)
	device.with("Origin", "https://evil.example").dial(t).wantBye(relay.ByeOrigin)
	for range 12 { // over the limit of the address
		device.try(t)
	}
	relays.Stop()

	text := log.String()
	if !strings.Contains(text, "draining") || !strings.Contains(text, "malformed frame") || !strings.Contains(text, "Too many connections") {
		t.Fatalf("the log does not tell what happened:\n%s", text)
	}
	secrets := map[string][]byte{"the payload": []byte(payload), "the token": []byte(token), "the address": []byte("127.0.0.1"), "the endpoint": []byte("push.example.org")}
	for _, name := range []string{"agent", "device", "reply", "nobody"} {
		r, w := keys(name)
		hr, hw, box := relay.HashR(r), relay.HashW(w), boxOf(name)
		secrets["r of "+name], secrets["w of "+name], secrets["H(r) of "+name] = r[:], w[:], hr[:]
		secrets["H(w) of "+name], secrets["the box of "+name] = hw[:], box[:]
	}
	for what, secret := range secrets {
		for _, spelled := range []string{string(secret), hex.EncodeToString(secret), base64.StdEncoding.EncodeToString(secret), base64.RawURLEncoding.EncodeToString(secret),
			fmt.Sprint(secret), string(secret[:min(8, len(secret))])} {
			if strings.Contains(strings.ToLower(text), strings.ToLower(spelled)) {
				t.Errorf("the log holds %s as %q", what, spelled)
			}
		}
	}
}
