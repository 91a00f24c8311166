package e2e

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// air is what lies between a phone and the relay. When it is taken away, what was under way hangs in it: no connection ends, and no byte
// arrives, as where a train enters a tunnel. (Chromium's own emulation alone lets some WebSockets through.)
type air struct {
	url     string
	relay   string
	running sync.WaitGroup

	mu   sync.Mutex
	back chan struct{} // closed while bytes pass
	open []net.Conn
}

// newAir carries a phone's connections to a relay, at an address of its own, until the test ends.
func newAir(t testing.TB, relay string) *air {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &air{url: "http://" + l.Addr().String(), relay: relay, back: make(chan struct{})}
	close(a.back)
	seen.allow(a.url)
	a.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			a.running.Go(func() { a.carry(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		a.pass(true)
		a.mu.Lock()
		for _, c := range a.open {
			c.Close()
		}
		a.mu.Unlock()
		a.running.Wait()
	})
	return a
}

// pass lets bytes through, or holds them.
func (a *air) pass(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.back:
		if !on {
			a.back = make(chan struct{})
		}
	default:
		if on {
			close(a.back)
		}
	}
}

func (a *air) wait() {
	a.mu.Lock()
	back := a.back
	a.mu.Unlock()
	<-back
}

func (a *air) carry(c net.Conn) {
	defer c.Close()
	up, err := net.Dial("tcp", a.relay)
	if err != nil {
		return
	}
	defer up.Close()
	a.mu.Lock()
	a.open = append(a.open, c, up)
	a.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.copy(c, up)
	}()
	a.copy(up, c)
	<-done
}

// copy ends both when one has ended.
func (a *air) copy(to, from net.Conn) {
	defer to.Close()
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		a.wait()
		if _, failed := to.Write(buf[:n]); err != nil || failed != nil {
			return
		}
	}
}

// network takes the phone's network away, or gives it back, and tells the page as a system does.
func (p *phone) network(on bool) {
	p.Helper()
	p.air.pass(on)
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		rules := network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{{Offline: !on, DownloadThroughput: -1, UploadThroughput: -1}}}
		if _, err := cdp.Call(ctx, t, network.EmulateNetworkConditionsByRule, rules); err != nil {
			return err
		}
		state := network.OverrideNetworkStateParams{Offline: !on, DownloadThroughput: -1, UploadThroughput: -1}
		_, err := cdp.Call(ctx, t, network.OverrideNetworkState, state)
		return err
	}))
}
