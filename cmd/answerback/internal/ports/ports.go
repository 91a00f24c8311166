// Package ports listens for the relay of this machine. "localhost" means 127.0.0.1 and ::1 both, because what a program makes of that name
// differs; the port is the one asked for and never another one, because a device's keys belong to the origin that it was paired from.
package ports

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
)

// InUse says that another program has the port.
type InUse struct{ Address string }

// Error is a sentence fragment; the command line adds what to do.
func (e InUse) Error() string { return "another program listens on " + e.Address }

// Listen opens every listener of an address: "localhost:PORT", "HOST:PORT" or ":PORT". On error none stays open.
func Listen(address string) ([]net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no address to listen on; give one like localhost:7380", address)
	}
	if !strings.EqualFold(host, "localhost") {
		l, err := listen(address)
		if err != nil {
			return nil, err
		}
		return []net.Listener{l}, nil
	}
	return localhost(port)
}

// localhost listens on both loopback addresses; a machine without IPv6, or without IPv4, has one. With port 0 both get the same port.
func localhost(port string) ([]net.Listener, error) {
	var open []net.Listener
	var missing error
	for _, host := range []string{"127.0.0.1", "::1"} {
		l, err := listen(net.JoinHostPort(host, port))
		if absent(err) {
			missing = err
			continue
		}
		if err != nil {
			closeAll(open)
			return nil, err
		}
		open = append(open, l)
		_, port, _ = net.SplitHostPort(l.Addr().String())
	}
	if len(open) == 0 {
		return nil, missing
	}
	return open, nil
}

func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, InUse{Address: address}
	}
	if errors.Is(err, syscall.EACCES) {
		return nil, fmt.Errorf("the system does not let this user listen on %s; ports below 1024 need: setcap cap_net_bind_service=+ep, or a proxy in front", address)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}

// absent reports that this machine does not have that loopback address.
func absent(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT)
}

func closeAll(open []net.Listener) {
	for _, l := range open {
		l.Close()
	}
}

// URL is the address that programs on this machine, and its browsers, reach the listeners at: a browser takes http for safe only on loopback.
func URL(address string, open []net.Listener) string {
	host, _, _ := net.SplitHostPort(address)
	_, port, _ := net.SplitHostPort(open[0].Addr().String())
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(strings.ToLower(host), port)
}

// Loopback reports whether only this machine can reach the listeners.
func Loopback(open []net.Listener) bool {
	for _, l := range open {
		if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
			return false
		}
	}
	return true
}
