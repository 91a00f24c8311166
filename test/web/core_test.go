package web

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/relay"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
	"answerback/test/browser"
)

// pairedCore is a page that has paired with an agent over a real relay.
func pairedCore(t *testing.T, opt relayserver.Options) (*agent, browser.Page, *relaytest.Relay) {
	t.Helper()
	opt.App = appFS(t)
	p := chromium.Page(t)
	a, r := pairedOn(t, p, opt)
	return a, p, r
}

func pairedOn(t *testing.T, p browser.Page, opt relayserver.Options) (*agent, *relaytest.Relay) {
	t.Helper()
	r := relaytest.New(t, opt)
	openCore(t, p, r.URL)
	a := newAgent(t, r.URL)
	a.pair(p)
	return a, r
}

func TestPairAnswerReceiptInChromium(t *testing.T) {
	pairAnswerReceipt(t, chromium.Page(t))
}
func TestPairAnswerReceiptInFirefox(t *testing.T) {
	pairAnswerReceipt(t, browser.NewFirefox(t).Page(t))
}

// pairAnswerReceipt is the whole trip: pair, read a card, allow it, reload before the receipt, and believe only the receipt.
func pairAnswerReceipt(t *testing.T, p browser.Page) {
	a, r := pairedOn(t, p, relayserver.Options{App: appFS(t)})
	w := a.ask(`{"command":"git status --short"}`, time.Minute)
	browser.Eval[any](t, p, untilAt("open", w))
	if why := browser.Eval[string](t, p, `core.waiting()[0].noAllow ?? ""`); why != "" {
		t.Fatalf("the card offers no Allow: %s", why)
	}
	browser.Eval[bool](t, p, answerWith(w, "allow", "{}"))
	got := a.waitAnswers(1)[0]
	if _, err := card.VerifyAnswer(w.Asked(a.paired.Agent), card.Answerer{Device: a.paired.Device, Key: a.paired.DeviceKey, Role: card.Approver}, got.Bytes()); err != nil {
		t.Fatal(err)
	}
	openCore(t, p, r.URL)
	// B048: sent is not accepted, before and after a reload.
	if at := browser.Eval[struct{ At string }](t, p, progress(w)).At; at == "receipt" || at == "settled" {
		t.Errorf("before the receipt the card stands at %q", at)
	}
	a.do(func() { a.outcome = card.Accepted })
	end := browser.Eval[struct {
		Receipt struct{ Outcome string }
	}](t, p, untilAt("receipt", w))
	if end.Receipt.Outcome != "accepted" {
		t.Errorf("outcome %q", end.Receipt.Outcome)
	}
	past := browser.Eval[[]struct {
		Mine    bool
		Outcome string
	}](t, p, `core.history()`)
	if len(past) != 1 || !past[0].Mine || past[0].Outcome != "accepted" {
		t.Errorf("history is %+v", past)
	}
}

// B044, with a relay that says SENT and loses the answer: it may have arrived, so the phone says no more than that, and sends the
// same bytes again, over a reload too.
func TestB044_AnswersLostBehindTheRelay(t *testing.T) {
	var losing atomic.Bool
	lossy := relaytest.NewLossy(func(relay.Box, []byte) bool { return losing.Load() })
	a, p, r := pairedCore(t, relayserver.Options{Bus: lossy})
	w := a.ask(`{"command":"make test"}`, time.Minute)
	browser.Eval[any](t, p, untilAt("open", w))
	losing.Store(true)
	browser.Eval[bool](t, p, answerWith(w, "deny", `{words: "Not now."}`))
	browser.Eval[any](t, p, untilAt("no_receipt", w))
	openCore(t, p, r.URL)
	browser.Eval[any](t, p, untilAt("no_receipt", w))
	losing.Store(false)
	got := a.waitAnswers(2)
	if !bytes.Equal(got[0].Bytes(), got[1].Bytes()) {
		t.Error("the second sending is not the first one's bytes")
	}
	if words := string(got[0].Answer.Payload); words != "Not now." || got[0].Answer.Decision != abcrypto.Deny {
		t.Errorf("decision %d, words %q", got[0].Answer.Decision, words)
	}
	a.do(func() { a.outcome = card.Accepted })
	browser.Eval[any](t, p, untilAt("receipt", w))
}

// B039, B041, B042: the relay goes away with an answer under way. The phone says that nothing was delivered, and delivers when it can.
func TestB042_RelayGoneAtTheTap(t *testing.T) {
	a, p, r := pairedCore(t, relayserver.Options{})
	w := a.ask(`{"command":"make test"}`, time.Minute)
	browser.Eval[any](t, p, untilAt("open", w))
	r.Kill()
	browser.Eval[any](t, p, `until(() => core.machines(), (m) => !m[0].online)`)
	browser.Eval[bool](t, p, answerWith(w, "allow", "{}"))
	browser.Eval[any](t, p, untilAt("not_delivered", w))
	r.Restart()
	got := a.waitAnswers(1)
	a.do(func() { a.say(abcrypto.TypeReceipt, a.receipt(got[0], card.TooLate)) })
	browser.Eval[any](t, p, untilAt("receipt", w))
}

// B041: offline when the card was made; it is there after the reconnect.
func TestB041_CardMadeWhileAway(t *testing.T) {
	a, p, r := pairedCore(t, relayserver.Options{})
	r.Kill()
	w := a.ask(`{"command":"make test"}`, time.Minute)
	r.Restart()
	browser.Eval[any](t, p, untilAt("open", w))
}

// B007, B048: a receipt that names other bytes says nothing.
func TestReceiptOfOtherBytes(t *testing.T) {
	a, p, _ := pairedCore(t, relayserver.Options{})
	w := a.ask(`{"command":"make test"}`, time.Minute)
	browser.Eval[any](t, p, untilAt("open", w))
	early := card.Receipt{Request: w.Card.Request, Outcome: card.Accepted, Time: nowMS()}
	a.do(func() { a.say(abcrypto.TypeReceipt, early) })
	browser.Eval[bool](t, p, answerWith(w, "allow", "{}"))
	got := a.waitAnswers(1)
	a.do(func() {
		other := a.receipt(got[0], card.Accepted)
		other.Answer[31] ^= 1
		a.say(abcrypto.TypeReceipt, other)
	})
	a.waitAnswers(3) // still sending
	if at := browser.Eval[struct{ At string }](t, p, progress(w)).At; at == "receipt" {
		t.Error("a receipt for other bytes was believed")
	}
}

// B046, B037: what the machine no longer holds open is withdrawn, whether it says so or was killed and forgot.
func TestB046_Withdrawn(t *testing.T) {
	a, p, _ := pairedCore(t, relayserver.Options{})
	told, forgot := a.ask(`{"command":"one"}`, time.Minute), a.ask(`{"command":"two"}`, time.Minute)
	browser.Eval[any](t, p, untilAt("open", forgot))
	a.do(func() {
		a.open, a.seq = nil, a.seq+1
		a.say(abcrypto.TypeSettled, card.Settled{Seq: a.seq, Request: told.Card.Request, Outcome: card.EndWithdrawn, Time: nowMS()})
	})
	browser.Eval[any](t, p, untilAt("settled", told))
	a.do(a.greet)
	browser.Eval[any](t, p, untilAt("settled", forgot))
}

// One request has one card and one answer: other bytes under its id change nothing, a second tap is refused, and a card that comes
// again after its end offers no Allow.
func TestOneCardOneAnswer(t *testing.T) {
	a, p, r := pairedCore(t, relayserver.Options{})
	w := a.ask(`{"command":"ls"}`, time.Minute)
	browser.Eval[any](t, p, untilAt("open", w))
	changed := w.Card
	changed.Input = `{"command":"rm -rf /"}`
	a.do(func() { a.say(abcrypto.TypeCard, changed) })
	taps := browser.Eval[[]string](t, p, `Promise.allSettled([1, 2, 3].map(() => `+answerWith(w, "allow", "{}")+`)).then((all) => all.map((r) => r.status))`)
	if n := strings.Count(strings.Join(taps, " "), "fulfilled"); n != 1 {
		t.Errorf("%d of three taps signed an answer", n)
	}
	got := a.waitAnswers(2)
	if got[0].Answer.CardDigest != w.Digest || !bytes.Equal(got[0].Raw, got[1].Raw) {
		t.Error("the answer is not to the card that was shown first")
	}
	a.do(func() { a.say(abcrypto.TypeReceipt, a.receipt(got[0], card.Accepted)) })
	browser.Eval[any](t, p, untilAt("receipt", w))
	openCore(t, p, r.URL) // the ended card is gone; the machine sends it once more
	why := browser.Eval[string](t, p, `until(() => core.waiting().find((w) => w.card.request_id === "`+id(w)+`"), Boolean).then((w) => w.noAllow)`)
	if why != string(card.Already) {
		t.Errorf("no Allow because of %q", why)
	}
}

// The log only grows: no Allow on a card that was made after another and names a smaller log, or the same size with another root. A card
// that was made before, and only came later, is none of that.
func TestLogCutOrForked(t *testing.T) {
	a, p, _ := pairedCore(t, relayserver.Options{})
	start := nowMS()
	judge := func(name string, made uint64, size uint64, root byte, want card.NoAllow) card.Written {
		t.Helper()
		var w card.Written
		a.do(func() { w = a.askAt(`{"command":"ls"}`, made, time.Minute, card.Log{Size: size, Root: [32]byte{root}}) })
		browser.Eval[any](t, p, untilAt("open", w))
		if why := browser.Eval[string](t, p, `core.waiting().at(-1).noAllow ?? ""`); why != string(want) {
			t.Errorf("%s: %q, want %q", name, why, want)
		}
		return w
	}
	judge("the first", start, 42, 1, card.Offered)
	judge("a larger one", start+1, 43, 2, card.Offered)
	judge("made before the first, came later", start-1, 41, 3, card.Offered)
	judge("the same size, another root", start+2, 43, 9, card.LogCut)
	judge("a fork below", start-2, 41, 9, card.LogCut)
	judge("made in the same moment, smaller", start-1, 40, 4, card.Offered)
	judge("a fork far below", start-1, 40, 9, card.LogCut)
	cut := judge("made later, smaller", start+3, 42, 1, card.LogCut)
	if _, err := p.Eval(answerWith(cut, "allow", "{}")); err == nil {
		t.Error("an Allow was signed for a log that was cut")
	}
	browser.Eval[bool](t, p, answerWith(cut, "deny", "{}"))
	if got := a.waitAnswers(1)[0].Answer.Decision; got != abcrypto.Deny {
		t.Errorf("decision %d", got)
	}
	judge("the log goes on", start+4, 44, 5, card.Offered)
	if trouble := browser.Eval[string](t, p, `core.machines()[0].trouble`); trouble != "log" {
		t.Errorf("the machine shows %q", trouble)
	}
}

// A browser that drops a key later: the machine says so, and nothing is signed.
func TestKeysLost(t *testing.T) {
	a, p, r := pairedCore(t, relayserver.Options{})
	w := a.ask(`{"command":"ls"}`, time.Minute)
	browser.Eval[any](t, p, untilAt("open", w))
	browser.Eval[any](t, p, `new Promise((resolve) => { const q = indexedDB.open("answerback"); q.onsuccess = () => {
		const tx = q.result.transaction("keys", "readwrite"); tx.objectStore("keys").clear(); tx.oncomplete = () => { q.result.close(); resolve(true); }; }; })`)
	if _, err := p.Eval(answerWith(w, "allow", "{}")); err == nil {
		t.Error("an answer was made without a key")
	}
	openCore(t, p, r.URL)
	browser.Eval[any](t, p, `until(() => core.machines()[0].trouble, (why) => why === "keys")`)
}

// B041: the deadline is the machine's; after it the card offers nothing.
func TestExpired(t *testing.T) {
	a, p, _ := pairedCore(t, relayserver.Options{})
	w := a.ask(`{"command":"ls"}`, 300*time.Millisecond)
	browser.Eval[any](t, p, untilAt("expired", w))
	if _, err := p.Eval(answerWith(w, "allow", "{}")); err == nil {
		t.Error("an expired card was answered")
	}
}

// B106: what the relay replays and reorders changes nothing.
func TestB106_Replay(t *testing.T) {
	var watching atomic.Bool
	var mu sync.Mutex
	var kept [][]byte
	lossy := relaytest.NewLossy(func(_ relay.Box, payload []byte) bool {
		if watching.Load() {
			mu.Lock()
			kept = append(kept, bytes.Clone(payload))
			mu.Unlock()
		}
		return false
	})
	a, p, _ := pairedCore(t, relayserver.Options{Bus: lossy})
	watching.Store(true)
	w := a.ask(`{"command":"ls"}`, time.Minute)
	browser.Eval[any](t, p, untilAt("open", w))
	browser.Eval[bool](t, p, answerWith(w, "deny", "{}"))
	got := a.waitAnswers(1)
	a.do(func() { a.say(abcrypto.TypeReceipt, a.receipt(got[0], card.Accepted)) })
	browser.Eval[any](t, p, untilAt("receipt", w))
	watching.Store(false)
	mu.Lock()
	defer mu.Unlock()
	for i := range kept {
		a.send(a.paired.Boxes, kept[len(kept)-1-i]) // both directions' messages, backwards, into the device's box
	}
	next := a.ask(`{"command":"pwd"}`, time.Minute)
	browser.Eval[any](t, p, untilAt("open", next))
	if at := browser.Eval[struct{ At string }](t, p, progress(w)).At; at != "receipt" {
		t.Errorf("after the replay the card stands at %q", at)
	}
	if n := browser.Eval[int](t, p, `core.waiting().length`); n != 2 {
		t.Errorf("%d cards", n)
	}
}
