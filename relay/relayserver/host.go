package relayserver

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// hostAllowed checks the Host header of what arrives on loopback. A connection
// whose local address is not known counts as loopback.
func (s *Server) hostAllowed(r *http.Request) bool {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if ap, err := netip.ParseAddrPort(local.String()); err == nil && !ap.Addr().Unmap().IsLoopback() {
			return true
		}
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	switch host = strings.ToLower(strings.Trim(host, "[]")); host {
	case "localhost", "127.0.0.1", "::1":
		return true
	}
	return slices.ContainsFunc(s.opt.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// originAllowed reports whether a page of that origin may use the relay: the
// relay's own and the named ones. Agents and terminals send no Origin; a
// browser always does.
func (s *Server) originAllowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(s.opt.AppOrigins, origin) {
		return len(r.Header.Values("Origin")) <= 1
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") &&
		u.Host != "" && strings.EqualFold(u.Host, r.Host) && len(r.Header.Values("Origin")) == 1
}

// clientAddr is the address that limits count: an IPv4 address, or the /64 of
// an IPv6 one, because a single customer gets at least that many.
func (s *Server) clientAddr(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	addr := ap.Addr().Unmap()
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for len(forwarded) > 0 && s.trusted(addr) {
		last := strings.TrimSpace(forwarded[len(forwarded)-1])
		forwarded = forwarded[:len(forwarded)-1]
		next, err := netip.ParseAddr(last)
		if err != nil {
			break
		}
		addr = next.Unmap().WithZone("")
	}
	return counted(addr)
}

// counted is what an address is counted as.
func counted(addr netip.Addr) netip.Addr {
	if addr.Is6() {
		p, _ := addr.Prefix(64)
		return p.Addr()
	}
	return addr
}

func (s *Server) trusted(addr netip.Addr) bool {
	return slices.ContainsFunc(s.opt.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}
