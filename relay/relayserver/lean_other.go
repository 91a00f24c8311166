//go:build !unix

package relayserver

import (
	"errors"
	"net"
	"syscall"
)

// rawConn returns nil: here lean reads through package net.
func rawConn(net.Conn) syscall.RawConn { return nil }

func readFD(uintptr, []byte) (int, bool, error) { return 0, false, errors.ErrUnsupported }
