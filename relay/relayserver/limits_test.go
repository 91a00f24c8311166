package relayserver_test

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayserver"
)

func (d dialer) wantRefused(t *testing.T, status int) {
	t.Helper()
	_, resp, err := d.try(t)
	if err == nil || resp == nil || resp.StatusCode != status {
		t.Fatalf("dial: %v, %v; want %d", resp, err, status)
	}
	if (status == 429 || status == 503) && resp.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestSocketsOfAnAddress(t *testing.T) {
	d := plain(t, relayserver.Options{Limits: relayserver.Limits{PerAddress: 2}})
	first := d.listener(t, "a")
	d.listener(t, "b")
	d.wantRefused(t, 429)
	first.ws.CloseNow()
	for tries := 0; ; tries++ {
		if _, _, err := d.try(t); err == nil {
			return
		}
		if tries == 100 {
			t.Fatal("a closed socket still counts")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// TestAddressesBehindAProxy: with the proxy named, its clients are counted one
// by one, and a whole IPv6 /64 as one.
func TestAddressesBehindAProxy(t *testing.T) {
	d := plain(t, relayserver.Options{
		Limits:         relayserver.Limits{PerAddress: 1},
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")},
	})
	as := func(forwarded string) dialer { return d.with("X-Forwarded-For", forwarded) }
	as("192.0.2.1").dial(t)
	as("192.0.2.2").dial(t)
	as("192.0.2.1").wantRefused(t, 429)
	as("198.51.100.9, 192.0.2.1").wantRefused(t, 429) // what the client claims does not count
	as("192.0.2.1, 10.1.2.3").wantRefused(t, 429)     // through two proxies of ours
	as("::ffff:192.0.2.1").wantRefused(t, 429)
	as("2001:db8::1").dial(t)
	as("2001:db8::ffff:1").wantRefused(t, 429)
	as("2001:db8:0:1::1").dial(t)
}

func TestForwardedForOfStrangers(t *testing.T) {
	d := plain(t, relayserver.Options{Limits: relayserver.Limits{PerAddress: 1}})
	d.with("X-Forwarded-For", "192.0.2.1").dial(t)
	d.with("X-Forwarded-For", "192.0.2.2").wantRefused(t, 429)
}

func TestSocketsInTotal(t *testing.T) {
	d := plain(t, relayserver.Options{Limits: relayserver.Limits{Sockets: 1}})
	d.dial(t)
	d.wantRefused(t, 429)
}

func TestAcceptRate(t *testing.T) {
	bubble(t, relayserver.Options{Limits: relayserver.Limits{AcceptRate: 1, AcceptBurst: 2}}, func(t *testing.T, d dialer) {
		d.dial(t)
		d.dial(t)
		d.wantRefused(t, 429)
		time.Sleep(time.Second)
		d.dial(t)
		d.wantRefused(t, 429)
	})
}

func TestMessagesIntoABox(t *testing.T) {
	bubble(t, relayserver.Options{Limits: relayserver.Limits{BoxBurst: 3, BoxRate: 1}}, func(t *testing.T, d dialer) {
		d.listener(t, "a").answers()
		d.listener(t, "b").answers()
		w := d.listener(t, "w")
		for tag := range relay.Tag(3) {
			w.write(sendFrame(tag, "a", "x"))
			w.want(relay.AppendSent(nil, tag))
		}
		w.write(sendFrame(3, "a", "x"))
		w.want(relay.AppendUnsent(nil, 3, relay.UnsentRate))
		d.wantPost(t, "", sendFrame(3, "a", "x"), 429)
		w.write(sendFrame(4, "b", "another box is not concerned"))
		w.want(relay.AppendSent(nil, 4))
		time.Sleep(time.Second)
		w.write(sendFrame(5, "a", "x"))
		w.want(relay.AppendSent(nil, 5))
	})
}

func TestBytesIntoABox(t *testing.T) {
	bubble(t, relayserver.Options{Limits: relayserver.Limits{BoxBytes: 60_000}}, func(t *testing.T, d dialer) {
		d.listener(t, "a").answers()
		w, large := d.listener(t, "w"), strings.Repeat("x", 50_000)
		w.write(sendFrame(1, "a", large))
		w.want(relay.AppendSent(nil, 1))
		w.write(sendFrame(2, "a", large))
		w.want(relay.AppendUnsent(nil, 2, relay.UnsentRate))
		time.Sleep(41 * time.Second) // two thirds of a minute give back 40,000
		w.write(sendFrame(3, "a", large))
		w.want(relay.AppendSent(nil, 3))
	})
}

func TestFramesOfASocket(t *testing.T) {
	bubble(t, relayserver.Options{Limits: relayserver.Limits{SocketBurst: 5, SocketRate: 1}}, func(t *testing.T, d dialer) {
		p := d.listener(t, "a")
		for range 4 {
			p.write(relay.AppendLeave(nil, boxOf("b")))
		}
		time.Sleep(time.Second)
		p.write(relay.AppendLeave(nil, boxOf("b")))
		p.write(relay.AppendLeave(nil, boxOf("b")))
		p.wantBye(relay.ByeRate)
	})
}

func TestSubprotocolIsRequired(t *testing.T) {
	url := plain(t).url
	for _, offered := range []string{"", "chat", "answerback.relay.v2, xanswerback.relay.v1"} {
		req, _ := http.NewRequest("GET", url+"/v1/ws", nil)
		req.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
			"Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="}, "Sec-Websocket-Protocol": {offered}}
		wantStatus(t, req, 400)
	}
}

func wantStatus(t *testing.T, req *http.Request, status int) *http.Response {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != status {
		t.Errorf("%s %s with %v: %d, want %d", req.Method, req.URL, req.Header, resp.StatusCode, status)
	}
	return resp
}

func TestPlainRequestIsNoSocket(t *testing.T) {
	req, _ := http.NewRequest("GET", plain(t).url+"/v1/ws", nil)
	req.Header.Set("Sec-WebSocket-Protocol", relay.Subprotocol)
	wantStatus(t, req, http.StatusUpgradeRequired)
}

// TestConnectionsWithoutARequest: a stranger cannot hold more than a few open,
// and gets them back when they close.
func TestConnectionsWithoutARequest(t *testing.T) {
	for name, limits := range map[string]relayserver.Limits{"in total": {Requests: 2}, "of an address": {RequestsPer: 2}} {
		t.Run(name, func(t *testing.T) {
			addr := strings.TrimPrefix(plain(t, relayserver.Options{Limits: limits}).url, "http://")
			open := func() net.Conn {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { c.Close() })
				return c
			}
			first := open()
			open()
			if !closedSoon(open()) {
				t.Error("a third connection stays open")
			}
			first.Close()
			for deadline := time.Now().Add(5 * time.Second); closedSoon(open()); {
				if time.Now().After(deadline) {
					t.Fatal("a closed connection still counts")
				}
			}
		})
	}
}

func closedSoon(c net.Conn) bool {
	c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}
