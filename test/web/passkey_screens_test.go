package web

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"answerback/agent/control"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
	"answerback/test/browser"
)

// tapped presses the button that says this, once it is there and listens.
func tapped(t *testing.T, p browser.Page, says string) {
	t.Helper()
	button := fmt.Sprintf(`[...document.querySelectorAll("button")].find((b) => (b.firstChild?.firstChild?.data ?? b.textContent).trim() === %q || b.textContent.trim() === %[1]q)`, says)
	browser.Eval[any](t, p, waitFor(button+` && !`+button+`.closest("[data-guard]")`))
	browser.Eval[any](t, p, `void `+button+`.click()`)
}

// reads waits until the page says this.
func reads(t *testing.T, p browser.Page, says string) {
	t.Helper()
	if _, err := p.Eval(waitFor(fmt.Sprintf(`document.body.innerText.replace(/\s+/g, " ").includes(%q)`, says))); err != nil {
		t.Fatalf("the page never says %q; it says: %s", says, browser.Eval[string](t, p, `document.body.innerText.replace(/\s+/g, " ")`))
	}
}

// pairScreens pairs as a person does: reads the screens, and types what they show into the terminal.
func (m *machine) pairScreens(p browser.Page, confirm func()) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := control.Dial(ctx, m.socket, control.Request{Do: control.DoPair})
	for err != nil && ctx.Err() == nil { // the socket opens a moment after the start
		time.Sleep(20 * time.Millisecond)
		conn, err = control.Dial(ctx, m.socket, control.Request{Do: control.DoPair})
	}
	if err != nil {
		m.t.Fatal(err)
	}
	defer conn.Close()
	for {
		reply, err := conn.Next()
		switch {
		case err == io.EOF:
			return
		case err != nil:
			m.t.Fatal(err)
		case reply.Pair == nil:
		case reply.Pair.Event == "code":
			browser.Open(m.t, p, reply.Pair.Link)
			confirm()
			digits := browser.Eval[string](m.t, p, waitFor(`document.querySelector(".digits")`)+`.then(() => document.querySelector(".digits").textContent)`)
			if err := conn.Say(control.PairInput{Digits: digits}); err != nil {
				m.t.Fatal(err)
			}
		}
	}
}

// The app itself, as a person uses it: a passkey is added on the confirm screen, survives a change of the name there, is asked for under
// "with passkey", and is listed afterwards.
func TestPasskeyOnTheScreens(t *testing.T) {
	r := relaytest.New(t, relayserver.Options{App: os.DirFS(app)})
	url := strings.Replace(r.URL, "127.0.0.1", "localhost", 1)
	p := chromium.Page(t)
	f := newFinger(t, p)
	m := startMachine(t, url)
	m.pairScreens(p, func() {
		f.verifies(false)
		tapped(t, p, "Add a passkey")
		reads(t, p, "Not added. You can pair without one.")
		f.verifies(true)
		tapped(t, p, "Add a passkey")
		reads(t, p, "Added. studio learns of it when you pair.")
		browser.Eval[any](t, p, `void (() => { const n = document.querySelector("#n"); n.value = "Pixel 9"; n.dispatchEvent(new Event("input", { bubbles: true })); })()`)
		tapped(t, p, "Pair")
	})
	reads(t, p, "Paired with studio.")
	printed := m.call("rm -rf build")
	browser.Eval[any](t, p, `void (location.hash = "#/")`)
	browser.Eval[any](t, p, waitFor(`document.querySelector('a[href^="#/card/"]')`))
	browser.Eval[any](t, p, `void (location.hash = new URL(document.querySelector('a[href^="#/card/"]').href).hash)`)
	reads(t, p, "with passkey")
	f.verifies(false)
	tapped(t, p, "Allow")
	reads(t, p, "Passkey not confirmed. Nothing was sent.")
	waits(t, printed)
	f.verifies(true)
	tapped(t, p, "Allow")
	reads(t, p, "Allowed. Accepted by studio.")
	if got := printedIn(t, printed); got != printedAllow {
		t.Errorf("the hook printed %q", got)
	}
	browser.Eval[any](t, p, `void (location.hash = "#/settings")`)
	reads(t, p, "A passkey is added while pairing. To add or replace one, pair the machine again.")
	reads(t, p, "registered")
	browser.Eval[any](t, p, `void (location.hash = "#/machine")`)
	browser.Eval[any](t, p, waitFor(`document.querySelector('a[href^="#/machine/"]')`))
	browser.Eval[any](t, p, `void (location.hash = new URL(document.querySelector('a[href^="#/machine/"]').href).hash)`)
	reads(t, p, "Pixel 9")
	reads(t, p, "passkey · now")
}
