//go:build unix

package relayserver

import (
	"net"
	"syscall"
)

// rawConn returns what lets lean wait without a buffer.
func rawConn(c net.Conn) syscall.RawConn {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// readFD reads without blocking; again says that nothing is there yet.
func readFD(fd uintptr, p []byte) (n int, again bool, err error) {
	for {
		n, err = syscall.Read(int(fd), p)
		if err != syscall.EINTR {
			return n, err == syscall.EAGAIN, err
		}
	}
}
