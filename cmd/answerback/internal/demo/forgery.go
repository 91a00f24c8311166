package demo

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	"answerback/agent/device"
	abcrypto "answerback/crypto"
)

// send signs any statement with any key, sends it past the device's own checks, and returns what a receipt for it names.
func (w *world) send(ctx context.Context, a abcrypto.Answer, key ed25519.PrivateKey) (hash [32]byte, err error) {
	raw := w.device.Raw()
	sealed, err := raw.Seal(abcrypto.TypeAnswer, raw.Sign(a, key))
	if err == nil {
		err = raw.Send(ctx, sealed)
	}
	return abcrypto.ReceiptHash(a.Bytes()), err
}

// refused sends a statement that must not count, and sees that the hook still waits.
func (w *world) refused(ctx context.Context, t *trip, a *asking, statement abcrypto.Answer, key ed25519.PrivateKey) error {
	hash, err := w.send(ctx, statement, key)
	if err != nil {
		return err
	}
	r, err := w.tap.receipt(ctx, hash, 1)
	if err != nil {
		return err
	}
	t.hop("receipt " + string(r.Outcome))
	select {
	case <-a.done:
		return errors.New("the hook ended by it")
	default:
	}
	return outcome(r, card.Refused)
}

// otherCall: what was signed for one call is shown for another one.
func otherCall(ctx context.Context, w *world, t *trip) error {
	first, v1, err := w.carded(ctx, t, newCall("echo harmless"))
	if err != nil {
		return err
	}
	second, v2, err := w.carded(ctx, t, newCall("rm -rf build"))
	if err != nil {
		return err
	}
	statement := w.device.Raw().Statement(v2.Card.Request, device.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaApp})
	statement.CardDigest = v1.Digest
	if err := w.refused(ctx, t, second, statement, w.device.State().SignKey); err != nil {
		return err
	}
	if err := w.answer(ctx, t, v1, device.Reply{Decision: abcrypto.Allow}, card.Accepted); err != nil {
		return err
	}
	if err := first.prints(ctx, t, allowed); err != nil {
		return err
	}
	if err := w.answer(ctx, t, v2, device.Reply{Decision: abcrypto.Deny}, card.Accepted); err != nil {
		return err
	}
	return second.denies(ctx, t, "")
}

func forged(ctx context.Context, w *world, t *trip) error {
	a, v, err := w.carded(ctx, t, newCall("echo signed by nobody"))
	if err != nil {
		return err
	}
	_, other, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	statement := w.device.Raw().Statement(v.Card.Request, device.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaApp})
	if err := w.refused(ctx, t, a, statement, other); err != nil {
		return err
	}
	if err := w.answer(ctx, t, v, device.Reply{Decision: abcrypto.Deny}, card.Accepted); err != nil {
		return err
	}
	return a.denies(ctx, t, "")
}

// sameTwice: a relay delivers one answer twice. The second gets the first one's receipt, and nothing happens twice.
func sameTwice(ctx context.Context, w *world, t *trip) error {
	a, v, err := w.carded(ctx, t, newCall("echo once"))
	if err != nil {
		return err
	}
	if err := w.answer(ctx, t, v, device.Reply{Decision: abcrypto.Allow}, card.Accepted); err != nil {
		return err
	}
	if err := a.prints(ctx, t, allowed); err != nil {
		return err
	}
	receipt, _ := w.device.Card(v.Card.Request)
	raw := w.device.Raw()
	if err := raw.Send(ctx, raw.Sealed(v.Card.Request)); err != nil {
		return err
	}
	again, err := w.tap.receipt(ctx, receipt.Receipt.Answer, 2)
	if err != nil {
		return err
	}
	t.hop("receipt " + string(again.Outcome) + " again")
	if err := outcome(again, card.Accepted); err != nil {
		return err
	}
	return w.loggedOnce(ctx, v.Card.Request)
}

// loggedOnce looks for exactly one outcome of a call in the agent's log.
func (w *world) loggedOnce(ctx context.Context, id card.RequestID) error {
	outcomes := 0
	err := control.Ask(ctx, w.socket, control.Request{Do: control.DoLog, Count: -20}, func(r control.Reply) {
		var got struct {
			Type      string `json:"type"`
			RequestID string `json:"request_id"`
		}
		if r.Record != nil && json.Unmarshal([]byte(r.Record.JSON), &got) == nil && got.Type == "outcome" && got.RequestID == id.String() {
			outcomes++
		}
	})
	if err == nil && outcomes != 1 {
		err = fmt.Errorf("the log has %d outcomes of the call, not one", outcomes)
	}
	return err
}

// replayedReceipt: the relay kept the messages that accepted one call, and plays them while the answer to another is on its way and the
// agent has not spoken. The device says accepted for the receipt that names its bytes, and for nothing else.
func replayedReceipt(ctx context.Context, w *world, t *trip) error {
	from := w.tap.heard()
	first, v1, err := w.carded(ctx, t, newCall("echo the first"))
	if err != nil {
		return err
	}
	if err := w.answer(ctx, t, v1, device.Reply{Decision: abcrypto.Allow}, card.Accepted); err != nil {
		return err
	}
	if err := first.prints(ctx, t, allowed); err != nil {
		return err
	}
	kept := w.tap.since(from)
	second, v2, err := w.carded(ctx, t, newCall("echo the second"))
	if err != nil {
		return err
	}
	sent, err := w.replayed(ctx, t, v2, kept)
	if err != nil {
		return err
	}
	if err := sent.says(ctx, t, card.Accepted); err != nil {
		return err
	}
	return second.prints(ctx, t, allowed)
}

func (w *world) replayed(ctx context.Context, t *trip, v device.View, kept [][]byte) (*pendingAnswer, error) {
	w.agent.freeze()
	defer w.agent.thaw()
	sent := w.answering(ctx, v, abcrypto.Allow)
	for _, sealed := range kept {
		if err := w.tap.replay(ctx, sealed); err != nil {
			return nil, err
		}
	}
	time.Sleep(300 * time.Millisecond) // long enough for a device that believes it
	t.hop(fmt.Sprintf("%d old messages replayed", len(kept)))
	if now, _ := w.device.Card(v.Card.Request); now.Receipt != nil {
		return nil, errors.New("the device took another call's receipt for its own")
	}
	return sent, nil
}
