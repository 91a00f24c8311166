package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"answerback/agent/card"
	"answerback/agent/device"
	"answerback/cmd/answerback/internal/beside"
	abcrypto "answerback/crypto"
)

// call is what one hook asks.
type call struct {
	Session string
	Command string
	// Wait is --wait; 0 is the agent's own.
	Wait time.Duration
}

// calls numbers sessions, so that no scenario sees the cards of another.
var calls atomic.Uint64

func newCall(command string) call {
	return call{Session: fmt.Sprintf("demo-%d", calls.Add(1)), Command: command}
}

func (c call) stdin() []byte {
	b, err := json.Marshal(map[string]any{
		"session_id": c.Session, "cwd": "/home/dev/project", "hook_event_name": "PermissionRequest",
		"tool_name": "Bash", "tool_use_id": "toolu_01", "tool_input": map[string]string{"command": c.Command},
	})
	if err != nil {
		panic(err) // strings only
	}
	return b
}

func (w *world) args(c call) []string {
	args := []string{"--agent", "demo-tool", "--reply", "answerback", "--socket", w.socket}
	if c.Wait > 0 {
		args = append(args, "--wait", c.Wait.String())
	}
	return append(args, "PermissionRequest")
}

// asking is a hook process that has not ended.
type asking struct {
	done chan struct{}
	got  beside.Result
	err  error
}

// ask starts a hook. program and before are the hook itself, or what starts it.
func (w *world) ask(ctx context.Context, c call, before ...string) *asking {
	a := &asking{done: make(chan struct{})}
	argv := append(append(before, w.o.Hook), w.args(c)...)
	go func() {
		defer close(a.done)
		a.got, a.err = beside.Run(ctx, argv[0], c.stdin(), argv[1:]...)
	}()
	return a
}

// ended waits for the hook's end.
func (a *asking) ended(ctx context.Context) (beside.Result, error) {
	select {
	case <-a.done:
		return a.got, a.err
	case <-ctx.Done():
		return beside.Result{}, errors.New("the hook did not end")
	}
}

// carded starts a hook and waits for its card on the device.
func (w *world) carded(ctx context.Context, t *trip, c call) (*asking, device.View, error) {
	a := w.ask(ctx, c)
	v, err := w.card(ctx, c, nil)
	if err == nil {
		t.hop("card")
	}
	return a, v, err
}

// card waits for an open card of a call that is none of those seen before.
func (w *world) card(ctx context.Context, c call, seen []card.RequestID) (device.View, error) {
	v, err := w.device.WaitCard(ctx, func(v device.View) bool {
		for _, id := range seen {
			if v.Card.Request == id {
				return false
			}
		}
		return v.Open() && v.Card.Session == c.Session
	})
	if err != nil {
		return v, fmt.Errorf("no card came to the device: %w", err)
	}
	return v, nil
}

// cards counts the cards of a call, open or not.
func (w *world) cards(c call) (n int) {
	for _, v := range w.device.Cards() {
		if v.Card.Session == c.Session {
			n++
		}
	}
	return n
}

// answer signs and sends, and returns when the receipt is here.
func (w *world) answer(ctx context.Context, t *trip, v device.View, r device.Reply, want card.Outcome) error {
	r.Via = abcrypto.ViaApp
	receipt, err := w.device.Answer(ctx, v.Card.Request, r)
	if err != nil {
		return err
	}
	t.hop("receipt " + string(receipt.Outcome))
	return outcome(receipt, want)
}

func outcome(r card.Receipt, want card.Outcome) error {
	if r.Outcome != want {
		return fmt.Errorf("the receipt says %s, not %s", r.Outcome, want)
	}
	return nil
}

// What a hook may print.
const (
	allowed = `{"decision":"allow"}` + "\n"
	nothing = ""
)

// prints waits for the hook's end and compares what it left behind, byte for byte.
func (a *asking) prints(ctx context.Context, t *trip, want string) error {
	r, err := a.ended(ctx)
	if err != nil {
		return err
	}
	t.hop("hook " + short(string(r.Stdout)))
	if r.Exit != 0 || string(r.Stdout) != want || len(r.Stderr) != 0 {
		return fmt.Errorf("the hook printed %q and %q, exit %d, and not %q", r.Stdout, r.Stderr, r.Exit, want)
	}
	return nil
}

// denies waits for the hook's end and wants a deny with these words in its reason.
func (a *asking) denies(ctx context.Context, t *trip, words string) error {
	r, err := a.ended(ctx)
	if err != nil {
		return err
	}
	t.hop("hook deny")
	var reply struct{ Decision, Reason string }
	err = json.Unmarshal(r.Stdout, &reply)
	if err != nil || r.Exit != 0 || reply.Decision != "deny" || !strings.Contains(reply.Reason, words) {
		return fmt.Errorf("the hook printed %q, exit %d, and not a deny with %q", r.Stdout, r.Exit, words)
	}
	return nil
}

// short is what a hook printed, in a word.
func short(stdout string) string {
	switch stdout {
	case nothing:
		return "silent"
	case allowed:
		return "allow"
	}
	return strings.TrimSpace(stdout)
}
