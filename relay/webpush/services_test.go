package webpush

import (
	"net/netip"
	"strings"
	"testing"
)

func list(t testing.TB, own ...string) services {
	t.Helper()
	l, err := listServices(own)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEndpointsOfBrowsers(t *testing.T) {
	for endpoint, origin := range map[string]string{
		"https://fcm.googleapis.com/fcm/send/abc:def":                   "https://fcm.googleapis.com",
		"https://fcm.googleapis.com/wp/abc:def":                         "https://fcm.googleapis.com",
		"https://FCM.googleapis.com:443/wp/abc":                         "https://fcm.googleapis.com",
		"https://updates.push.services.mozilla.com/wpush/v2/gAAAAA":     "https://updates.push.services.mozilla.com",
		"https://web.push.apple.com/QGuQ":                               "https://web.push.apple.com",
		"https://a.b.push.apple.com/QGuQ":                               "https://a.b.push.apple.com",
		"https://wns2-par02p.notify.windows.com/w/?token=BQYAAA%2bx%3d": "https://wns2-par02p.notify.windows.com",
	} {
		got, err := list(t).find(endpoint)
		if err != nil || got.origin != origin {
			t.Errorf("%s: origin %q, %v", endpoint, got.origin, err)
		}
		if _, tail, _ := strings.Cut(endpoint[8:], "/"); !strings.HasSuffix(got.url.String(), "/"+tail) {
			t.Errorf("%s became %s", endpoint, got.url)
		}
	}
}

func TestEndpointsThatAreRefused(t *testing.T) {
	for _, endpoint := range []string{
		"", "https://", "https:///fcm/send/a", "fcm.googleapis.com/fcm/send/a", "//fcm.googleapis.com/fcm/send/a",
		"http://fcm.googleapis.com/fcm/send/a", "ftp://fcm.googleapis.com/fcm/send/a", "HTTPS:fcm.googleapis.com/fcm/send/a",
		"https://fcm.googleapis.com:80/fcm/send/a", "https://fcm.googleapis.com:8443/fcm/send/a", "https://fcm.googleapis.com:0443/fcm/send/a",
		"https://fcm.googleapis.com", "https://fcm.googleapis.com/", "https://fcm.googleapis.com/fcm/send/", "https://fcm.googleapis.com/v1/projects/x/messages:send",
		"https://fcm.googleapis.com/fcm/send/../../v1/x", "https://fcm.googleapis.com/fcm/send/%2e%2e/%2e%2e/v1/x", "https://fcm.googleapis.com/fcm/send/./a",
		"https://fcm.googleapis.com//fcm/send/a", "https://fcm.googleapis.com/fcm%2fsend/a",
		"https://fcm.googleapis.com./fcm/send/a", "https://evil.fcm.googleapis.com/fcm/send/a", "https://fcm.googleapis.com.evil.example/fcm/send/a",
		"https://me@fcm.googleapis.com/fcm/send/a", "https://me:pw@fcm.googleapis.com/fcm/send/a", "https://fcm.googleapis.com@evil.example/fcm/send/a",
		`https://fcm.googleapis.com\@evil.example/fcm/send/a`, "https://evil.example#@fcm.googleapis.com/fcm/send/a", "https://evil.example?fcm.googleapis.com/fcm/send/a",
		"https://fcm.googleapis.com/fcm/send/a#x", "https://fcm.googleapis.com%00.evil.example/fcm/send/a", "https://fcm.googleapis.com%2f@evil.example/fcm/send/a",
		"https://push.apple.com/a", "https://.push.apple.com/a", "https://evilpush.apple.com/a", "https://a..push.apple.com/a", "https://-a.push.apple.com/a", "https://a_b.push.apple.com/a",
		"https://web.push.apple.com.evil.example/a", "https://web.push.apple.com", "https://web.push.apple.com/",
		"https://push.services.mozilla.com/wpush/v2/a", "https://updates.push.services.mozilla.com/other", "https://notify.windows.com/w/?token=a",
		"https://127.0.0.1/fcm/send/a", "https://localhost/fcm/send/a", "https://[::1]/fcm/send/a", "https://169.254.169.254/latest/meta-data", "https://[::ffff:127.0.0.1]/a", "https://2130706433/a",
		"http://localhost/a", "http://127.0.0.1:8080/a", "file:///etc/passwd", "https://[fe80::1%25eth0]/a", "https://example.org/a",
	} {
		if got, err := list(t).find(endpoint); err == nil {
			t.Errorf("%q would be reached as %s", endpoint, got.url)
		}
	}
}

func TestOwnServices(t *testing.T) {
	own := list(t, "push.example.org", "push.example.org:8443", "localhost:9001", "127.0.0.1:9002", "[::1]:9003", "10.0.0.7:9004", "[::1]")
	for endpoint, origin := range map[string]string{
		"https://push.example.org/x":        "https://push.example.org",
		"https://push.example.org:8443/x":   "https://push.example.org:8443",
		"https://localhost:9001/x":          "https://localhost:9001",
		"http://localhost:9001/x":           "http://localhost:9001",
		"http://127.0.0.1:9002/x?y=z":       "http://127.0.0.1:9002",
		"http://[::1]:9003/x":               "http://[::1]:9003",
		"https://[::1]:443/x":               "https://[::1]",
		"https://10.0.0.7:9004/x":           "https://10.0.0.7:9004",
		"https://fcm.googleapis.com/wp/abc": "https://fcm.googleapis.com",
		// not ours
		"http://push.example.org/x": "", "https://push.example.org:8444/x": "", "http://10.0.0.7:9004/x": "", "http://localhost/x": "",
		"https://localhost/x": "", "http://127.0.0.1:9001/x": "", "https://a.push.example.org/x": "", "https://push.example.org": "", "http://localhost.:9001/x": "",
	} {
		if got, err := own.find(endpoint); got.origin != origin || (err == nil) != (origin != "") {
			t.Errorf("%s: origin %q, %v", endpoint, got.origin, err)
		}
	}
	for _, bad := range []string{"", ":443", "push.example.org:", "https://push.example.org", "push.example.org/x", "me@push.example.org", "*.example.org", "push.example.org:x", "a b", "::1", "[::1", "[fe80::1%25eth0]", "push_x.example.org", "push.example.org?x", "push.example.org#x"} {
		if _, err := listServices([]string{bad}); err == nil {
			t.Errorf("%q is taken for a push service", bad)
		}
	}
}

// TestAddresses: where each kind of service may be dialled, whatever its name says.
func TestAddresses(t *testing.T) {
	browser, own, here := browsers[0], service{own: true}, service{own: true, plain: true}
	for address, want := range map[string][3]bool{ // browser, own, here
		"142.250.185.74": {true, true, false}, "1.1.1.1": {true, true, false}, "2a00:1450:4001::5f": {true, true, false}, "2600:1900::1": {true, true, false},
		"10.0.0.1": {false, true, false}, "172.16.0.1": {false, true, false}, "172.31.255.255": {false, true, false}, "192.168.1.1": {false, true, false}, "fd00::1": {false, true, false}, "fc00::1": {false, true, false},
		"127.0.0.1": {false, false, true}, "127.255.255.254": {false, false, true}, "::1": {false, false, true},
		"172.32.0.1": {true, true, false}, "11.0.0.1": {true, true, false},
		"0.0.0.0": {}, "0.1.2.3": {}, "::": {}, "169.254.169.254": {}, "fe80::1": {}, "febf::1": {}, "fec0::1": {}, "100.64.0.1": {}, "100.127.255.255": {},
		"192.0.0.8": {}, "192.0.2.1": {}, "198.51.100.1": {}, "203.0.113.1": {}, "198.18.0.1": {}, "198.19.255.255": {}, "192.88.99.1": {}, "224.0.0.1": {}, "239.255.255.255": {}, "240.0.0.1": {}, "255.255.255.255": {},
		"::ffff:127.0.0.1": {}, "::ffff:10.0.0.1": {}, "::ffff:8.8.8.8": {}, "::127.0.0.1": {}, "::8.8.8.8": {},
		"64:ff9b::7f00:1": {}, "64:ff9b::808:808": {}, "64:ff9b:1::1": {}, "2002:7f00:1::": {}, "2001::1": {}, "2001:db8::1": {}, "2001:10::1": {}, "3fff::1": {}, "100::1": {}, "5f00::1": {}, "ff02::1": {}, "ff0e::1": {}, "4000::1": {},
	} {
		a := netip.MustParseAddr(address)
		if got := [3]bool{browser.allows(a), own.allows(a), here.allows(a)}; got != want {
			t.Errorf("%s: browser, own, here: %v, want %v", address, got, want)
		}
	}
	if z := netip.MustParseAddr("2a00:1450::1%eth0"); browser.allows(z) || own.allows(z) || browser.allows(netip.Addr{}) {
		t.Error("an address with a zone, or none, is dialled")
	}
}

// FuzzEndpoint: whatever an endpoint says, what is dialled and signed for is a
// host of the list, on its port.
func FuzzEndpoint(f *testing.F) {
	for _, seed := range []string{"https://fcm.googleapis.com/wp/a", "https://web.push.apple.com/a", "http://localhost:9001/a", `https://fcm.googleapis.com\@evil.example/`, "https://a@b:443/x#y"} {
		f.Add(seed)
	}
	own := list(f, "localhost:9001")
	f.Fuzz(func(t *testing.T, endpoint string) {
		got, err := own.find(endpoint)
		if err != nil {
			return
		}
		host, port := got.url.Hostname(), portOf(got.url)
		if !got.service.has(host, port, got.url.Scheme) || got.url.User != nil || got.origin != got.url.Scheme+"://"+got.url.Host {
			t.Fatalf("%q leads to %s, signed for %s", endpoint, got.url, got.origin)
		}
		again, err := own.find(got.url.String())
		if err != nil || again.url.String() != got.url.String() {
			t.Fatalf("%q: %s is read as %v, %v", endpoint, got.url, again.url, err)
		}
	})
}
