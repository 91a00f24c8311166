package webpush

import "net/netip"

// special are the blocks that are no public host, of the special-purpose
// registries (RFC 6890 and its updates) and of multicast. IPv6 outside 2000::/3
// is no public host either: loopback, mapped and translated IPv4 (64:ff9b::/96),
// unique local, link-local and multicast lie there.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
)

var global = netip.MustParsePrefix("2000::/3")

func prefixes(list ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, text := range list {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}

// public reports whether a is an address of the open internet.
func public(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" || !a.Is4() && !global.Contains(a) {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// allows says which addresses a service may be dialled at: the browsers'
// services at public ones, the operator's own hosts at private ones as well, and
// a loopback name on this machine only.
func (s service) allows(a netip.Addr) bool {
	switch {
	case s.plain:
		return a.IsLoopback() && !a.Is4In6()
	case s.own:
		return public(a) || a.IsPrivate() && !a.Is4In6()
	}
	return public(a)
}
