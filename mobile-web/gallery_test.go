// The screens in a real browser, on made-up data, under the headers that a relay sends: how they are built, opened, resized and looked at.
package mobileweb_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"answerback/test/browser"
)

var shots = flag.Bool("shots", false, "look at every state in every way, and write pictures to shots/")

// policy is the content policy of a relay. What breaks under it here would break on a phone.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types answerback"

var built struct {
	once sync.Once
	dir  string
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	os.RemoveAll(built.dir)
	os.Exit(code)
}

// touch looks at every source, so that go test knows what its cached result rests on.
func touch(t testing.TB) {
	t.Helper()
	err := filepath.WalkDir("src", func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// build makes the gallery once for all tests.
func build(t testing.TB) string {
	t.Helper()
	touch(t)
	built.once.Do(func() {
		dir, err := os.MkdirTemp("", "gallery")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat("node_modules"); err != nil {
			run(t, "npm", "ci", "--no-audit", "--no-fund", "--silent")
		}
		run(t, "node", "gallery.mjs", dir)
		built.dir = dir
	})
	if built.dir == "" {
		t.Fatal("the gallery was not built: see the first test's failure")
	}
	return built.dir
}

// gallery serves the gallery; every path that is no file is its page, as a relay serves /p.
func gallery(t testing.TB) string {
	t.Helper()
	dir := build(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		name := filepath.Join(dir, filepath.Base(r.URL.Path))
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			name = filepath.Join(dir, "index.html")
		}
		http.ServeFile(w, r, name)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func run(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// tab is one page of the gallery.
type tab struct {
	testing.TB
	page browser.Page
	url  string
}

func (tb tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tb.Helper()
	if err := chromedp.Do(browser.Context(tb.page), steps...); err != nil {
		tb.Fatal(err)
	}
}

// open shows a state in a language and waits until it stands.
func (tb tab) open(state, lang string) {
	tb.Helper()
	opened++
	browser.Open(tb, tb.page, fmt.Sprintf("%s/?state=%s&lang=%s&n=%d", tb.url, state, lang, opened))
	tb.wait("globalThis.ready === true && document.querySelector('main h1') !== null")
}

// opened makes each address new, so that it is loaded and not only scrolled to a fragment.
var opened int

func (tb tab) eval(js string) json.RawMessage {
	tb.Helper()
	raw, err := tb.page.Eval(js)
	if err != nil {
		tb.Fatalf("%v\n%s", err, js)
	}
	return raw
}

// ask evaluates an expression of the type wanted.
func ask[T any](tb tab, js string) T {
	tb.Helper()
	return browser.Eval[T](tb, tb.page, js)
}

// wait polls, in the page, until the expression holds.
func (tb tab) wait(js string) {
	tb.Helper()
	ok := ask[bool](tb, fmt.Sprintf(`(async () => { for (let i = 0; i < 250; i++) { if (%s) return true; await new Promise(d => setTimeout(d, 20)); } return false; })()`, js))
	if !ok {
		tb.Fatalf("waited in vain for %s\non: %s", js, ask[string](tb, "document.body.innerText"))
	}
}

func (tb tab) size(width, height int64) {
	tb.Helper()
	tb.do(chromedp.EmulateViewport(width, height))
	tb.frames()
}

// frames waits until the page has drawn twice.
func (tb tab) frames() {
	tb.Helper()
	ask[bool](tb, "new Promise(d => requestAnimationFrame(() => requestAnimationFrame(() => d(true))))")
}

// media sets what the person prefers. Motion is off, so that a picture never catches one half-way.
func (tb tab) media(scheme string) {
	tb.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	tb.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	}))
	tb.frames()
}

// shot writes a picture of the window, when asked for.
func (tb tab) shot(name string) {
	tb.Helper()
	if !*shots {
		return
	}
	picture, err := chromedp.Run(browser.Context(tb.page), chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll("shots", 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join("shots", name+".png"), picture, 0o644)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
