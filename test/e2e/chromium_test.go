package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// chromium is one headless Chromium. Its phones have a profile each.
type chromium struct {
	ctx context.Context
	end func()
}

// startChromium starts one with an empty profile. Without a sandbox, because tests run as root in containers; it opens nothing but
// pages of this run.
func startChromium(t testing.TB, more ...chromedp.ExecAllocatorOption) *chromium {
	t.Helper()
	profile, err := os.MkdirTemp(scratch, "chromium-")
	if err != nil {
		t.Fatal(err)
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(installed(t, "chromium", "chromium-browser", "google-chrome")), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(profile))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(opts, more...)...)
	ctx, cancel := chromedp.NewContext(allocator)
	c := &chromium{ctx: ctx, end: func() {
		chromedp.Cancel(ctx)
		cancel()
		stop()
	}}
	if err := chromedp.Do(ctx); err != nil {
		c.end()
		t.Fatalf("start chromium: %v", err)
	}
	return c
}

// installed finds the first program of these.
func installed(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatalf("none of %q is installed; run: test/need browsers terminal", names)
	return ""
}

// shared is what several tests use because starting it takes long: one Chromium, and one machine with a phone paired to it.
var shared struct {
	browser sync.Once
	pair    sync.Once
	*chromium
	up    *machine
	phone *phone
	after []func()
}

// theBrowser is the Chromium of this run.
func theBrowser(t testing.TB) *chromium {
	t.Helper()
	shared.browser.Do(func() { shared.chromium = startChromium(t) })
	if shared.chromium == nil {
		t.Fatal("chromium did not start: see the first test that failed")
	}
	return shared.chromium
}

// paired is a machine that runs `answerback up` with a phone paired, which this run's tests share. The phone stands at its home screen, and
// nothing is open.
func paired(t testing.TB) (*machine, *phone) {
	t.Helper()
	shared.pair.Do(func() {
		keeper := &keeper{TB: t}
		m := startUp(keeper)
		p := newPhone(keeper)
		m.pair(p, "Pixel 9")
		shared.up, shared.phone = m, p
	})
	if shared.phone == nil {
		t.Fatal("the shared machine was not paired: see the first test that failed")
	}
	m, p := shared.up.of(t), shared.phone.of(t)
	p.rests()
	return m, p
}

// keeper is the test that first needs what all share; its cleanups run at the end of the run.
type keeper struct{ testing.TB }

// Cleanup keeps f for the end of the run.
func (*keeper) Cleanup(f func()) { shared.after = append(shared.after, f) }

// endShared ends what the tests shared.
func endShared() {
	for i := len(shared.after) - 1; i >= 0; i-- {
		shared.after[i]()
	}
	if shared.chromium != nil {
		shared.chromium.end()
	}
}

// pictures is where pictures of the main moments go.
const pictures = "shots"

func keepPicture(name string, png []byte) error {
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		return err
	}
	return os.WriteFile(fmt.Sprintf("%s/%s.png", pictures, name), png, 0o644)
}
