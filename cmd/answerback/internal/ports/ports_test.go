package ports

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
)

func open(t *testing.T, address string) []net.Listener {
	t.Helper()
	listeners, err := Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAll(listeners) })
	return listeners
}

// hasIPv6 reports whether this machine has ::1 at all.
func hasIPv6() bool {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		return false
	}
	l.Close()
	return true
}

// TestB114_LocalhostIsBothLoopbacks: whichever address a client makes of the name, it arrives.
func TestB114_LocalhostIsBothLoopbacks(t *testing.T) {
	listeners := open(t, "localhost:0")
	_, port, _ := net.SplitHostPort(listeners[0].Addr().String())
	hosts := []string{"127.0.0.1"}
	if hasIPv6() {
		hosts = append(hosts, "::1")
	}
	if len(listeners) != len(hosts) {
		t.Fatalf("%d listeners for %v", len(listeners), hosts)
	}
	for _, host := range hosts {
		c, err := net.Dial("tcp", net.JoinHostPort(host, port))
		if err != nil {
			t.Errorf("nobody on %s: %v", host, err)
			continue
		}
		c.Close()
	}
	if !Loopback(listeners) {
		t.Error("loopback is not seen as loopback")
	}
}

func TestB114_OneFamilyAlone(t *testing.T) {
	listeners := open(t, "127.0.0.1:0")
	if len(listeners) != 1 || !strings.HasPrefix(URL("127.0.0.1:0", listeners), "http://127.0.0.1:") {
		t.Errorf("got %v at %s", listeners, URL("127.0.0.1:0", listeners))
	}
}

func TestNeverAnotherPort(t *testing.T) {
	taken := open(t, "127.0.0.1:0")
	_, port, _ := net.SplitHostPort(taken[0].Addr().String())
	_, err := Listen("localhost:" + port)
	var used InUse
	if !errors.As(err, &used) || used.Address != "127.0.0.1:"+port {
		t.Errorf("got %v", err)
	}
}

func TestHalfAPortIsNotTaken(t *testing.T) {
	if !hasIPv6() {
		t.Log("this machine has no ::1; one address is all there is")
		return
	}
	taken := open(t, "[::1]:0")
	_, port, _ := net.SplitHostPort(taken[0].Addr().String())
	var used InUse
	if _, err := Listen("localhost:" + port); !errors.As(err, &used) {
		t.Fatalf("got %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatalf("the other half stayed open: %v", err)
	}
	l.Close()
}

func TestURL(t *testing.T) {
	for address, host := range map[string]string{"localhost:0": "localhost", "LOCALHOST:0": "localhost", ":0": "localhost", "0.0.0.0:0": "localhost", "127.0.0.1:0": "127.0.0.1"} {
		u, err := url.Parse(URL(address, open(t, address)))
		if err != nil || u.Hostname() != host || u.Port() == "0" || u.Scheme != "http" {
			t.Errorf("%s: %v, %v", address, u, err)
		}
	}
	if Loopback(open(t, "0.0.0.0:0")) {
		t.Error("all addresses are seen as loopback")
	}
}

func TestABadAddressIsSaid(t *testing.T) {
	for _, address := range []string{"", "localhost", "7380", "http://localhost:7380"} {
		if _, err := Listen(address); err == nil || !strings.Contains(err.Error(), "localhost:7380") {
			t.Errorf("%q: %v", address, err)
		}
	}
}
