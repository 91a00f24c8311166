package web

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/pairing"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
	"answerback/test/browser"
)

// step is how the page's pairing stands.
type step struct{ At, Why, Digits, Name string }

// unpairedCore is a page that has paired with nobody, and an agent.
func unpairedCore(t *testing.T) (*agent, browser.Page, *relaytest.Relay) {
	t.Helper()
	r := relaytest.New(t, relayserver.Options{App: appFS(t)})
	p := chromium.Page(t)
	openCore(t, p, r.URL)
	return newAgent(t, r.URL), p, r
}

func pairUntil(t *testing.T, p browser.Page, link, at string) step {
	t.Helper()
	return browser.Eval[step](t, p, fmt.Sprintf("pair(%q, %q)", link, at))
}

// untilStopped waits for the end of the page's pairing.
func untilStopped(t *testing.T, p browser.Page) string {
	t.Helper()
	return browser.Eval[step](t, p, `until(() => steps.at(-1), (s) => s?.at === "stopped")`).Why
}

// B093: a photo of the code. The second device aborts the pairing for both, and neither is paired.
func TestB093_TwoDevicesOneCode(t *testing.T) {
	a, first, r := unpairedCore(t)
	_, link := a.code()
	if s := pairUntil(t, first, link, "digits"); s.At != "digits" {
		t.Fatalf("the first device: %+v", s)
	}
	second := chromium.Page(t)
	openCore(t, second, r.URL)
	if s := pairUntil(t, second, link, "digits"); s.At != "stopped" || s.Why != "two_devices" {
		t.Errorf("the second device: %+v", s)
	}
	if why := untilStopped(t, first); why != "two_devices" {
		t.Errorf("the first device stopped for %q", why)
	}
	if n := browser.Eval[int](t, first, `core.machines().length`); n != 0 {
		t.Errorf("%d machines are paired", n)
	}
}

// The words on the machine's side end the phone's pairing with their reason.
func TestPairingStopsWithItsReason(t *testing.T) {
	a, p, _ := unpairedCore(t)
	for reason, want := range map[pairing.Reason]string{pairing.StopWrongDigits: "wrong_digits", pairing.StopExpired: "old",
		pairing.StopRefused: "refused", pairing.StopCancelled: "cancelled", pairing.StopBadMessage: "bad", pairing.StopVersion: "version"} {
		side, link := a.code()
		pairUntil(t, p, link, "digits")
		a.send(side.PairBoxes(), side.Stop(reason))
		if why := untilStopped(t, p); why != want {
			t.Errorf("reason %d: the phone says %q, want %q", reason, why, want)
		}
	}
}

// A link that is none, of another app, or of another version never starts a pairing.
func TestLinksThatAreNotOurs(t *testing.T) {
	a, p, r := unpairedCore(t)
	side, link := a.code()
	for name, c := range map[string]struct{ link, want string }{
		"empty":             {"", "not_ours"},
		"another page":      {"https://example.com/", "not_ours"},
		"the code alone":    {strings.SplitN(link, "#", 2)[1], "not_ours"},
		"another app":       {strings.Replace(link, r.URL, "https://example.com", 1), "not_ours"},
		"cut short":         {link[:len(link)-3], "not_ours"},
		"a later version":   {strings.Replace(link, "#A", "#B", 1), "version"},
		"javascript":        {"javascript:alert(1)//" + link, "not_ours"},
		"a user in the URL": {strings.Replace(link, "http://", "http://x@", 1), "not_ours"},
	} {
		got := browser.Eval[string](t, p, fmt.Sprintf(`(() => { try { core.pair(%q, "x", () => {}); return ""; } catch (e) { return String(e); } })()`, c.link))
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	upper := "  " + pairing.LinkQR(r.URL, side.Offer(), "") + "\n"
	if s := pairUntil(t, p, upper, "digits"); s.At != "digits" {
		t.Errorf("the upper-case link of the code: %+v", s)
	}
}

// A code whose agent is gone says so, and does not spin for ever.
func TestCodeThatNobodyServes(t *testing.T) {
	a, p, _ := unpairedCore(t)
	var offer pairing.Offer
	rand.Read(offer.Secret[:])
	start := time.Now()
	browser.Eval[any](t, p, fmt.Sprintf(`void core.pair(%q, "x", (s) => steps.push(s))`, pairing.Link(a.url, offer, "")))
	if why := browser.Eval[step](t, p, `until(() => steps.at(-1), (s) => s?.at === "stopped", 30000)`).Why; why != "used" {
		t.Errorf("stopped for %q after %v", why, time.Since(start))
	}
}

// B094: an installed app starts at its start_url with empty storage: no dead end, and pairing works from there.
func TestB094_EmptyStorage(t *testing.T) {
	a, p, _ := unpairedCore(t)
	if n := browser.Eval[int](t, p, `core.machines().length + core.waiting().length`); n != 0 {
		t.Errorf("an empty phone shows %d things", n)
	}
	a.pair(p)
	browser.Eval[any](t, p, untilAt("open", a.ask(`{"command":"ls"}`, time.Minute)))
}

// A browser that takes keys and gives back nothing (Lockdown Mode, one engine with one kind of key) is found out before anything is
// made or sent.
func TestStorageThatKeepsNoKeys(t *testing.T) {
	for name, lose := range map[string]string{
		"refuses":        `IDBObjectStore.prototype.put = function (v, k) { if (v instanceof CryptoKey) throw new DOMException("no", "DataCloneError"); return real.call(this, v, k); }`,
		"reads back nil": `IDBObjectStore.prototype.put = function (v, k) { return real.call(this, v instanceof CryptoKey ? null : v, k); }`,
	} {
		a, p, _ := unpairedCore(t)
		browser.Eval[any](t, p, `(() => { const real = IDBObjectStore.prototype.put; `+lose+`; return true; })()`)
		_, link := a.code()
		if s := pairUntil(t, p, link, "confirm"); s.At != "stopped" || s.Why != "no_storage" {
			t.Errorf("%s: %+v", name, s)
		}
		a.do(func() {
			if a.locked != nil {
				t.Errorf("%s: the phone made a key all the same", name)
			}
		})
	}
}

// The phone's own no leaves nothing behind.
func TestCancelledOnThePhone(t *testing.T) {
	a, p, _ := unpairedCore(t)
	_, link := a.code()
	browser.Eval[any](t, p, `(() => { globalThis.pairing = core.pair(`+strconv.Quote(link)+`, "x", (s) => { steps.push(s); if (s.at === "confirm") pairing.cancel(); }); return true; })()`)
	if why := untilStopped(t, p); why != "cancelled" {
		t.Errorf("stopped for %q", why)
	}
	if n := browser.Eval[int](t, p, `core.machines().length`); n != 0 {
		t.Error("a machine was kept")
	}
}

// What a device orders is signed and numbered, goes out until the state shows it, and unpairing takes the keys away.
func TestOrdersAndUnpair(t *testing.T) {
	a, p, _ := pairedCore(t, relayserver.Options{})
	browser.Eval[any](t, p, `void (globalThis.removed = core.removeDevice(core.machines()[0].id, "`+strings.Repeat("0", 32)+`").then(() => "done", String))`)
	if got := browser.Eval[string](t, p, `removed`); got != "done" {
		t.Errorf("removing a device that the state does not list: %q", got)
	}
	browser.Eval[any](t, p, `void (globalThis.gone = core.unpair(core.machines()[0].id).then(() => true))`)
	browser.Eval[bool](t, p, `gone`)
	a.do(func() {
		if len(a.orders) < 2 {
			t.Fatalf("%d orders came", len(a.orders))
		}
		for i, want := range []card.Verb{card.RemoveDevice, card.Unpair} {
			order, err := card.ParseAdmin(a.orders[i].Body)
			if err != nil || order.Action != want || a.orders[i].Seq != uint64(i+1) {
				t.Errorf("order %d: %+v, number %d, %v", i, order, a.orders[i].Seq, err)
			}
		}
	})
	left := browser.Eval[int](t, p, `new Promise((resolve) => { const q = indexedDB.open("answerback"); q.onsuccess = () => {
		const tx = q.result.transaction(["keys", "machines", "ratchets"]); let n = 0;
		for (const s of ["keys", "machines", "ratchets"]) tx.objectStore(s).count().onsuccess = (e) => { n += e.target.result; };
		tx.oncomplete = () => resolve(n); }; })`)
	if left != 0 {
		t.Errorf("%d records are left", left)
	}
}

// Two windows of one phone: both show the card, one answer is signed, both show its end, and the ratchet stays whole.
func TestTwoWindows(t *testing.T) {
	a, first, r := unpairedCore(t)
	a.pair(first)
	second := chromium.Page(t)
	openCore(t, second, r.URL)
	w := a.ask(`{"command":"ls"}`, time.Minute)
	for _, p := range []browser.Page{first, second} {
		browser.Eval[any](t, p, untilAt("open", w))
	}
	browser.Eval[bool](t, first, answerWith(w, "allow", "{}"))
	browser.Eval[any](t, second, `until(() => `+progress(w)+`, (p) => p.at !== "open")`)
	if _, err := second.Eval(answerWith(w, "deny", "{}")); err == nil {
		t.Error("the second window signed another answer")
	}
	got := a.waitAnswers(1)
	a.do(func() { a.say(abcrypto.TypeReceipt, a.receipt(got[0], card.Accepted)) })
	for _, p := range []browser.Page{first, second} {
		browser.Eval[any](t, p, untilAt("receipt", w))
	}
}
