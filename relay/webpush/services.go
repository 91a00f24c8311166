package webpush

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// service is one push service that the relay posts to.
type service struct {
	name     string   // for the log
	host     string   // lower case; a leading "." stands for every name below it
	port     string   // "443" but for hosts that the operator named
	prefixes []string // of the path; none: any path
	own      bool     // named by the operator: may have a private address
	plain    bool     // a loopback name: over http as well, and at a loopback address only

	wantsSubject bool // refuses a token without a contact
	windows      bool // wants X-WNS-Cache-Policy
}

// browsers are the push services of the browsers that a phone app runs in.
var browsers = services{
	{name: "fcm.googleapis.com", host: "fcm.googleapis.com", port: "443", prefixes: []string{"/fcm/send/", "/wp/"}}, // Chromium and all of its kind; other paths of the host are no Web Push
	{name: "push.services.mozilla.com", host: ".push.services.mozilla.com", port: "443", prefixes: []string{"/wpush/"}},
	{name: "push.apple.com", host: ".push.apple.com", port: "443", wantsSubject: true},
	{name: "notify.windows.com", host: ".notify.windows.com", port: "443", windows: true},
}

type services []service

// target is an endpoint that may be reached.
type target struct {
	service service
	url     *url.URL
	host    string // as the endpoint has it
	origin  string // RFC 6454: the "aud" claim
}

var errEndpoint = errors.New("webpush: this is no endpoint that the relay may reach")

// find reads an endpoint. On error at most its host is known.
func (list services) find(endpoint string) (target, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return target{}, errEndpoint
	}
	host, port := strings.ToLower(u.Hostname()), portOf(u)
	t := target{url: u, host: host}
	i := slices.IndexFunc(list, func(s service) bool { return s.has(host, port, u.Scheme) })
	if i < 0 || u.User != nil || u.Opaque != "" || u.Fragment != "" || !list[i].path(u) {
		return t, errEndpoint
	}
	t.service = list[i]
	u.Host = authority(host, port, u.Scheme)
	t.origin = u.Scheme + "://" + u.Host
	return t, nil
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}

// authority leaves out the scheme's own port, as an origin does.
func authority(host, port, scheme string) string {
	if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, port)
}

func (s service) has(host, port, scheme string) bool {
	if port != s.port || scheme != "https" && !(scheme == "http" && s.plain) {
		return false
	}
	if below, wild := strings.CutPrefix(s.host, "."); wild {
		name, ok := strings.CutSuffix(host, "."+below)
		return ok && isName(name)
	}
	return host == s.host
}

// path accepts the service's own paths. A path that a server could read as
// another one (dots as a segment) is none of them.
func (s service) path(u *url.URL) bool {
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	under := func(prefix string) bool {
		return strings.HasPrefix(u.EscapedPath(), prefix) && len(u.Path) > len(prefix)
	}
	return len(s.prefixes) == 0 && len(u.Path) > 1 || slices.ContainsFunc(s.prefixes, under)
}

// isName accepts labels of small letters, digits and inner dashes (RFC 1123).
func isName(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		odd := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, odd) {
			return false
		}
	}
	return len(name) <= 253
}

// listServices adds the operator's hosts to the browsers' services.
func listServices(hosts []string) (services, error) {
	list := slices.Clone(browsers)
	for _, text := range hosts {
		s, ok := ownService(text)
		if !ok {
			return nil, fmt.Errorf("webpush: %q is no push service; name it like push.example.org or push.example.org:8443", text)
		}
		list = append(list, s)
	}
	return list, nil
}

// ownService reads HOST[:PORT]; an IPv6 address stands in brackets.
func ownService(text string) (service, bool) {
	u, err := url.Parse("https://" + text)
	if err != nil || u.Host != text || strings.HasSuffix(text, ":") {
		return service{}, false
	}
	s := service{name: text, host: strings.ToLower(u.Hostname()), port: portOf(u), own: true}
	addr, err := netip.ParseAddr(s.host)
	s.plain = s.host == "localhost" || err == nil && addr.IsLoopback()
	return s, err == nil && addr.Zone() == "" || isName(s.host)
}
