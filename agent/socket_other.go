//go:build !unix

package agent

import (
	"errors"
	"net"
)

// listen refuses: hook and agent need a unix socket whose other end the kernel names.
func listen(string) (*net.UnixListener, error) {
	return nil, errors.New("agent: it runs on Linux and macOS, and on Windows inside WSL 2; the relay alone runs here: answerback relay")
}
