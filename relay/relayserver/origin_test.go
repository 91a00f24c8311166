package relayserver_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"answerback/relay"
	"answerback/relay/relayserver"
)

const appOrigin = "https://app.example.org"

func TestOriginOfASocket(t *testing.T) {
	d := plain(t, relayserver.Options{AppOrigins: []string{appOrigin}})
	host := strings.TrimPrefix(d.url, "http://")
	for _, good := range []string{appOrigin, "http://" + host, "https://" + host} {
		d.with("Origin", good).listener(t, "a")
	}
	for _, bad := range []string{"https://evil.example", "http://app.example.org", "https://app.example.org:444", "https://xapp.example.org",
		"null", "https://" + host + ".evil.example", "file://", "moz-extension://" + host, "https://app.example.org/"} {
		d.with("Origin", bad).dial(t).wantBye(relay.ByeOrigin)
	}
}

// TestForeignOriginGetsNothing: not even what it sends along with its handshake
// is served.
func TestForeignOriginGetsNothing(t *testing.T) {
	d := plain(t)
	reader := d.listener(t, "a")
	foreign := d.with("Origin", "https://evil.example").dial(t)
	foreign.write(listenFrame("b"))
	foreign.write(sendFrame(1, "a", "from a foreign page"))
	foreign.wantBye(relay.ByeOrigin)
	reader.write(sendFrame(2, "a", "nothing came before this"))
	reader.wantMessage("a", "nothing came before this")
}

func TestOriginOfAPost(t *testing.T) {
	d := plain(t, relayserver.Options{AppOrigins: []string{appOrigin}})
	d.listener(t, "a").answers()
	d.with("Origin", "https://evil.example").wantPost(t, "", sendFrame(1, "a", "x"), 403)
	d.with("Origin", appOrigin).wantPost(t, "", sendFrame(1, "a", "x"), 204)
	resp, err := d.with("Origin", appOrigin).tryPost(t.Context(), "", sendFrame(1, "a", "x"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Header.Get("Access-Control-Allow-Origin"); got != appOrigin {
		t.Errorf("the app's origin may not read the answer: %q", got)
	}
}

func TestPreflight(t *testing.T) {
	url := plain(t, relayserver.Options{AppOrigins: []string{appOrigin}}).url
	for origin, status := range map[string]int{appOrigin: 204, "https://evil.example": 403} {
		req, _ := http.NewRequest("OPTIONS", url+"/v1/send", nil)
		req.Header.Set("Origin", origin)
		resp := wantStatus(t, req, status)
		if allowed := resp.Header.Get("Access-Control-Allow-Origin"); (allowed == origin) != (status == 204) {
			t.Errorf("%s is allowed %q", origin, allowed)
		}
	}
}

// hostStatus is the answer to GET /v1/info with that Host header on a
// connection to that local address.
func hostStatus(s *relayserver.Server, local, host string) int {
	r := httptest.NewRequest("GET", "/v1/info", nil)
	r.Host = host
	if local != "" {
		addr, err := net.ResolveTCPAddr("tcp", local)
		if err != nil {
			return 0
		}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(addr)))
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code
}

func TestHostOnLoopback(t *testing.T) {
	s := relayserver.New(relayserver.Options{Hosts: []string{"relay.example.org"}})
	for _, local := range []string{"127.0.0.1:7380", "[::1]:7380", "127.5.5.5:7380", "[::ffff:127.0.0.1]:7380", ""} {
		for _, host := range []string{"localhost:7380", "LOCALHOST", "127.0.0.1:7380", "[::1]:7380", "[::1]", "relay.example.org", "Relay.Example.Org:443"} {
			if got := hostStatus(s, local, host); got != 200 {
				t.Errorf("host %s on %s: %d", host, local, got)
			}
		}
		for _, host := range []string{"", "evil.example", "evil.example:7380", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.5:7380", "xrelay.example.org"} {
			if got := hostStatus(s, local, host); got != http.StatusMisdirectedRequest {
				t.Errorf("host %q on %q: %d, want 421", host, local, got)
			}
		}
	}
	if got := hostStatus(s, "192.0.2.7:443", "any.example"); got != 200 {
		t.Errorf("a public address: %d", got)
	}
}

func TestWrongHostOpensNoSocketAndSendsNothing(t *testing.T) {
	url := plain(t).url
	for _, path := range []string{"/", "/v1/ws", "/v1/send", "/healthz", "/v1/info"} {
		req, _ := http.NewRequest("GET", url+path, nil)
		req.Host = "evil.example"
		wantStatus(t, req, http.StatusMisdirectedRequest)
	}
}
