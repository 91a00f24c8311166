package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"answerback/agent/control"
	"answerback/hook"
	"answerback/relay"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
)

// verbs are all that the socket takes, and words that somebody might try.
var verbs = []string{control.DoStatus, control.DoPending, control.DoDeny, control.DoRelease, control.DoDevices, control.DoRevoke, control.DoLog,
	"allow", "Allow", "approve", "answer", "settle", "yes", ""}

// B105, M002, B008: whatever a process of the same user says on the socket, with everything that it can learn there, no Allow comes of it.
func TestB105_NoLocalVerbAllows(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	for _, verb := range verbs {
		h := tr.ask("npm test # "+verb, "--wait", "400ms")
		v := tr.card(phone, "npm test # "+verb)
		for _, id := range []string{v.Card.Request.String(), short4(v.Card.Request)} {
			tr.say(t, control.Request{Version: control.Version, Do: verb, ID: id, Words: "allow", Device: "nobody"})
		}
		if got := h.wait(t); strings.Contains(got, "allow\"}") && strings.Contains(got, `"decision":"allow"`) {
			t.Errorf("the verb %q let the hook print %q", verb, got)
		}
	}
	if n := tr.countAllowed(); n != 0 {
		t.Errorf("the log has %d Allows that no device gave", n)
	}
}

func short4(id requestID) string { return rowOf(&entry{id: id}, nil).ID }

func (tr *trip) countAllowed() (n int) {
	for _, r := range tr.records() {
		if r.Decision == "allow" {
			n++
		}
	}
	return n
}

// say sends one request and reads to the end.
func (tr *trip) say(t *testing.T, req control.Request) string {
	t.Helper()
	body, err := json.Marshal(req)
	must(t, err)
	return tr.sayRaw(t, func(c net.Conn) { hook.WriteControl(c, body) })
}

func (tr *trip) sayRaw(t *testing.T, write func(net.Conn)) string {
	t.Helper()
	c, err := net.Dial("unix", tr.opts.Socket)
	must(t, err)
	defer c.Close()
	write(c)
	c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	var got bytes.Buffer
	got.ReadFrom(c)
	return got.String()
}

// M001, M002: frames of the wrong direction, bad lengths and junk end the connection and nothing else.
func TestJunkOnTheSocket(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test", "--wait", "4s")
	v := tr.card(phone, "npm test")
	verdict := func(c net.Conn) {
		hook.WriteVerdict(c, hook.Verdict{Stdout: []byte(allowed)})
	}
	for name, write := range map[string]func(net.Conn){
		"a verdict of our own": verdict,
		"a held of our own":    func(c net.Conn) { hook.WriteHeld(c, hook.Held{RequestID: v.Card.Request, Wait: time.Second}) },
		"a beat":               func(c net.Conn) { hook.WriteBeat(c) },
		"nothing":              func(c net.Conn) {},
		"zeros":                func(c net.Conn) { c.Write(make([]byte, 64)) },
		"a length of 4 GiB":    func(c net.Conn) { c.Write([]byte{6, 0xff, 0xff, 0xff, 0xff}) },
		"half a frame":         func(c net.Conn) { c.Write([]byte{6, 0, 0, 0, 9, '{'}) },
		"JSON that is none":    func(c net.Conn) { hook.WriteControl(c, []byte("{")) },
		"an unknown field":     func(c net.Conn) { hook.WriteControl(c, []byte(`{"version":1,"do":"status","allow":true}`)) },
		"another version":      func(c net.Conn) { hook.WriteControl(c, []byte(`{"version":9,"do":"status"}`)) },
	} {
		if got := tr.sayRaw(t, write); strings.Contains(got, `"decision"`) {
			t.Errorf("%s: the agent said %q", name, got)
		}
	}
	if !h.still() {
		t.Error("the waiting call ended")
	}
	tr.answer(phone, v, allow())
	if got := h.wait(t); got != allowed {
		t.Errorf("the agent is hurt: the hook printed %q", got)
	}
}

// deny and release take an Allow away: they end the call, and the phone hears how.
func TestDenyAndReleaseAtTheTerminal(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	for _, c := range []struct{ do, prints, end string }{{control.DoDeny, `{"decision":"deny"`, "denied"}, {control.DoRelease, "", "terminal"}} {
		h := tr.ask("echo " + c.do)
		v := tr.card(phone, "echo "+c.do)
		tr.say(t, control.Request{Version: control.Version, Do: c.do, ID: short4(v.Card.Request)})
		if got := h.wait(t); !strings.HasPrefix(got, c.prints) || c.prints == "" && got != "" {
			t.Errorf("%s: the hook printed %q", c.do, got)
		}
		time.Sleep(50 * time.Millisecond)
		if now, _ := phone.Card(v.Card.Request); now.Settled == nil || string(now.Settled.Outcome) != c.end {
			t.Errorf("%s: the phone has %+v, want %s", c.do, now.Settled, c.end)
		}
	}
}

// M014: nothing on the machine's disk can sign an answer: the phone's key is nowhere in the state folder.
func TestM014_NoPhoneKeyOnTheMachine(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test")
	tr.answer(phone, tr.card(phone, "npm test"), allow())
	h.wait(t)
	tr.stop()
	seed := phone.State().SignKey.Seed()
	must(t, filepath.WalkDir(tr.opts.State, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, form := range [][]byte{seed, []byte(fmt.Sprintf("%x", seed))} {
			if bytes.Contains(content, form) {
				t.Errorf("%s holds the phone's key", path)
			}
		}
		return err
	}))
}

// M015, B090: everything that crosses the relay in a whole trip, pairing included, holds no word of the call, the names or the decision.
func TestM015_RelaySeesNothing(t *testing.T) {
	var mu sync.Mutex
	var crossed bytes.Buffer
	bus := relaytest.NewLossy(func(_ relay.Box, payload []byte) bool {
		mu.Lock()
		defer mu.Unlock()
		crossed.Write(payload)
		return false
	})
	tr := newTrip(t, relayserver.Options{Bus: bus})
	phone := tr.pair("Pixel 9 of you@example.com")
	h := tr.ask("kubectl rollout restart deployment/web")
	tr.answer(phone, tr.card(phone, "kubectl"), deny("wait for the backup"))
	h.wait(t)
	mu.Lock()
	defer mu.Unlock()
	if crossed.Len() < 5000 {
		t.Fatalf("only %d bytes crossed the relay: this is no whole trip", crossed.Len())
	}
	for _, word := range []string{"kubectl", "rollout", "backup", "Pixel", "example.com", "studio", "my-tool", "Bash", "deny", "allow", "answerback/1",
		"decision", "request_id", "/home/dev"} {
		if bytes.Contains(crossed.Bytes(), []byte(word)) {
			t.Errorf("the relay saw %q", word)
		}
	}
}
