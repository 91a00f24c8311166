package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// worker attaches to the phone's service worker, so that its requests are seen too.
func (p *phone) worker() *phone {
	p.Helper()
	ask[any](p, `navigator.serviceWorker.ready.then(() => true)`)
	origin := ask[string](p, `location.origin`)
	infos, err := chromedp.Targets(p.ctx)
	if err != nil {
		p.Fatal(err)
	}
	var id target.ID
	for _, info := range infos {
		if info.Type == "service_worker" && strings.HasPrefix(info.URL, origin+"/") {
			id = info.TargetID
		}
	}
	if id == "" {
		p.Fatalf("no service worker of %s runs", origin)
	}
	ctx, cancel := chromedp.NewContext(p.ctx, chromedp.WithTargetID(id), chromedp.WithListener(seen.listen))
	p.Cleanup(cancel)
	w := &phone{TB: p.TB, ctx: ctx}
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{})
		return err
	}))
	return w
}

// B102: no request leaves the relay that served the app. Every screen is opened, the shell is loaded anew and its worker updated; all requests
// go home. And where code tried to send one elsewhere, from page or worker, the policy stops it. (What all other tests of this run asked for
// is checked when they are over.)
func TestB102_NoRequestLeavesTheOrigin(t *testing.T) {
	var leaked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	defer elsewhere.Close()
	m, p := paired(t)
	w := p.worker()
	p.open(m.url() + "/")
	for _, screen := range []string{"#/history", "#/settings", "#/pair", "#/pair/paste", "#/machine", "#/"} {
		ask[any](p, `void (location.hash = `+js(screen)+`)`)
		p.holds(`document.querySelector("h1") !== null`)
		p.frames()
	}
	p.home()
	p.tap("Machine")
	p.reads(host(t))
	p.home()
	ask[any](p, `navigator.serviceWorker.getRegistration().then((r) => r.update()).then(() => true)`)
	ask[any](w, `caches.open("probe").then((c) => c.add("/manifest.webmanifest")).then(() => caches.delete("probe"))`)
	if n := seen.count(m.url()); n < 10 {
		t.Errorf("only %d requests were seen", n)
	}
	if foreign := seen.foreign(); len(foreign) > 0 {
		t.Errorf("requests went to %q", foreign)
	}
	for name, context := range map[string]*phone{"page": p, "worker": w} {
		if !ask[bool](context, `fetch(`+js(elsewhere.URL)+`).then(() => false, () => true)`) {
			t.Errorf("the %s could fetch from another origin", name)
		}
	}
	if !ask[bool](p, `new Promise((done) => { const s = new WebSocket(`+js(strings.Replace(elsewhere.URL, "http", "ws", 1))+`); s.onopen = () => done(false); s.onerror = () => done(true); })`) {
		t.Error("the page could open a WebSocket to another origin")
	}
	if n := leaked.Load(); n > 0 {
		t.Errorf("%d requests reached another origin", n)
	}
	seen.forgive(elsewhere.URL)
}
