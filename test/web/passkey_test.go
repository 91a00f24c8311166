package web

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"answerback/agent/card"
	"answerback/agent/control"
	abcrypto "answerback/crypto"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
	"answerback/test/browser"
)

// finger is a phone's own authenticator, in Chromium's test environment.
type finger struct {
	t  *testing.T
	p  browser.Page
	id webauthn.AuthenticatorID
}

// newFinger gives a page an authenticator that verifies its user.
func newFinger(t *testing.T, p browser.Page) *finger {
	t.Helper()
	devtools(t, p, "focus", func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	})
	f := &finger{t: t, p: p}
	devtools(t, p, "webauthn", func(ctx context.Context) error {
		if _, err := chromedp.Call(ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return err
		}
		made, err := chromedp.Call(ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasUserVerification: true, IsUserVerified: true,
			HasResidentKey: true, AutomaticPresenceSimulation: true}})
		f.id = made.AuthenticatorID
		return err
	})
	return f
}

func devtools(t *testing.T, p browser.Page, what string, do func(context.Context) error) {
	t.Helper()
	if err := do(browser.Context(p)); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// verifies says whether the person is recognised from now on.
func (f *finger) verifies(yes bool) {
	f.t.Helper()
	devtools(f.t, f.p, "set user verified", func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: f.id, IsUserVerified: yes})
		return err
	})
}

// touched says whether somebody touches it from now on; if not, the browser's question stays open.
func (f *finger) touched(yes bool) {
	f.t.Helper()
	devtools(f.t, f.p, "set presence", func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, webauthn.SetAutomaticPresenceSimulation, webauthn.SetAutomaticPresenceSimulationParams{AuthenticatorID: f.id, Enabled: yes})
		return err
	})
}

// lies has it give wrong signatures, or leave out that it verified anybody.
func (f *finger) lies(signature, verification bool) {
	f.t.Helper()
	devtools(f.t, f.p, "set response bits", func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, webauthn.SetResponseOverrideBits, webauthn.SetResponseOverrideBitsParams{AuthenticatorID: f.id, IsBogusSignature: &signature, IsBadUV: &verification})
		return err
	})
}

// withPasskey is the product's own agent, paired with a page at localhost, which has a name and so can have passkeys.
func withPasskey(t *testing.T, registers bool) (*machine, browser.Page, *finger) {
	t.Helper()
	r := relaytest.New(t, relayserver.Options{App: appFS(t)})
	url := strings.Replace(r.URL, "127.0.0.1", "localhost", 1)
	p := chromium.Page(t)
	f := newFinger(t, p)
	openCore(t, p, url)
	browser.Eval[any](t, p, fmt.Sprintf(`void (globalThis.withPasskey = %v)`, registers))
	m := startMachine(t, url)
	m.pair(p)
	browser.Eval[any](t, p, `until(() => core.machines(), (m) => m[0]?.online)`)
	return m, p, f
}

// openCard waits for the card of a command.
func openCard(t *testing.T, p browser.Page, command string) (id string) {
	t.Helper()
	return browser.Eval[string](t, p, fmt.Sprintf(`until(() => core.waiting().find((w) => w.progress.at === "open" && w.card.input.includes(%q)), Boolean).then((w) => w.card.request_id)`, command))
}

// answered answers a card and says what came of it: the name of what was thrown, or the receipt's outcome and reason.
func answered(t *testing.T, p browser.Page, id, decision string) string {
	t.Helper()
	return browser.Eval[string](t, p, fmt.Sprintf(`core.answer(core.machines()[0].id, %q, %q).then(
		() => until(() => core.waiting().find((w) => w.card.request_id === %[1]q).progress, (p) => p.at === "receipt").then((p) => (p.receipt.outcome + " " + (p.receipt.reason ?? "")).trim()),
		(e) => e.name)`, id, decision))
}

func printedIn(t *testing.T, printed <-chan string) string {
	t.Helper()
	select {
	case got := <-printed:
		return got
	case <-time.After(20 * time.Second):
		t.Fatal("the hook waits in vain")
		return ""
	}
}

func waits(t *testing.T, printed <-chan string) {
	t.Helper()
	select {
	case got := <-printed:
		t.Fatalf("the hook printed %q", got)
	case <-time.After(300 * time.Millisecond):
	}
}

const printedAllow = `0 {"decision":"allow"}`

// The whole trip with a passkey: registered while pairing, asked for at a destructive call, checked by the machine. Without the person's face
// nothing is sent and the card stays; with it the same card is allowed.
func TestPasskey(t *testing.T) {
	m, p, f := withPasskey(t, true)
	if !browser.Eval[bool](t, p, `until(() => core.machines()[0], (m) => m.passkey && m.devices.find((d) => d.id === m.device).passkey).then(Boolean)`) {
		t.Fatal("the machine does not know the passkey")
	}
	printed := m.call("rm -rf build")
	id := openCard(t, p, "rm -rf build")
	f.verifies(false)
	if got := answered(t, p, id, "allow"); got != "NotConfirmed" {
		t.Errorf("without user verification: %q", got)
	}
	waits(t, printed)
	if at := browser.Eval[string](t, p, fmt.Sprintf(`core.waiting().find((w) => w.card.request_id === %q).progress.at`, id)); at != "open" {
		t.Fatalf("the card stands at %q", at)
	}
	f.verifies(true)
	if got := answered(t, p, id, "allow"); got != string(card.Accepted) {
		t.Errorf("with it: %q", got)
	}
	if got := printedIn(t, printed); got != printedAllow {
		t.Errorf("the hook printed %q", got)
	}
}

// What is routine, and a Deny of anything, takes no passkey: the authenticator would refuse here.
func TestPasskeyIsNotAskedForWhatNarrows(t *testing.T) {
	m, p, f := withPasskey(t, true)
	f.verifies(false)
	for command, decision := range map[string]string{"ls": "allow", "rm -rf build": "deny"} {
		printed := m.call(command)
		if got := answered(t, p, openCard(t, p, command), decision); got != string(card.Accepted) {
			t.Errorf("%s, %s: %q", command, decision, got)
		}
		if got := printedIn(t, printed); !strings.HasPrefix(got, `0 {"decision":"`+decision) {
			t.Errorf("%s: the hook printed %q", command, got)
		}
	}
}

// A page that shows the machine an assertion of another answer, or one that is not its passkey's, is refused by the machine.
func TestPasskeyOfAnotherAnswerIsRefused(t *testing.T) {
	m, p, f := withPasskey(t, true)
	browser.Eval[any](t, p, `void (() => { const get = navigator.credentials.get.bind(navigator.credentials); let first; navigator.credentials.get = (o) => (first ??= get(o)); globalThis.honest = () => { navigator.credentials.get = get; }; })()`)
	printed := m.call("rm -rf build")
	if got := answered(t, p, openCard(t, p, "rm -rf build"), "allow"); got != string(card.Accepted) {
		t.Fatalf("the first answer: %q", got)
	}
	printedIn(t, printed)
	printed = m.call("rm -rf dist")
	if got := answered(t, p, openCard(t, p, "rm -rf dist"), "allow"); got != "refused passkey" {
		t.Errorf("the same assertion again: %q", got)
	}
	waits(t, printed)
	browser.Eval[any](t, p, `honest()`)
	f.lies(true, false)
	printed = m.call("rm -rf out")
	if got := answered(t, p, openCard(t, p, "rm -rf out"), "allow"); got != "refused passkey" {
		t.Errorf("a bogus signature: %q", got)
	}
	waits(t, printed)
	f.lies(false, true)
	printed = m.call("rm -rf tmp")
	if got := answered(t, p, openCard(t, p, "rm -rf tmp"), "allow"); got != "NotConfirmed" {
		t.Errorf("an assertion that does not say that anybody was verified: %q", got)
	}
	waits(t, printed)
}

// A device without a passkey allows a destructive call in the app, as before.
func TestDestructiveWithoutAPasskey(t *testing.T) {
	m, p, _ := withPasskey(t, false)
	if browser.Eval[bool](t, p, `core.machines()[0].passkey || core.machines()[0].devices.some((d) => d.passkey)`) {
		t.Error("a passkey is there that nobody made")
	}
	printed := m.call("rm -rf build")
	if got := answered(t, p, openCard(t, p, "rm -rf build"), "allow"); got != string(card.Accepted) {
		t.Errorf("the answer: %q", got)
	}
	if got := printedIn(t, printed); got != printedAllow {
		t.Errorf("the hook printed %q", got)
	}
}

// The card ends while the browser still asks for the finger: the question goes away, and nothing is sent.
func TestPasskeyIsAskedNoLongerThanItsCard(t *testing.T) {
	m, p, f := withPasskey(t, true)
	f.touched(false)
	printed := m.call("rm -rf build")
	id := openCard(t, p, "rm -rf build")
	browser.Eval[any](t, p, fmt.Sprintf(`void (globalThis.asked = core.answer(core.machines()[0].id, %q, "allow").then(() => "sent", (e) => e.name))`, id))
	time.Sleep(200 * time.Millisecond)
	m.say(control.Request{Do: control.DoDeny, ID: id})
	if got := browser.Eval[string](t, p, `asked`); got != "NotConfirmed" {
		t.Errorf("the answer ended with %q", got)
	}
	if got := printedIn(t, printed); !strings.HasPrefix(got, `0 {"decision":"deny"`) {
		t.Errorf("the hook printed %q", got)
	}
}

// say sends one request to the agent and reads to its end.
func (m *machine) say(req control.Request) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := control.Dial(ctx, m.socket, req)
	if err != nil {
		m.t.Fatal(err)
	}
	defer conn.Close()
	for err == nil {
		_, err = conn.Next()
	}
}

// Whoever is not verified while pairing registers nothing; the pairing goes on without.
func TestPasskeyThatWasNotMade(t *testing.T) {
	_, p, r := unpairedCore(t)
	f := newFinger(t, p)
	openCore(t, p, strings.Replace(r.URL, "127.0.0.1", "localhost", 1))
	f.verifies(false)
	const make = `core.makePasskey("studio").then(() => "made", () => "not made")`
	if got := browser.Eval[string](t, p, make); got != "not made" {
		t.Errorf("without user verification it was %s", got)
	}
	f.verifies(true)
	f.lies(false, true)
	if got := browser.Eval[string](t, p, make); got != "not made" {
		t.Errorf("one that does not say that anybody was verified was %s", got)
	}
	f.lies(false, false)
	if got := browser.Eval[string](t, p, make); got != "made" {
		t.Errorf("with user verification it was %s", got)
	}
}

// By an address of numbers no browser makes a passkey, so none is offered there; by a name it is.
func TestPasskeyIsOfferedWhereItCanBe(t *testing.T) {
	a, p, r := unpairedCore(t)
	_, link := a.code()
	pairUntil(t, p, link, "confirm")
	const offered = `until(() => steps.find((s) => s.at === "confirm"), Boolean).then((s) => s.passkey)`
	if browser.Eval[bool](t, p, offered) {
		t.Error("it is offered at " + r.URL)
	}
	named := strings.Replace(r.URL, "127.0.0.1", "localhost", 1)
	b := newAgent(t, named)
	_, link = b.code()
	q := chromium.Page(t)
	openCore(t, q, named)
	pairUntil(t, q, link, "confirm")
	if !browser.Eval[bool](t, q, offered) {
		t.Error("it is not offered at " + named)
	}
}

// The page asks for a passkey exactly where the machine demands one: every card, way and device that can be, held against card.VerifyAnswer.
func TestWhatTakesAPasskey(t *testing.T) {
	p := chromium.Page(t)
	openCore(t, p, relaytest.New(t, relayserver.Options{App: appFS(t)}).URL)
	count := map[string]int{}
	for c := range demands() {
		want := c.byTheMachine(t)
		got := browser.Eval[string](t, p, fmt.Sprintf(`confirmedBy({kind: %q, class: %q, needs: {via: %q}}, %v, %v, %v) ?? ""`, c.kind, c.class, c.need, c.rule, c.known, c.kept))
		if got != want {
			t.Errorf("%+v: the page says %q, the machine %q", c, got, want)
		}
		count[got]++
	}
	if count["app"] < 30 || count["passkey"] < 15 || count[""] < 30 {
		t.Errorf("too little was asked: %v", count)
	}
}

// demand is one Allow: of what, whether with a rule, and what machine and page know of the device's passkey.
type demand struct {
	kind              card.Kind
	class             card.Class
	need              card.Need
	rule, known, kept bool
}

func demands() iter.Seq[demand] {
	return func(yield func(demand) bool) {
		for _, kind := range []card.Kind{card.KindCall, card.KindQuestion, card.KindAdmin} {
			for _, class := range []card.Class{card.Routine, card.Sensitive, card.Destructive} {
				for _, need := range []card.Need{card.NeedTap, card.NeedApp, card.NeedPasskey} {
					for bits := range 8 {
						d := demand{kind, class, need, bits&1 != 0, bits&2 != 0, bits&4 != 0}
						if d.rule && (kind != card.KindCall || class == card.Destructive) {
							continue // such a card states no rule
						}
						if !yield(d) {
							return
						}
					}
				}
			}
		}
	}
}

// byTheMachine says by which way the machine takes the Allow; a page that keeps no id has no passkey to show.
func (d demand) byTheMachine(t *testing.T) string {
	switch {
	case d.taken(t, abcrypto.ViaApp):
		return "app"
	case d.kept && d.taken(t, abcrypto.ViaPasskey):
		return "passkey"
	}
	return ""
}

func (d demand) taken(t *testing.T, via abcrypto.Via) bool {
	t.Helper()
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	by := card.Answerer{Device: abcrypto.DeviceID(pub), Key: pub, Role: card.Approver}
	if d.known {
		by.Passkey = func([32]byte, []byte) error { return nil }
	}
	asked := card.Asked{Agent: abcrypto.ID{1}, Kind: d.kind, Class: d.class, Via: d.need, Rules: 1, Offered: true}
	a := abcrypto.Answer{Agent: asked.Agent, Device: by.Device, Decision: abcrypto.Allow, Via: via, MadeMS: 1}
	if d.kind == card.KindQuestion {
		a.Decision, a.Payload = abcrypto.Answered, []byte(`{"Which?":"this"}`)
	}
	if d.rule {
		a.Flags = abcrypto.RuleFlags(0)
	}
	var assertion []byte
	if via == abcrypto.ViaPasskey {
		assertion = []byte{1}
	}
	m, err := abcrypto.SignAnswer(key, a, assertion)
	if err != nil {
		t.Fatal(err)
	}
	_, err = card.VerifyAnswer(asked, by, m.Bytes())
	if err != nil && !errors.Is(err, card.ErrVia) && !errors.Is(err, card.ErrPasskey) {
		t.Fatalf("%+v: %v", d, err)
	}
	return err == nil
}
