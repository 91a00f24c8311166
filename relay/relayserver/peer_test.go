package relayserver_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"answerback/relay"
	"answerback/relay/relayserver"
)

// peer is a client that does exactly what a test tells it to.
type peer struct {
	t  *testing.T
	ws *websocket.Conn
}

// keys makes the keys of a box from a name.
func keys(name string) (r relay.ReaderKey, w relay.WriterKey) {
	copy(r[:], "reader of "+name)
	copy(w[:], "writer of "+name)
	return r, w
}

func boxOf(name string) relay.Box { return relay.BoxFor(keys(name)) }

func listenFrame(name string) []byte {
	r, w := keys(name)
	return relay.Listen{R: r, HW: relay.HashW(w)}.Append(nil)
}

func sendFrame(tag relay.Tag, name, payload string) []byte {
	r, w := keys(name)
	return relay.Send{Tag: tag, HR: relay.HashR(r), W: w, Payload: []byte(payload)}.Append(nil)
}

// dialer opens sockets to one relay.
type dialer struct {
	url    string
	client *http.Client
	header http.Header
}

func (d dialer) with(name, value string) dialer {
	d.header = http.Header{name: {value}}
	return d
}

func (d dialer) try(t *testing.T) (*peer, *http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, d.url+"/v1/ws", &websocket.DialOptions{HTTPClient: d.client, HTTPHeader: d.header, Subprotocols: []string{relay.Subprotocol}})
	if err != nil {
		return nil, resp, err
	}
	ws.SetReadLimit(-1)
	t.Cleanup(func() { ws.CloseNow() })
	return &peer{t, ws}, resp, nil
}

func (d dialer) dial(t *testing.T) *peer {
	t.Helper()
	p, _, err := d.try(t)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// listener dials and listens on the boxes of the names.
func (d dialer) listener(t *testing.T, names ...string) *peer {
	t.Helper()
	p := d.dial(t)
	for _, name := range names {
		p.write(listenFrame(name))
		p.want(relay.AppendListening(nil, boxOf(name)))
	}
	return p
}

func (p *peer) write(frame []byte) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 10*time.Second)
	defer cancel()
	if err := p.ws.Write(ctx, websocket.MessageBinary, frame); err != nil {
		p.t.Fatal("writing:", err)
	}
}

// read returns the next frame, or the error that ended the socket.
func (p *peer) read(patience time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	_, frame, err := p.ws.Read(ctx)
	return frame, err
}

func (p *peer) want(frame []byte) {
	p.t.Helper()
	got, err := p.read(10 * time.Second)
	if err != nil || !bytes.Equal(got, frame) {
		p.t.Fatalf("got %v %.40x, %v; want %v %.40x", relay.TypeOf(got), got, err, relay.TypeOf(frame), frame)
	}
}

func (p *peer) wantMessage(name, payload string) {
	p.t.Helper()
	p.want(relay.Message{Box: boxOf(name), Payload: []byte(payload)}.Append(nil))
}

// wantBye wants a BYE and then the close code that goes with it.
func (p *peer) wantBye(why relay.ByeReason) {
	p.t.Helper()
	p.wantByeWithin(why, 10*time.Second)
}

func (p *peer) wantByeWithin(why relay.ByeReason, patience time.Duration) {
	p.t.Helper()
	got, err := p.read(patience)
	if want := relay.AppendBye(nil, why); err != nil || !bytes.Equal(got, want) {
		p.t.Fatalf("got %x, %v; want BYE: %v", got, err, why)
	}
	if _, err := p.read(patience); int(websocket.CloseStatus(err)) != why.CloseCode() {
		p.t.Fatalf("after BYE: %v; want close code %d", err, why.CloseCode())
	}
}

// answers reads on in the background, which is what answers pings.
func (p *peer) answers() {
	ctx := p.t.Context()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if _, _, err := p.ws.Read(ctx); err != nil {
				return
			}
		}
	}()
	p.t.Cleanup(func() { p.ws.CloseNow(); <-done })
}

// bubble runs a test on a fake clock, with a relay on connections in memory.
func bubble(t *testing.T, opt relayserver.Options, test func(t *testing.T, d dialer)) {
	synctest.Test(t, func(t *testing.T) {
		l := newMemory()
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		server := relayserver.New(opt)
		go func() { ended <- server.Serve(ctx, l) }()
		transport := &http.Transport{DialContext: l.dial}
		t.Cleanup(func() {
			transport.CloseIdleConnections()
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
		test(t, dialer{url: "http://localhost", client: &http.Client{Transport: transport}})
	})
}

// memory is a listener whose connections are net.Pipes.
type memory struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newMemory() *memory { return &memory{conns: make(chan net.Conn), done: make(chan struct{})} }

func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case m.conns <- far:
		return near, nil
	case <-m.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error   { m.once.Do(func() { close(m.done) }); return nil }
func (m *memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
