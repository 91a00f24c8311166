package web

import (
	"slices"
	"strings"
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

// What the machine says of an answer is what the notification says.
func TestReceiptsOnTheLockScreen(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	for outcome, want := range map[card.Outcome]string{
		card.Accepted: "Allowed. Accepted by studio.", card.TooLate: "Too late.", card.Answered: "Answered by studio first.", card.Undelivered: "Accepted by studio, delivered to nobody.",
		card.Refused: "Refused by studio.", card.Unknown: "studio does not know this call.", card.Withdrawn: "Withdrawn.", card.Counted: "0 of 0 have allowed.",
	} {
		r.do(func() { r.outcome, r.answers = outcome, nil })
		w := r.pushCard(`{"command":"ls"}`, nil)
		r.shows(w)
		r.tap(id(w), "allow")
		if n := r.says(w, want); len(n.Actions) > 0 || !n.Silent {
			t.Errorf("%s: buttons %q, silent %v", outcome, n.Actions, n.Silent)
		}
		r.one(abcrypto.Allow)
	}
}

// B042, B044 on the lock screen. The relay is gone at the tap: not delivered. It takes the answer and nobody speaks: no receipt yet. Both are
// kept, and the app sends the same bytes when it opens.
func TestRelayGoneAtTheTapOnTheLockScreen(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	w := r.pushCard(`{"command":"make"}`, nil)
	r.shows(w)
	r.relay.Kill()
	r.tap(id(w), "allow")
	if n := r.says(w, "Not delivered. Open to try again."); !slices.Equal(n.Actions, []string{"open"}) || !strings.HasSuffix(n.Body, " · make") {
		t.Errorf("buttons %q, body %q", n.Actions, n.Body)
	}
	r.none("with the relay gone")
	r.do(func() { r.outcome = card.Accepted })
	r.relay.Restart()
	openCore(t, r.p, r.relay.URL)
	browser.Eval[any](t, r.p, untilAt("receipt", w))
	r.one(abcrypto.Allow)
}

func TestNoReceiptOnTheLockScreen(t *testing.T) {
	var losing atomic.Bool
	lossy := relaytest.NewLossy(func(relay.Box, []byte) bool { return losing.Load() })
	r := ring(t, card.LockAnswer, relayserver.Options{Bus: lossy})
	r.away()
	w := r.pushCard(`{"command":"make"}`, nil)
	r.shows(w)
	r.waitSeen(w.Card.Request)
	losing.Store(true)
	r.tap(id(w), "allow")
	if n := r.says(w, "No receipt yet."); !slices.Equal(n.Actions, []string{"open"}) {
		t.Errorf("buttons %q", n.Actions)
	}
	losing.Store(false)
	r.do(func() { r.outcome = card.Accepted })
	openCore(t, r.p, r.relay.URL)
	browser.Eval[any](t, r.p, untilAt("receipt", w))
	r.one(abcrypto.Allow)
}

// B048: what comes back and does not name the bytes that were sent is no receipt: noise, another message, a receipt for other bytes.
func TestReceiptThatIsNone(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	r.do(func() { r.outcome, r.lies = card.Accepted, true })
	r.away()
	w := r.pushCard(`{"command":"make"}`, nil)
	r.shows(w)
	r.tap(id(w), "allow")
	r.says(w, "No receipt yet.")
	r.waitAnswers(2) // the same bytes once more
	r.push(abcrypto.TypeReceipt, card.Receipt{Request: w.Card.Request, Answer: [32]byte{1}, Outcome: card.Accepted, Time: nowMS()})
	r.waitNotice("unread", "there", func(notice) bool { return true })
	// The right one may come by a push as well.
	answer := r.one(abcrypto.Allow)
	r.push(abcrypto.TypeReceipt, r.receipt(answer, card.Accepted))
	r.says(w, "Allowed. Accepted by studio.")
}

// The browser dropped the signing key: nothing is sent, and it is said.
func TestKeyGoneAtTheTap(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	w := r.pushCard(`{"command":"ls"}`, nil)
	r.shows(w)
	browser.Eval[any](t, r.p, `new Promise((resolve) => { const q = indexedDB.open("answerback"); q.onsuccess = () => {
		const tx = q.result.transaction("keys", "readwrite"); tx.objectStore("keys").clear(); tx.oncomplete = () => { q.result.close(); resolve(true); }; }; })`)
	r.tap(id(w), "allow")
	if n := r.says(w, "This phone could not sign. Nothing was sent."); !slices.Equal(n.Actions, []string{"open"}) {
		t.Errorf("buttons %q", n.Actions)
	}
	r.none("without a key")
	next := r.write(`{"command":"ls"}`, time.Minute, nil)
	r.push(abcrypto.TypeCard, next.Card)
	r.waitNotice("unread", "there", func(notice) bool { return true })
}
