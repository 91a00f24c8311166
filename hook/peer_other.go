//go:build !linux && !darwin

package hook

import "errors"

// Peer is not known on this system, so no connection is ever trusted here:
// hook and agent run on Linux and macOS.
func Peer(fd int) (uid, pid int, err error) {
	return -1, 0, errors.New("hook: read peer: hook and agent run on Linux and macOS only")
}
