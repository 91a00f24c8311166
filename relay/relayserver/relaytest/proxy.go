package relaytest

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// Proxy passes TCP connections on, and can cut all of them.
type Proxy struct {
	URL string

	listener net.Listener
	target   string
	running  sync.WaitGroup

	mu   sync.Mutex
	open map[net.Conn]bool
	cut  bool // refuse new ones, too
}

// NewProxy runs a proxy in front of a relay's URL for the time of the test.
func NewProxy(t testing.TB, url string) *Proxy {
	t.Helper()
	l := listen(t, "127.0.0.1:0")
	p := &Proxy{URL: "http://" + l.Addr().String(), listener: l, target: strings.TrimPrefix(url, "http://"), open: map[net.Conn]bool{}}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.Cut(true)
		p.running.Wait()
	})
	return p
}

// Cut closes every connection. While off is true, new ones are closed at once.
func (p *Proxy) Cut(off bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = off
	for c := range p.open {
		c.Close()
	}
	clear(p.open)
}

// Restore lets connections through again.
func (p *Proxy) Restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
}

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.pass(c) })
	}
}

func (p *Proxy) pass(c net.Conn) {
	defer c.Close()
	up, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer up.Close()
	if !p.keep(c, up) {
		return
	}
	defer p.forget(c, up)
	back := make(chan struct{})
	go func() { defer close(back); io.Copy(c, up); c.Close() }()
	io.Copy(up, c)
	up.Close()
	<-back
}

func (p *Proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		return false
	}
	for _, c := range conns {
		p.open[c] = true
	}
	return true
}

func (p *Proxy) forget(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.open, c)
	}
}
