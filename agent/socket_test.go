package agent

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
