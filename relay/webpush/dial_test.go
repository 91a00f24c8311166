package webpush

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// names answers every question with the address that address returns.
func names(t *testing.T, address func() string) (*net.Resolver, *atomic.Int32) {
	t.Helper()
	asked := new(atomic.Int32)
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe() // no PacketConn, so it speaks DNS over TCP
		go func() {
			defer there.Close()
			var size [2]byte
			for {
				if _, err := io.ReadFull(there, size[:]); err != nil {
					return
				}
				query := make([]byte, binary.BigEndian.Uint16(size[:]))
				if _, err := io.ReadFull(there, query); err != nil {
					return
				}
				there.Write(reply(t, query, address, asked))
			}
		}()
		return here, nil
	}}, asked
}

func reply(t *testing.T, query []byte, address func() string, asked *atomic.Int32) []byte {
	t.Helper()
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		t.Error(err)
		return nil
	}
	m.Response, m.Authoritative, m.RecursionAvailable, m.Additionals = true, true, true, nil
	q := m.Questions[0]
	h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
	if q.Type == dnsmessage.TypeA {
		asked.Add(1)
	}
	switch a := netip.MustParseAddr(address()); {
	case a.Is4() && q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.AResource{A: a.As4()}}}
	case !a.Is4() && q.Type == dnsmessage.TypeAAAA:
		m.Answers = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}}}
	}
	b, err := m.Pack()
	if err != nil {
		t.Error(err)
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...)
}

// TestNamesThatLeadInside: the list is of names, and a name server can say
// anything (DNS rebinding). No connection is made to such an address.
func TestNamesThatLeadInside(t *testing.T) {
	for _, address := range []string{"127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255",
		"::1", "::", "fd00::1", "fe80::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1", "2001:db8::1"} {
		resolver, _ := names(t, func() string { return address })
		d := &dialer{services: list(t, "push.example.org"), resolver: resolver}
		for host, mayBePrivate := range map[string]bool{"fcm.googleapis.com:443": false, "web.push.apple.com:443": false, "push.example.org:443": true} {
			a := netip.MustParseAddr(address)
			if mayBePrivate && a.IsPrivate() {
				continue
			}
			conn, err := d.dial(t.Context(), "tcp", host)
			if !errors.Is(err, errAddress) {
				t.Errorf("%s at %s: %v, %v", host, address, conn, err)
			}
		}
	}
}

// TestNameIsAskedOnce: what was checked is what is dialled, so a name server
// that says something harmless first gains nothing.
func TestNameIsAskedOnce(t *testing.T) {
	var n atomic.Int32
	resolver, asked := names(t, func() string {
		if n.Add(1) <= 2 { // A and AAAA
			return "127.0.0.1"
		}
		return "8.8.8.8"
	})
	var log bytes.Buffer
	s := newSender(t, Options{Subject: "mailto:you@example.com", Log: slog.New(slog.NewTextHandler(&log, nil))})
	s.http = newTransport(&dialer{services: s.services, resolver: resolver}, nil)
	if status, _ := s.Push(t.Context(), aPush("https://web.push.apple.com/QGuQ")); status != 0 || asked.Load() != 1 {
		t.Errorf("status %d after %d questions", status, asked.Load())
	}
	if !strings.Contains(log.String(), "pushes may not go to") {
		t.Errorf("log %s", log.String())
	}
}

// TestDialOfOthers: the transport itself dials nothing but the list.
func TestDialOfOthers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := &dialer{services: list(t, "127.0.0.1:1")}
	for _, address := range []string{l.Addr().String(), "localhost:80", "8.8.8.8:443", "fcm.googleapis.com"} {
		if conn, err := d.dial(t.Context(), "tcp", address); err == nil {
			t.Errorf("%s: %v", address, conn.RemoteAddr())
		}
	}
}

func TestNoProxy(t *testing.T) {
	if s := newSender(t, Options{}); s.http.Proxy != nil {
		t.Error("a proxy would choose the address")
	}
}

// TestSilentService: a service that takes a push and says nothing ends after 10 s.
func TestSilentService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(Options{Key: newKey(t), Hosts: []string{"127.0.0.1:9001"}})
		if err != nil {
			t.Fatal(err)
		}
		s.http.DialContext = func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go io.Copy(io.Discard, there)
			return here, nil
		}
		began := time.Now()
		status, _ := s.Push(t.Context(), aPush("http://127.0.0.1:9001/push/x"))
		if took := time.Since(began); status != 0 || took != answerWithin {
			t.Errorf("status %d after %v", status, took)
		}
	})
}
