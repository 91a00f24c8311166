package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"answerback/agent/card"
	"answerback/agent/device"
	abcrypto "answerback/crypto"
)

// equalCalls: the caller really asks twice for the same. Each answer goes to the hook that asked.
func equalCalls(ctx context.Context, w *world, t *trip) error {
	c := newCall("npm test")
	first, v1, err := w.carded(ctx, t, c)
	if err != nil {
		return err
	}
	time.Sleep(400 * time.Millisecond)
	second := w.ask(ctx, c)
	v2, err := w.card(ctx, c, []card.RequestID{v1.Card.Request})
	if err != nil {
		return err
	}
	t.hop("second card")
	if err := w.answer(ctx, t, v2, device.Reply{Decision: abcrypto.Allow}, card.Accepted); err != nil {
		return err
	}
	if err := second.prints(ctx, t, allowed); err != nil {
		return err
	}
	if err := w.answer(ctx, t, v1, device.Reply{Decision: abcrypto.Deny, Words: "not this one"}, card.Accepted); err != nil {
		return err
	}
	return first.denies(ctx, t, "not this one")
}

// twin: the caller starts its hook twice for one call. One card, and the Allow on one connection.
func twin(ctx context.Context, w *world, t *trip) error {
	c := newCall("go test ./...")
	both := []*asking{w.ask(ctx, c)}
	time.Sleep(30 * time.Millisecond)
	both = append(both, w.ask(ctx, c))
	v, err := w.card(ctx, c, nil)
	if err != nil {
		return err
	}
	t.hop("card")
	time.Sleep(300 * time.Millisecond) // a second card would be here by now
	if n := w.cards(c); n != 1 {
		return fmt.Errorf("%d cards came for one call", n)
	}
	if err := w.answer(ctx, t, v, device.Reply{Decision: abcrypto.Allow}, card.Accepted); err != nil {
		return err
	}
	return split(ctx, t, both, func(stdout string) bool { return stdout == nothing })
}

// split wants exactly one hook of two with an Allow, and of the other that rest holds.
func split(ctx context.Context, t *trip, both []*asking, rest func(stdout string) bool) error {
	allows := 0
	for _, a := range both {
		r, err := a.ended(ctx)
		if err != nil {
			return err
		}
		out := string(r.Stdout)
		t.hop("hook " + short(out))
		switch {
		case r.Exit != 0 || len(r.Stderr) != 0:
			return fmt.Errorf("a hook ended with %d and said %q", r.Exit, r.Stderr)
		case out == allowed:
			allows++
		case !rest(out):
			return fmt.Errorf("a hook printed %q", out)
		}
	}
	if allows != 1 {
		return fmt.Errorf("%d hooks printed the one allow", allows)
	}
	return nil
}

// session stands for a running caller: a process of its own that starts hooks. A plain shell with -c would be taken for part of the hook.
const session = "#!/bin/sh\n\"$@\"\nexit $?\n"

// twoSessions: two callers whose every id is the same ask for the same at the same time. The kernel knows that they are two.
func twoSessions(ctx context.Context, w *world, t *trip) error {
	script := filepath.Join(w.o.Dir, "session.sh")
	if err := os.WriteFile(script, []byte(session), 0o700); err != nil {
		return err
	}
	c := newCall("make deploy")
	both := []*asking{w.ask(ctx, c, "/bin/sh", script), w.ask(ctx, c, "/bin/sh", script)}
	v1, err := w.card(ctx, c, nil)
	if err != nil {
		return err
	}
	t.hop("card")
	v2, err := w.card(ctx, c, []card.RequestID{v1.Card.Request})
	if err != nil {
		return err
	}
	t.hop("second card")
	if err := w.answer(ctx, t, v1, device.Reply{Decision: abcrypto.Allow}, card.Accepted); err != nil {
		return err
	}
	if err := w.answer(ctx, t, v2, device.Reply{Decision: abcrypto.HandBack}, card.Accepted); err != nil {
		return err
	}
	return split(ctx, t, both, func(stdout string) bool { return stdout == nothing })
}
