package demo

import (
	"context"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
)

// relayKilled: the relay goes by kill -9 and comes back empty; the person answers while it is away. Nothing is lost, because the relay never
// held anything.
func relayKilled(ctx context.Context, w *world, t *trip) error {
	a, v, err := w.carded(ctx, t, newCall("git push"))
	if err != nil {
		return err
	}
	w.relay.kill()
	t.hop("relay killed")
	sent := w.answering(ctx, v, abcrypto.Allow)
	if err := w.startRelay(); err != nil {
		return err
	}
	if err := sent.says(ctx, t, card.Accepted); err != nil {
		return err
	}
	if err := a.prints(ctx, t, allowed); err != nil {
		return err
	}
	if err := w.ready(ctx); err != nil {
		return err
	}
	return w.tap.ready(ctx)
}

// agentKilled: the hook is left alone and hands back at once. The new agent knows no old card: one that was answered meanwhile counts for
// nothing, and one that was not is withdrawn.
func agentKilled(ctx context.Context, w *world, t *trip) error {
	first, v1, err := w.carded(ctx, t, newCall("cargo publish"))
	if err != nil {
		return err
	}
	second, v2, err := w.carded(ctx, t, newCall("terraform apply"))
	if err != nil {
		return err
	}
	w.agent.kill()
	if err := first.prints(ctx, t, nothing); err != nil {
		return err
	}
	if err := second.prints(ctx, t, nothing); err != nil {
		return err
	}
	sent := w.answering(ctx, v1, abcrypto.Allow)
	if err := w.startAgent(); err != nil {
		return err
	}
	if err := sent.says(ctx, t, card.Unknown); err != nil {
		return err
	}
	return w.endsAs(ctx, t, v2.Card.Request, card.EndWithdrawn)
}
