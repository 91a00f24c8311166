package relayclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"answerback/relay"
)

const (
	dialWithin = 15 * time.Second // TCP, TLS and the WebSocket handshake
	tcpWithin  = 5 * time.Second  // one address
)

// RefusedError is a relay's HTTP answer that is no WebSocket.
type RefusedError struct {
	Status     int
	RetryAfter time.Duration // 0: none was named
}

// Error says what to do next, for the answers that a person can do something about.
func (e *RefusedError) Error() string {
	switch e.Status {
	case http.StatusUnauthorized:
		return "the relay refused the access token; set the one that it was started with"
	case http.StatusNotFound:
		return "no relay answers at this URL; check it, and that a proxy passes /v1/ws on"
	case http.StatusMisdirectedRequest:
		return "the relay does not answer to this host name; start it with --host and the name"
	}
	return fmt.Sprintf("the relay answered %d %s", e.Status, http.StatusText(e.Status))
}

// checkURL refuses what no attempt could ever reach.
func (c *Client) checkURL() error {
	u, err := url.Parse(c.opt.URL)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		err = errors.New("it must be https://HOST or http://HOST")
	}
	if err != nil {
		return fmt.Errorf("relayclient: relay URL %q: %w", c.opt.URL, err)
	}
	return nil
}

// connect makes the connection and asks for every box.
func (c *Client) connect(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	s := &session{c: c, asked: map[relay.Tag]*question{}, pending: map[relay.Box]bool{}, done: make(chan struct{})}
	header := http.Header{}
	if c.opt.Token != "" {
		header.Set("Authorization", "Bearer "+c.opt.Token)
	}
	target, err := url.JoinPath(c.opt.URL, "/v1/ws")
	if err != nil {
		return nil, fmt.Errorf("relayclient: dial: %w", err)
	}
	ws, resp, err := websocket.Dial(ctx, target, &websocket.DialOptions{
		HTTPClient: c.http, HTTPHeader: header, Subprotocols: []string{relay.Subprotocol},
		OnPingReceived: func(context.Context, []byte) bool { s.heard.Store(true); return true },
	})
	c.http.CloseIdleConnections()
	if err != nil {
		return nil, fmt.Errorf("relayclient: dial: %w", refusal(resp, err))
	}
	if ws.Subprotocol() != relay.Subprotocol {
		ws.CloseNow()
		return nil, errors.New("relayclient: dial: what answers there does not speak " + relay.Subprotocol)
	}
	ws.SetReadLimit(relay.MaxFrame)
	s.ws = ws
	return s, nil
}

// refusal turns an HTTP answer into its own error.
func refusal(resp *http.Response, err error) error {
	if resp == nil || resp.StatusCode == http.StatusSwitchingProtocols {
		return err
	}
	after, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	return &RefusedError{Status: resp.StatusCode, RetryAfter: time.Duration(min(max(after, 0), 3600)) * time.Second}
}

func retryAfter(err error) time.Duration {
	var refused *RefusedError
	if errors.As(err, &refused) {
		return refused.RetryAfter
	}
	return 0
}

// httpClient follows no redirect: the token in the header is for one relay.
func (c *Client) httpClient() *http.Client {
	t := &http.Transport{Proxy: c.opt.Proxy, DialContext: c.dial, TLSHandshakeTimeout: dialWithin, ResponseHeaderTimeout: dialWithin, TLSClientConfig: &tls.Config{}}
	if c.opt.TLSConfig != nil {
		t.TLSClientConfig = c.opt.TLSConfig.Clone()
	}
	t.TLSClientConfig.NextProtos = []string{"http/1.1"} // a WebSocket takes over the connection
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// dial opens a connection. A panic in it would be on a goroutine of net/http,
// where nobody could recover it, and the client would never try again.
func (c *Client) dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	dial := c.opt.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: tcpWithin}).DialContext
	}
	for _, a := range addresses(address) {
		if conn, err = dial(ctx, network, a); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// addresses are what to try for an address in turn. "localhost" is both
// loopback addresses, whatever the machine's resolver makes of it.
func addresses(address string) []string {
	if host, port, err := net.SplitHostPort(address); err == nil && host == "localhost" {
		return []string{net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("::1", port)}
	}
	return []string{address}
}
