package browser

import (
	"context"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// Chromium is one headless Chromium; its tabs share a profile, as windows of an app do.
type Chromium struct{ ctx context.Context }

type chromiumPage struct{ ctx context.Context }

// chromiumNames are what the program is called in the distributions that tests run on.
var chromiumNames = []string{"chromium", "chromium-browser", "google-chrome"}

// NewChromium starts Chromium with an empty profile. Without a sandbox, because tests run as root in containers; it loads nothing
// but pages of the test's own. More options come last, so they win.
func NewChromium(t testing.TB, more ...chromedp.ExecAllocatorOption) *Chromium {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(find(t, chromiumNames)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(t.TempDir()))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(opts, more...)...)
	ctx, closeAll := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("browser: close chromium: %v", err)
		}
		closeAll()
		stop()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("browser: start chromium: %v", err)
	}
	return &Chromium{ctx: ctx}
}

// find returns the path of the first program that is installed.
func find(t testing.TB, names []string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatalf("browser: none of %q is installed; run: test/need browsers", names)
	return ""
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
