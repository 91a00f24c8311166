package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// Chromium is one headless Chromium; its tabs share a profile, as windows of an app do.
type Chromium struct{ ctx context.Context }

type chromiumPage struct{ ctx context.Context }

// chromiumNames are what the program is called in the distributions that tests run on.
var chromiumNames = []string{"chromium", "chromium-browser", "google-chrome"}

// NewChromium starts Chromium with an empty profile, for one test. More options come last, so they win.
func NewChromium(t testing.TB, more ...chromedp.ExecAllocatorOption) *Chromium {
	t.Helper()
	c, stop, err := StartChromium(t.TempDir(), more...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return c
}

// StartChromium starts Chromium on a profile folder, for as many tests as like: pages of different origins share nothing. Without a
// sandbox, because tests run as root in containers; it loads nothing but pages of the tests' own.
func StartChromium(profile string, more ...chromedp.ExecAllocatorOption) (c *Chromium, stop func(), err error) {
	path, err := find(chromiumNames)
	if err != nil {
		return nil, nil, err
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(profile))
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), append(opts, more...)...)
	ctx, closeAll := chromedp.NewContext(allocator)
	stop = func() {
		chromedp.Cancel(ctx) // waits for the browser to end; an error says that it had ended before
		closeAll()
		stopAllocator()
	}
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, nil, fmt.Errorf("browser: start chromium: %w", err)
	}
	return &Chromium{ctx: ctx}, stop, nil
}

// find returns the path of the first program that is installed.
func find(names []string) (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("browser: none of %q is installed; run: test/need browsers", names)
}

// Page opens a tab.
func (c *Chromium) Page(t testing.TB) Page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(c.ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("browser: open a tab: %v", err)
	}
	return chromiumPage{ctx: ctx}
}

// Context is the tab's chromedp context, for what Page does not offer.
func Context(p Page) context.Context { return p.(chromiumPage).ctx }

func (p chromiumPage) Navigate(url string) error {
	return chromedp.Do(p.ctx, chromedp.Navigate(url))
}

func (p chromiumPage) Eval(expression string) (json.RawMessage, error) {
	return chromedp.Run(p.ctx, chromedp.Evaluate[json.RawMessage](expression, chromedp.EvalAwaitPromise))
}
