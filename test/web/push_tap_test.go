package web

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/relay/relayserver"
	"answerback/test/browser"
)

// away leaves the app: the browser stands on another page of the same origin, and only the worker is there.
func (r *rung) away() {
	r.t.Helper()
	browser.Open(r.t, r.p, r.relay.URL+"/v1/info")
	browser.Eval[any](r.t, r.p, `navigator.serviceWorker.ready.then(() => true)`)
}

// sent are the answers that came so far.
func (a *agent) sent() []abcrypto.AnswerMessage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.answers)
}

// one holds that every copy of an answer has the same bytes, and returns it.
func (r *rung) one(want abcrypto.Decision) abcrypto.AnswerMessage {
	r.t.Helper()
	all := r.waitAnswers(1)
	for _, other := range all[1:] {
		if !bytes.Equal(other.Bytes(), all[0].Bytes()) {
			r.t.Error("two answers were signed")
		}
	}
	if a := all[0].Answer; a.Decision != want || a.Via != abcrypto.ViaNotification {
		r.t.Errorf("decision %d by way %d", a.Decision, a.Via)
	}
	return all[0]
}

// none holds that nothing was signed.
func (r *rung) none(why string) {
	r.t.Helper()
	if got := r.sent(); len(got) > 0 {
		r.t.Errorf("%s: %d answers were sent", why, len(got))
	}
}

// B069: the tap on the lock screen, with the app closed. The answer is signed there, and "Allowed" appears by the machine's receipt alone.
func TestB069_AllowOnTheLockScreen(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	r.do(func() { r.outcome = card.Accepted })
	r.away()
	w := r.pushCard(settle, nil)
	r.shows(w)
	r.tap(id(w), "allow")
	n := r.says(w, "Allowed. Accepted by studio.")
	if !n.Silent || len(n.Actions) > 0 || !strings.HasSuffix(n.Body, " · go test ./... -run TestSettle -count=1") {
		t.Errorf("silent %v, buttons %q, body %q", n.Silent, n.Actions, n.Body)
	}
	got := r.one(abcrypto.Allow)
	if _, err := card.VerifyAnswer(w.Asked(r.paired.Agent), card.Answerer{Device: r.paired.Device, Key: r.paired.DeviceKey, Role: card.Approver}, got.Bytes()); err != nil {
		t.Error(err)
	}
	openCore(t, r.p, r.relay.URL)
	past := browser.Eval[[]struct {
		Mine    bool
		Outcome string
	}](t, r.p, `core.history()`)
	if len(past) != 1 || !past[0].Mine || past[0].Outcome != "accepted" {
		t.Errorf("history is %+v", past)
	}
}

// Deny is one tap, also where nothing of the call may be shown, and for what needs the app.
func TestDenyIsOneTap(t *testing.T) {
	for lock, change := range map[card.LockScreen]func(*card.Card){
		card.LockHide: class(card.Destructive, card.NeedPasskey), card.LockUnset: class(card.Sensitive, card.NeedApp), card.LockShow: nil,
	} {
		r := ring(t, lock, relayserver.Options{})
		r.do(func() { r.outcome = card.Accepted })
		w := r.pushCard(`{"command":"rm -rf build"}`, change)
		r.shows(w)
		r.tap(id(w), "deny")
		if n := r.says(w, "Denied. Accepted by studio."); lock == card.LockHide && strings.Contains(n.Body, "rm") {
			t.Errorf("the call is shown at its end: %q", n.Body)
		}
		r.one(abcrypto.Deny)
	}
}

// An Allow that the card does not offer on a lock screen is not signed, whoever made the tap.
func TestAllowThatIsNotOffered(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	for name, change := range map[string]func(*card.Card){
		"sensitive": class(card.Sensitive, card.NeedApp), "destructive": class(card.Destructive, card.NeedApp),
		"sensitive for a tap": class(card.Sensitive, card.NeedTap), "needs the app": func(k *card.Card) { k.Needs.Via = card.NeedApp },
		"needs two": func(k *card.Card) { k.Needs.Quorum = 2 }, "a question": func(k *card.Card) { k.Kind = card.KindQuestion }, "a new device": admits,
		"a secret": func(k *card.Card) { k.Input = `{"command":"API_TOKEN=abc123 make"}` }, "hidden": func(k *card.Card) { k.Input = `{"command":"ls\u200b"}` },
		"another roster": func(k *card.Card) { k.RosterHash[0] ^= 1 },
	} {
		w := r.pushCard(`{"command":"ls"}`, change)
		r.shows(w)
		r.tap(id(w), "allow")
		if n := r.shows(w); n.does("allow") || strings.HasPrefix(n.Title, "Allowed") {
			t.Errorf("%s: %q, buttons %q", name, n.Title, n.Actions)
		}
		r.none(name)
		r.forget(w)
	}
}

// The person narrowed the lock screen after the notification came up: its Allow is worth nothing any more.
func TestNarrowedSinceItCameUp(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	w := r.pushCard(`{"command":"ls"}`, nil)
	r.shows(w)
	r.do(func() { r.lock = card.LockShow; r.greet() })
	browser.Eval[any](t, r.p, `until(() => core.machines()[0]?.lockScreen, (l) => l === "show")`)
	r.tap(id(w), "allow")
	if n := r.shows(w); n.does("allow") || !n.does("deny") {
		t.Errorf("buttons %q", n.Actions)
	}
	r.none("after it was narrowed")
}

// B076, and a tap that comes when the deadline is over: nothing is signed.
func TestTapAfterTheDeadline(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	w := r.pushCard(`{"command":"ls"}`, func(k *card.Card) { k.Expires = nowMS() + 1500 })
	if n := r.shows(w); !n.does("allow") {
		t.Fatalf("buttons %q", n.Actions)
	}
	time.Sleep(1600 * time.Millisecond)
	for _, action := range []string{"allow", "deny"} {
		r.tap(id(w), action)
		r.says(w, "Expired at ")
	}
	r.none("after the deadline")
}

// A tap that comes twice, as a replayed event would, or two at once: one answer.
func TestTapTwice(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	r.do(func() { r.outcome = card.Accepted })
	w := r.pushCard(`{"command":"ls"}`, nil)
	r.shows(w)
	done := make(chan bool)
	go func() { r.tap(id(w), "allow"); close(done) }()
	r.tap(id(w), "deny")
	<-done
	r.tap(id(w), "allow")
	r.waitNotice(id(w), "ended", func(n notice) bool { return strings.HasSuffix(n.Title, "Accepted by studio.") })
	all := r.waitAnswers(1)
	for _, other := range all {
		if !bytes.Equal(other.Raw, all[0].Raw) {
			t.Error("two answers were signed for one call")
		}
	}
}

// B098: it ended while its notification was up, by another phone or at the terminal: the tap signs nothing.
func TestTapAfterTheEnd(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	w := r.pushCard(`{"command":"ls"}`, nil)
	r.shows(w)
	r.push(abcrypto.TypeSettled, card.Settled{Seq: r.nextSeq(), Request: w.Card.Request, Outcome: card.EndAllowed, Device: "Pixel", Time: nowMS()})
	r.says(w, "Answered by Pixel.")
	r.tap(id(w), "allow") // on the notification as it was
	r.says(w, "Answered by Pixel.")
	r.none("after its end")
}

// Two machines share the subscription. What one seals opens for no other, and an answer goes to the machine whose call it is.
func TestTwoMachinesOneSubscription(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	other := newAgent(t, r.relay.URL)
	other.lock, other.outcome = card.LockAnswer, card.Accepted
	other.pair(r.p)
	browser.Eval[any](t, r.p, `until(() => core.machines().map((m) => m.lockScreen).join(), (l) => l === "answer,answer")`)
	second := &rung{agent: other, p: r.p, relay: r.relay, registrations: r.registrations}
	w := other.write(`{"command":"ls"}`, time.Minute, nil)
	foreign := other.payload(abcrypto.TypeCard, w.Body)
	copy(foreign, r.paired.Device[:])
	r.deliver(fmt.Sprintf("%x", foreign))
	r.waitNotice("unread", "there", func(notice) bool { return true })
	mine, theirs := r.pushCard(`{"command":"mine"}`, nil), second.pushCard(`{"command":"theirs"}`, nil)
	r.shows(mine)
	r.shows(theirs)
	r.tap(id(theirs), "allow")
	r.says(theirs, "Allowed. Accepted by studio.")
	second.one(abcrypto.Allow)
	r.none("for the other machine's call")
	if n := r.shows(mine); !n.does("allow") {
		t.Errorf("the other machine's call has the buttons %q", n.Actions)
	}
}

// A tap on the notification itself, or on Open, shows that very card: in the window that is there, else in a new one (B066).
func TestB066_TapOpensThatCard(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	older := r.pushCard(`{"command":"older"}`, nil)
	r.shows(older)
	w := r.pushCard(`{"command":"newer"}`, class(card.Sensitive, card.NeedApp))
	r.shows(w)
	browser.Eval[any](t, r.p, `(globalThis.told = [], navigator.serviceWorker.addEventListener("message", (e) => told.push(e.data.open)), true)`)
	want := "#/card/" + r.paired.Agent.String() + "/" + id(w)
	for _, action := range []string{"", "open"} {
		r.tap(id(w), action)
		browser.Eval[any](t, r.p, fmt.Sprintf(`until(() => told.at(-1), (a) => a === %q)`, want))
	}
	if n := slices.IndexFunc(r.notices(), func(n notice) bool { return n.Tag == id(w) }); n >= 0 {
		t.Error("the notification stays")
	}
	r.none("by opening")
	// Without a person's tap the browser lets no window come to the front, so one was opened.
	if opened := askWorker[[]string](r, `{opened: true}`); len(opened) == 0 || opened[0] != "/"+want {
		t.Errorf("opened %q", opened)
	}
}

// What is answered in the app is not asked on the lock screen any more.
func TestAnsweredInTheApp(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	r.do(func() { r.outcome = card.Accepted })
	w, stays := r.pushCard(`{"command":"ls"}`, nil), r.pushCard(`{"command":"stays"}`, nil)
	r.shows(stays)
	browser.Eval[any](t, r.p, untilAt("open", w))
	browser.Eval[bool](t, r.p, answerWith(w, "deny", "{}"))
	browser.Eval[any](t, r.p, untilAt("receipt", w))
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		all := r.notices()
		if len(all) == 1 && all[0].Tag == id(stays) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("there are %+v", all)
		}
	}
}

// The notifications speak the language of the screens.
func TestNotificationsInPortuguese(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	r.do(func() { r.outcome = card.Accepted })
	browser.Eval[any](t, r.p, `core.speaks("pt-BR")`)
	w := r.pushCard(`{"command":"ls"}`, class(card.Sensitive, card.NeedApp))
	n := r.says(w, "Claude Code em studio: comando, sensível")
	if !slices.Equal(n.Labels, []string{"Negar", "Abrir"}) || !strings.Contains(n.Body, "/home/dev/project, até ") {
		t.Errorf("buttons %q, body %q", n.Labels, n.Body)
	}
	r.tap(id(w), "deny")
	r.says(w, "Negado. Aceito por studio.")
}
