package device

import (
	"errors"
	"net"
)

// dialFailed reports whether an HTTP request failed before a connection stood, so that no byte of it was sent.
func dialFailed(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
