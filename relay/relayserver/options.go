package relayserver

import (
	"io/fs"
	"log/slog"
	"net/netip"
)

// Options configure a [Server]. The zero value is a public relay without phone
// app and without push, for loopback and for listeners of the caller's.
type Options struct {
	// App holds the built phone app: index.html and what it loads. Nil: a page
	// that says that this binary was built without it.
	App fs.FS

	// AppOrigins are further origins ("https://app.example.org") from which a
	// phone app may use this relay. The relay's own origin always may. Whoever
	// serves an app at one of these can sign with the keys that phones keep there.
	AppOrigins []string

	// Hosts are the names ("relay.example.org") under which a proxy on this
	// machine passes requests on. On loopback every Host header but these and
	// localhost, 127.0.0.1 and [::1] is refused, so that a web page cannot reach
	// the relay through a name of its own (DNS rebinding).
	Hosts []string

	// TrustedProxies are the networks whose X-Forwarded-For is believed. Empty:
	// nobody's, and limits count the address of the TCP connection.
	TrustedProxies []netip.Prefix

	// Token makes the relay private: it serves a box only while a connection
	// with this access token listens on it or has admitted it. Empty: anybody
	// who can reach the relay may use it.
	Token string

	// Push sends PUSH frames on. Nil: they are answered with status 501.
	Push Pusher

	// Bus joins this relay with others. Nil: one node alone, a [Hub].
	Bus Bus

	// Limits against crowds and abuse. Zero fields take their defaults.
	Limits Limits

	// Version is what GET /v1/info says.
	Version string

	// Log gets what an operator needs: never a key, a box id, a payload, or an
	// address. Nil: nothing is logged.
	Log *slog.Logger
}

// Limits bound what strangers can take. A rate is per second; a burst is what
// may come at once after a quiet time.
type Limits struct {
	Sockets       int // open WebSockets in total; default 20,000
	PerAddress    int // .. of an IPv4 address or IPv6 /64; default 256
	Requests      int // open connections that are no WebSocket (yet), in total; default 4,096
	RequestsPer   int // .. of an address that is no trusted proxy; default 256
	AcceptRate    int // new WebSockets a second in total; default 200
	AcceptBurst   int // default 400
	Waiters       int // POSTs that wait for a reply, in total; default 2,048
	PostRate      int // POSTs a second of one address; default 5
	PostBurst     int // default 60
	SocketRate    int // frames a second of one socket; default 100
	SocketBurst   int // default 512
	BoxRate       int // messages a second into one box; default 16
	BoxBurst      int // default 64
	BoxBytes      int // bytes a minute into one box; default 32 MiB
	PushPerMinute int // PUSH frames a minute of one socket; default 30
}

func (l Limits) withDefaults() Limits {
	set := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	set(&l.Sockets, 20_000)
	set(&l.PerAddress, 256)
	set(&l.Requests, 4096)
	set(&l.RequestsPer, 256)
	set(&l.AcceptRate, 200)
	set(&l.AcceptBurst, 400)
	set(&l.Waiters, 2048)
	set(&l.PostRate, 5)
	set(&l.PostBurst, 60)
	set(&l.SocketRate, 100)
	set(&l.SocketBurst, 512)
	set(&l.BoxRate, 16)
	set(&l.BoxBurst, 64)
	set(&l.BoxBytes, 32<<20)
	set(&l.PushPerMinute, 30)
	return l
}
