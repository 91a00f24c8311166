package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// phone is the phone app in a browser profile of its own, held by a person who reads and taps.
type phone struct {
	testing.TB
	ctx   context.Context
	touch bool
	air   *air // nil: its network cannot be taken away
}

// newPhone opens a profile the size of a phone, until the test ends.
func newPhone(t testing.TB) *phone {
	t.Helper()
	return newPhoneIn(t, theBrowser(t))
}

func newPhoneIn(t testing.TB, c *chromium) *phone {
	t.Helper()
	ctx, cancel := chromedp.NewContext(c.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(seen.listen))
	t.Cleanup(cancel)
	p := &phone{TB: t, ctx: ctx}
	p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		if _, err := cdp.Call(ctx, target, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, target, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	}))
	p.small()
	p.scheme("light")
	return p
}

// of is the same phone in another test.
func (p *phone) of(t testing.TB) *phone {
	other := *p
	other.TB = t
	return &other
}

func (p *phone) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	if chromedp.FromContext(p.ctx).Target == nil {
		ctx = p.ctx // the first call opens the tab, which lives as long as the context of that call
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// small is a phone's window under a finger, large a desktop's under a mouse.
func (p *phone) small() {
	p.Helper()
	p.touch = true
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulatePortrait))
}

func (p *phone) large() {
	p.Helper()
	p.touch = false
	p.do(chromedp.EmulateViewport(1280, 800))
}

// scheme is "light" or "dark". Motion is off, so that no picture catches one half-way.
func (p *phone) scheme(name string) {
	p.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	}))
}

// picture keeps what the phone shows now, in light and dark, once its buttons listen.
func (p *phone) picture(name string) {
	p.Helper()
	p.holds(`document.querySelector("[data-guard]") === null`)
	for _, scheme := range []string{"dark", "light"} {
		p.scheme(scheme)
		p.frames()
		png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		if err == nil {
			err = keepPicture(name+"-"+scheme, png)
		}
		if err != nil {
			p.Fatal(err)
		}
	}
}

// frames waits until the page has drawn twice.
func (p *phone) frames() {
	p.Helper()
	ask[bool](p, `new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(() => d(true))))`)
}

// open loads an address.
func (p *phone) open(url string) {
	p.Helper()
	p.do(chromedp.Navigate(url))
}

// home goes to the list of what waits, anew: what has ended is no longer in it.
func (p *phone) home() {
	p.Helper()
	ask[any](p, `void (location.hash = "#/settings")`)
	p.heads("Settings")
	ask[any](p, `void (location.hash = "#/")`)
	p.holds(`["Waiting", "Nothing waits."].includes(document.querySelector("h1")?.innerText)`)
}

// rests goes to the list until nothing waits there: the receipt of the last test's call may come after its hook has printed.
func (p *phone) rests() {
	p.Helper()
	for end := time.Now().Add(15 * time.Second); ; {
		p.home()
		if ask[bool](p, `document.querySelector("h1").innerText === "Nothing waits."`) {
			return
		}
		if time.Now().After(end) {
			p.Fatalf("a call of another test still waits\nthe page shows: %s", p.screen())
		}
	}
}

// heads waits until the screen's heading is this.
func (p *phone) heads(text string) {
	p.Helper()
	p.holds(`document.querySelector("h1")?.innerText === ` + js(text))
}

// ask evaluates an expression in the page and waits for its promise.
func ask[T any](p *phone, expression string) T {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	var out T
	raw, err := chromedp.Run(ctx, chromedp.Evaluate[json.RawMessage](expression, chromedp.EvalAwaitPromise))
	if err == nil && len(raw) > 0 {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		p.Fatalf("in the page: %v\n%s", err, expression)
	}
	return out
}

// js is a Go string as a JavaScript one.
func js(s string) string { return quote(s) }

// screen is the text that the page shows, on one line.
func (p *phone) screen() string {
	p.Helper()
	return ask[string](p, `document.body.innerText.replace(/\s+/g, " ")`)
}

// holds waits until an expression is true.
func (p *phone) holds(expression string) {
	p.Helper()
	if !ask[bool](p, `(async () => { for (const end = Date.now() + 15000; Date.now() < end; await new Promise((d) => setTimeout(d, 20))) if (`+expression+`) return true; return false; })()`) {
		p.Fatalf("waited in vain for %s\nthe page shows: %s", expression, p.screen())
	}
}

// reads waits until the page shows a text.
func (p *phone) reads(text string) {
	p.Helper()
	p.holds(`document.body.innerText.replace(/\s+/g, " ").includes(` + js(text) + `)`)
}

// shows reports whether the page shows a text now.
func (p *phone) shows(text string) bool {
	p.Helper()
	return strings.Contains(p.screen(), text)
}

// finder finds the button, link or field with a name once it has stood still for a moment, is in sight, and is not guarded; it returns its
// middle.
const finder = `(async (name, within) => {
	const first = (e) => { const w = document.createTreeWalker(e, NodeFilter.SHOW_TEXT); for (let n; (n = w.nextNode());) if (n.data.trim() !== "") return n.data.trim(); return ""; };
	const frame = () => new Promise((d) => requestAnimationFrame(d));
	let was = "", since = 0;
	for (const end = Date.now() + 15000; Date.now() < end; await frame()) {
		const scope = within === "" ? document : document.querySelector(within);
		if (scope === null) continue;
		const e = [...scope.querySelectorAll("button, a[href], summary, label, input, textarea")].find((e) => e.checkVisibility() && !e.closest("[inert]") && (first(e) === name || e.getAttribute("aria-label") === name));
		if (e === undefined || e.closest("[data-guard], .cards:has([data-guard])")) { was = ""; continue; }
		const r = e.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2, at = x + " " + y, top = document.elementFromPoint(x, y);
		if (top === null || !e.contains(top)) { e.scrollIntoView({ block: "center" }); was = ""; continue; }
		if (at !== was) { was = at; since = performance.now(); }
		else if (performance.now() - since > 100) return { x, y };
	}
	return null;
})`

// tap taps the button or link with a name, as a finger or a mouse does.
func (p *phone) tap(name string) {
	p.Helper()
	p.tapIn("", name)
}

// tapIn looks for it within the element of a selector only.
func (p *phone) tapIn(within, name string) {
	p.Helper()
	at := ask[*struct{ X, Y float64 }](p, fmt.Sprintf("%s(%s, %s)", finder, js(name), js(within)))
	if at == nil {
		p.Fatalf("there is nothing to tap that says %q\nthe page shows: %s", name, p.screen())
	}
	if p.touch {
		p.do(chromedp.TapXY(at.X, at.Y))
	} else {
		p.do(chromedp.MouseClickXY(at.X, at.Y))
	}
	p.frames() // what the tap opened is measured by then, and guarded
}

// types writes into the field of a selector, in place of what is there.
func (p *phone) types(selector, text string) {
	p.Helper()
	ask[any](p, `void (() => { const e = document.querySelector(`+js(selector)+`); e.focus(); e.select(); })()`)
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

// scrolls goes to the end of the page as a hand does, swipe by swipe: a long page knows its height only when its end is near.
func (p *phone) scrolls() {
	p.Helper()
	const atEnd = `Math.ceil(scrollY + innerHeight) >= document.documentElement.scrollHeight - 1`
	for range 40 {
		p.swipe()
		p.frames()
		if ask[bool](p, atEnd) {
			return
		}
	}
	p.Fatalf("the page has no end: %v of %v", ask[float64](p, "scrollY"), ask[float64](p, "document.documentElement.scrollHeight"))
}

func (p *phone) swipe() {
	p.Helper()
	left := ask[float64](p, `document.documentElement.scrollHeight - scrollY`)
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseWheel, 195, 400, func(e *input.DispatchMouseEventParams) {
		e.DeltaX, e.DeltaY = 0.01, left // a zero would be left out, and both have to be there
	}))
}
