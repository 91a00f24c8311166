//go:build unix

package agent

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// B112: failing to listen is fatal and says what to do; nobody is left waiting on a socket that is not there.
func TestB112_ListenFailsLoudly(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o700))
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	wide := filepath.Join(dir, "wide")
	must(t, os.Mkdir(wide, 0o700))
	must(t, os.Chmod(wide, 0o755))
	link := filepath.Join(dir, "link")
	must(t, os.Symlink(wide, link))
	live := filepath.Join(dir, "live.sock")
	l, err := listen(live)
	must(t, err)
	defer l.Close()
	for _, c := range []struct{ name, path, says string }{
		{"too long", filepath.Join(dir, strings.Repeat("x", 100)), "shorter"},
		{"the folder is a file", filepath.Join(file, "a.sock"), "folder"},
		{"the folder is open to others", filepath.Join(wide, "a.sock"), "chmod 700"},
		{"the folder is a link", filepath.Join(link, "a.sock"), "not a folder"},
		{"a file lies there", file, "no socket"},
		{"another agent listens", live, "another agent"},
	} {
		l, err := listen(c.path)
		if err == nil {
			l.Close()
			t.Errorf("%s: it listens", c.name)
			continue
		}
		if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q does not say %q", c.name, err, c.says)
		}
	}
}

func TestListenReplacesWhatAKilledAgentLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "agent.sock")
	l, err := listen(path)
	must(t, err)
	l.SetUnlinkOnClose(false)
	l.Close()
	l, err = listen(path)
	must(t, err)
	defer l.Close()
	info, err := os.Lstat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the socket has mode %04o, want 0600", info.Mode().Perm())
	}
	c, err := net.Dial("unix", path)
	must(t, err)
	c.Close()
}

// Of agents that start together on what a killed one left, one listens, and no other takes its socket away.
func TestOneOfManyListens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k", "agent.sock")
	stale, err := listen(path)
	must(t, err)
	stale.SetUnlinkOnClose(false)
	stale.Close()
	var wg sync.WaitGroup
	got := make(chan *net.UnixListener, 16)
	for range cap(got) {
		wg.Go(func() {
			if l, err := listen(path); err == nil {
				got <- l
			}
		})
	}
	wg.Wait()
	close(got)
	if len(got) != 1 {
		t.Errorf("%d agents listen on one socket", len(got))
	}
	c, err := net.Dial("unix", path)
	must(t, err)
	c.Close()
	for l := range got {
		l.Close()
	}
}

// An agent that is too busy to take a connection is not taken for a dead one.
func TestBusyAgentKeepsItsSocket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "k")
	must(t, os.Mkdir(dir, 0o700))
	path := filepath.Join(dir, "agent.sock")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	must(t, err)
	defer syscall.Close(fd)
	must(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}))
	must(t, syscall.Listen(fd, 0))
	for range 3 {
		if c, err := net.DialTimeout("unix", path, 100*time.Millisecond); err == nil {
			defer c.Close()
		}
	}
	if l, err := listen(path); err == nil || !strings.Contains(err.Error(), "another agent") {
		if l != nil {
			l.Close()
		}
		t.Errorf("it was replaced: %v", err)
	}
}
