package webpush

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

const (
	dialWithin   = 5 * time.Second
	answerWithin = 10 * time.Second
	idleWithin   = time.Minute
	maxHeaders   = 16 << 10
	maxConns     = 16 // to one host
)

var errAddress = errors.New("webpush: the name leads to an address that is none of its service")

// newTransport posts to the services of the list and to nothing else. There is
// no proxy: it would choose the address.
func newTransport(d *dialer, roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		Proxy: nil, DialContext: d.dial, ForceAttemptHTTP2: true, DisableCompression: true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout: dialWithin, ResponseHeaderTimeout: answerWithin, IdleConnTimeout: idleWithin,
		MaxResponseHeaderBytes: maxHeaders, MaxConnsPerHost: maxConns, MaxIdleConnsPerHost: 2,
	}
}

// dialer connects to the services of its list.
type dialer struct {
	services services
	resolver *net.Resolver // nil: the system's
}

// dial connects to HOST:PORT. The address is checked between the answer of the
// name server and the connection, for each address anew, so that a name cannot
// show one address to a check and another to the dial (DNS rebinding).
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	check := func(_, at string, _ syscall.RawConn) error {
		if a, err := netip.ParseAddrPort(at); err != nil || !d.services.allow(host, port, a.Addr()) {
			return errAddress
		}
		return nil
	}
	return (&net.Dialer{Timeout: dialWithin, Control: check, Resolver: d.resolver}).DialContext(ctx, network, address)
}

// allow reports whether a service of that name and port may be at a.
func (list services) allow(host, port string, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(s service) bool {
		return (s.has(host, port, "https") || s.has(host, port, "http")) && s.allows(a)
	})
}

// kind says what went wrong, without the names and addresses that errors hold.
func kind(err error) string {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var timeout net.Error
	switch {
	case errors.Is(err, errAddress):
		return "its name leads to an address that pushes may not go to"
	case errors.As(err, &dns):
		return "its name is not known here"
	case errors.As(err, &cert):
		return "its certificate is not trusted"
	case errors.Is(err, context.Canceled):
		return "the relay stops"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time"
	}
	return "no connection"
}
