package demo

import (
	"context"
	"fmt"
	"sync"

	"answerback/agent/card"
	"answerback/agent/device"
	abcrypto "answerback/crypto"
	"answerback/relay/relayclient"
)

// tap hears every message to the device beside it: a mailbox takes several readers. It keeps the sealed bytes, which is all that a relay
// ever has, and opens receipts with a copy of the device's keys, so that the demo can see what a misbehaving device was told.
type tap struct {
	state  device.State
	client *relayclient.Client

	mu       sync.Mutex
	sealed   [][]byte
	receipts map[[32]byte][]card.Receipt // by the hash of the answer
	changed  chan struct{}
}

func newTap(s device.State) *tap {
	return &tap{state: s, client: relayclient.New(relayclient.Options{URL: s.Relay}), receipts: map[[32]byte][]card.Receipt{}, changed: make(chan struct{})}
}

func (t *tap) run(ctx context.Context) {
	stop := t.client.Listen(t.state.Boxes.R(abcrypto.ToDevice), t.state.Boxes.W(abcrypto.ToDevice), t.hear)
	defer stop()
	t.client.Run(ctx)
}

func (t *tap) hear(sealed []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sealed = append(t.sealed, append([]byte(nil), sealed...))
	if m, err := t.state.Ratchet.OpenDevice(t.state.Device, sealed); err == nil && m.Type == abcrypto.TypeReceipt {
		if r, err := card.ParseReceipt(m.Body); err == nil {
			t.receipts[r.Answer] = append(t.receipts[r.Answer], r)
		}
	}
	close(t.changed)
	t.changed = make(chan struct{})
}

// ready waits until the tap listens.
func (t *tap) ready(ctx context.Context) error {
	return t.client.WaitListening(ctx, t.state.Boxes.R(abcrypto.ToDevice), t.state.Boxes.W(abcrypto.ToDevice))
}

// heard is how many messages have come so far.
func (t *tap) heard() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.sealed)
}

// since are the sealed messages from number n on.
func (t *tap) since(n int) [][]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([][]byte(nil), t.sealed[n:]...)
}

// receipt waits for the n-th receipt (from 1) of an answer.
func (t *tap) receipt(ctx context.Context, answer [32]byte, n int) (card.Receipt, error) {
	for {
		t.mu.Lock()
		got, changed := t.receipts[answer], t.changed
		t.mu.Unlock()
		if len(got) >= n {
			return got[n-1], nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return card.Receipt{}, fmt.Errorf("no receipt came for the answer: %w", ctx.Err())
		}
	}
}

// replay writes sealed bytes into the device's mailbox, as a malicious relay could.
func (t *tap) replay(ctx context.Context, sealed []byte) error {
	return t.client.Send(ctx, t.state.Boxes.R(abcrypto.ToDevice), t.state.Boxes.W(abcrypto.ToDevice), sealed)
}
