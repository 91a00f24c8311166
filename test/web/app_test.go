package web

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
	"answerback/test/browser"
)

// watch keeps what the page's policy refused, from the first script on.
const watch = `globalThis.refused = []; addEventListener("securitypolicyviolation", (e) => refused.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));`

// openApp loads the built app itself, as a relay serves it.
func openApp(t *testing.T) (browser.Page, *relaytest.Relay) {
	t.Helper()
	r := relaytest.New(t, relayserver.Options{App: os.DirFS(app)})
	p := chromium.Page(t)
	if _, err := chromedp.Call(browser.Context(p), cdp.AddScriptToEvaluateOnNewDocument, cdp.AddScriptToEvaluateOnNewDocumentParams{Source: watch}); err != nil {
		t.Fatal(err)
	}
	browser.Open(t, p, r.URL+"/")
	browser.Eval[any](t, p, waitFor(`document.querySelector("#app h1")`))
	return p, r
}

// waitFor is an expression that resolves once another is true.
func waitFor(condition string) string {
	return `new Promise((resolve, reject) => { const end = Date.now() + 10000, look = () => {
		if (` + condition + `) resolve(true); else if (Date.now() > end) reject(new Error("waited in vain")); else setTimeout(look, 10); }; look(); })`
}

// The app runs under the relay's policy, with Trusted Types, and nothing of it is refused.
func TestAppUnderItsPolicy(t *testing.T) {
	p, _ := openApp(t)
	browser.Eval[any](t, p, `navigator.serviceWorker.ready.then(() => true)`)
	if refused := browser.Eval[[]string](t, p, `refused`); len(refused) > 0 {
		t.Errorf("the policy refused: %q", refused)
	}
	if !browser.Eval[bool](t, p, `(() => { try { document.body.innerHTML = "<b>x</b>"; return false; } catch { return true; } })()`) {
		t.Error("markup could be made from text: the page does not run under Trusted Types")
	}
}

// B102: the app talks to its own origin and to no other, first load and reload.
func TestB102_OwnOriginOnly(t *testing.T) {
	p, r := openApp(t)
	browser.Eval[any](t, p, `navigator.serviceWorker.ready.then(() => true)`)
	browser.Open(t, p, r.URL+"/")
	urls := browser.Eval[[]string](t, p, `performance.getEntriesByType("resource").map((e) => e.name)`)
	if len(urls) == 0 {
		t.Fatal("no request was seen")
	}
	for _, url := range urls {
		if !strings.HasPrefix(url, r.URL+"/") && !strings.HasPrefix(url, strings.Replace(r.URL, "http", "ws", 1)+"/") {
			t.Errorf("the app asked %s", url)
		}
	}
}

// Once loaded, the app opens without a network, at its start and at the address of a code.
func TestAppOpensOffline(t *testing.T) {
	p, r := openApp(t)
	browser.Eval[any](t, p, `navigator.serviceWorker.ready.then(() => true)`)
	browser.Eval[any](t, p, waitFor(`navigator.serviceWorker.controller`))
	r.Kill()
	for _, path := range []string{"/", "/p", "/P"} {
		browser.Open(t, p, r.URL+path)
		browser.Eval[any](t, p, waitFor(`document.querySelector("#app h1")`))
	}
}

// Every file that the app loads lazily is in the offline shell, so that pairing or a machine's page opens offline too.
func TestShellIsWhole(t *testing.T) {
	worker, err := fs.ReadFile(os.DirFS(app), "sw.js")
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(os.DirFS(app), "assets/*")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d assets, %v", len(files), err)
	}
	for _, file := range files {
		if !strings.Contains(string(worker), `"/`+file+`"`) {
			t.Errorf("the service worker does not keep %s", file)
		}
	}
}
