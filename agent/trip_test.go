package agent

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	peerdevice "answerback/agent/device"
	abcrypto "answerback/crypto"
	"answerback/hook"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
)

// trip is a whole trip in one process: a real relay on loopback, a real agent on a real socket, real devices, and the hook's own code.
type trip struct {
	t       *testing.T
	relay   *relaytest.Relay
	agent   *Agent
	opts    Options
	log     *bytes.Buffer
	finish  func()
	devices []func() // each ends one device
}

func newTrip(t *testing.T, relay ...relayserver.Options) *trip {
	t.Helper()
	t.Parallel()
	r := relaytest.New(t, relay...)
	dir := t.TempDir()
	tr := &trip{t: t, relay: r, log: &bytes.Buffer{}}
	tr.opts = Options{State: filepath.Join(dir, "s"), Socket: filepath.Join(dir, "k", "agent.sock"), Name: "studio", Host: "studio",
		RelayURL: r.URL, Version: "test", Log: slog.New(slog.NewTextHandler(&lockedWriter{b: tr.log}, nil))}
	tr.start()
	t.Cleanup(func() {
		tr.stop()
		if t.Failed() {
			t.Log("the agent's log:\n" + tr.log.String())
		}
	})
	return tr
}

type lockedWriter struct {
	mu sync.Mutex
	b  *bytes.Buffer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// start starts the agent on the state folder, again after a stop.
func (tr *trip) start() {
	tr.t.Helper()
	a, err := Open(tr.opts)
	must(tr.t, err)
	tr.agent = a
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	tr.finish = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				tr.t.Errorf("the agent ended with: %v", err)
			}
		case <-time.After(10 * time.Second):
			tr.t.Error("the agent does not end")
		}
	})
}

func (tr *trip) stop() { tr.finish() }

// within bounds every wait of a test.
func (tr *trip) within() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	tr.t.Cleanup(cancel)
	return ctx
}

// pair pairs a device in Go through the agent's own pairing, with its digits typed by say. It runs until the test ends.
func (tr *trip) pair(name string) *peerdevice.Device {
	tr.t.Helper()
	d, err := tr.tryPair(name)
	must(tr.t, err)
	return d
}

func (tr *trip) tryPair(name string) (*peerdevice.Device, error) {
	tr.t.Helper()
	code, digits := make(chan string, 1), make(chan string, 1)
	input := make(chan control.PairInput)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(tr.within())
	defer cancel()
	go func() {
		ended <- tr.agent.pairNow(ctx, talk{input: input, say: func(e control.PairEvent) {
			if e.Event == "code" {
				code <- e.Link
			}
		}})
	}()
	state := make(chan peerdevice.State, 1)
	go func() {
		s, err := peerdevice.Pair(ctx, <-code, peerdevice.PairOptions{Name: name, Platform: "test", OnDigits: func(s string) { digits <- s }}, peerdevice.Options{})
		if err == nil {
			state <- s
		}
	}()
	select {
	case s := <-digits:
		input <- control.PairInput{Digits: s}
	case err := <-ended:
		return nil, err
	}
	var d *peerdevice.Device
	for {
		select {
		case s := <-state:
			d = tr.run(s)
		case err := <-ended:
			return d, err
		}
	}
}

// run runs a device until the test ends.
func (tr *trip) run(s peerdevice.State) *peerdevice.Device {
	tr.t.Helper()
	d, err := peerdevice.Open(s, peerdevice.Options{})
	must(tr.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { d.Run(ctx); close(ended) }()
	end := sync.OnceFunc(func() { cancel(); <-ended })
	tr.devices = append(tr.devices, end)
	tr.t.Cleanup(end)
	return d
}

// stopDevices takes every device away, as a phone in a pocket is.
func (tr *trip) stopDevices() {
	for _, end := range tr.devices {
		end()
	}
}

// asking is one hook that waits.
type asking struct {
	stdout, stderr bytes.Buffer
	exit           int
	done           chan struct{}
	started        time.Time
}

// ask runs the hook's own code with a home-made tool's call.
func (tr *trip) ask(command string, args ...string) *asking {
	return tr.askRaw(fmt.Sprintf(`{"session_id":"s","cwd":"/home/dev/project","tool_name":"Bash","tool_input":{"command":%q}}`, command), args...)
}

func (tr *trip) askRaw(stdin string, args ...string) *asking {
	return tr.askAs("my-tool", stdin, append([]string{"--reply", "answerback"}, args...)...)
}

// askAs runs the hook's own code for any caller.
func (tr *trip) askAs(caller, stdin string, args ...string) *asking {
	h := &asking{done: make(chan struct{}), started: time.Now()}
	if !slices.Contains(args, "--wait") {
		args = append(args, "--wait", "8s")
	}
	args = append([]string{"--agent", caller, "--socket", tr.opts.Socket}, args...)
	args = append(args, "PermissionRequest")
	go func() {
		h.exit = hook.Run(args, strings.NewReader(stdin), &h.stdout, &h.stderr)
		close(h.done)
	}()
	return h
}

// wait returns the hook's stdout once it has ended.
func (h *asking) wait(t *testing.T) string {
	t.Helper()
	select {
	case <-h.done:
	case <-time.After(15 * time.Second):
		t.Fatal("the hook does not end")
	}
	if h.exit != 0 || h.stderr.Len() != 0 {
		t.Errorf("the hook ended with exit %d and said %q on stderr", h.exit, h.stderr.String())
	}
	return h.stdout.String()
}

// still reports whether the hook still waits.
func (h *asking) still() bool {
	select {
	case <-h.done:
		return false
	default:
		return true
	}
}

// card waits until a device shows an open card with this command.
func (tr *trip) card(d *peerdevice.Device, command string) peerdevice.View {
	tr.t.Helper()
	v, err := d.WaitCard(tr.within(), func(v peerdevice.View) bool { return v.Open() && strings.Contains(v.Card.Input, command) })
	if err != nil {
		tr.t.Fatalf("no card with %q came: %v", command, err)
	}
	return v
}

func allow() peerdevice.Reply {
	return peerdevice.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaApp}
}

func deny(words string) peerdevice.Reply {
	return peerdevice.Reply{Decision: abcrypto.Deny, Via: abcrypto.ViaApp, Words: words}
}

func (tr *trip) answer(d *peerdevice.Device, v peerdevice.View, r peerdevice.Reply) card.Receipt {
	tr.t.Helper()
	receipt, err := d.Answer(tr.within(), v.Card.Request, r)
	must(tr.t, err)
	return receipt
}

const allowed = `{"decision":"allow"}` + "\n"

func TestAllow(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test")
	r := tr.answer(phone, tr.card(phone, "npm test"), allow())
	if r.Outcome != card.Accepted {
		t.Errorf("the receipt says %s, want accepted", r.Outcome)
	}
	if got := h.wait(t); got != allowed {
		t.Errorf("the hook printed %q, want %q", got, allowed)
	}
}

func TestDenyWithWords(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("rm -rf build")
	tr.answer(phone, tr.card(phone, "rm -rf"), deny("wait for the backup"))
	if got := h.wait(t); !strings.HasPrefix(got, `{"decision":"deny","reason":"wait for the backup`) {
		t.Errorf("the hook printed %q", got)
	}
}

func TestSilence(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test", "--wait", "1s")
	tr.card(phone, "npm test")
	if got := h.wait(t); got != "" {
		t.Errorf("nobody answered, and the hook printed %q", got)
	}
}

// hookConnection asks as the hook does, and leaves the connection to the test.
func (tr *trip) hookConnection(command string) net.Conn {
	tr.t.Helper()
	c, err := net.Dial("unix", tr.opts.Socket)
	must(tr.t, err)
	tr.t.Cleanup(func() { c.Close() })
	stdin := fmt.Sprintf(`{"cwd":"/home/dev/project","tool_name":"Bash","tool_input":{"command":%q}}`, command)
	must(tr.t, hook.WriteCall(c, hook.Call{Caller: "my-tool", Event: "PermissionRequest", Flags: hook.FlagReply, Wait: 8 * time.Second, Stdin: []byte(stdin)}))
	return c
}
