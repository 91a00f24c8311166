//go:build unix

package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// maxSocket is the longest socket path that every platform takes (sun_path has 104 bytes on macOS), with a little to spare.
const maxSocket = 100

// listen makes the socket: folder 0700, socket 0600, both ours, no link. Failing to listen is the agent's end, loud, because a hook would
// find nobody.
func listen(path string) (*net.UnixListener, error) {
	if len(path) > maxSocket {
		return nil, fmt.Errorf("agent: the socket path %s has %d bytes, and %d is the most; give --socket a shorter one", path, len(path), maxSocket)
	}
	if err := ownFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	release, err := alone(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer release()
	if err := clear(path); err != nil {
		return nil, err
	}
	// The mode is right from the first moment: the folder keeps everybody else out until chmod has run.
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("agent: listen on %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("agent: listen on %s: %w", path, err)
	}
	return l, nil
}

// alone lets one agent at a time look at a folder's socket and replace it: of two that start together the second would remove the first one's.
func alone(dir string) (release func(), err error) {
	f, err := os.Open(dir)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return nil, fmt.Errorf("agent: lock the socket's folder: %w", err)
	}
	return func() { f.Close() }, nil
}

// ownFolder makes the folder, or refuses one that others could write to, enter, or have put there.
func ownFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("agent: make the socket's folder: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("agent: look at the socket's folder: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("agent: %s is not a folder; remove it, or give --socket another path", dir)
	case !ok || int(stat.Uid) != os.Getuid():
		return fmt.Errorf("agent: %s belongs to another user; give --socket another path", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("agent: %s is open to others (mode %04o); run: chmod 700 %s", dir, info.Mode().Perm(), dir)
	}
	return nil
}

// clear removes what a killed agent left. A live one is left alone, and so is anything that is no socket.
func clear(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("agent: look at the socket: %w", err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("agent: %s is no socket; remove it, or give --socket another path", path)
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		c.Close()
	}
	if !errors.Is(err, syscall.ECONNREFUSED) { // a busy one says EAGAIN (unix(7))
		return fmt.Errorf("agent: another agent listens on %s; stop it, or give --socket another path", path)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("agent: remove what an earlier agent left: %w", err)
	}
	return nil
}
