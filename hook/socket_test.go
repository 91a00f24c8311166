//go:build unix

package hook

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// folder is a short-named folder of mode 0700, because a socket's path has
// little room.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "abh")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// listen makes the agent's end of a socket with the modes that an agent gives.
func listen(t *testing.T) *net.UnixListener {
	t.Helper()
	path := filepath.Join(folder(t), "agent.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	chmod(t, path, 0o600)
	return l
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// unsafe are the ways in which a socket can be wrong. Each changes a good one
// and gives the path to try.
var unsafe = map[string]func(t *testing.T, path string) string{
	"a folder that the group can read": func(t *testing.T, path string) string {
		chmod(t, filepath.Dir(path), 0o750)
		return path
	},
	"a folder that all can write": func(t *testing.T, path string) string {
		chmod(t, filepath.Dir(path), 0o777|os.ModeSticky)
		return path
	},
	"a socket that the group can use": func(t *testing.T, path string) string {
		chmod(t, path, 0o660)
		return path
	},
	"a socket that all can use": func(t *testing.T, path string) string {
		chmod(t, path, 0o777)
		return path
	},
	"a link to the socket": func(t *testing.T, path string) string {
		return link(t, path, filepath.Join(filepath.Dir(path), "link"))
	},
	"a link to the folder": func(t *testing.T, path string) string {
		return filepath.Join(link(t, filepath.Dir(path), filepath.Join(folder(t), "link")), "agent.sock")
	},
	"a link to nothing": func(t *testing.T, path string) string {
		return link(t, "/nowhere", filepath.Join(filepath.Dir(path), "link"))
	},
	"a file": func(t *testing.T, path string) string {
		file := filepath.Join(filepath.Dir(path), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	},
	"a pipe": func(t *testing.T, path string) string {
		pipe := filepath.Join(filepath.Dir(path), "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		return pipe
	},
	"a folder in the socket's place": func(t *testing.T, path string) string { return filepath.Dir(path) },
	"nothing":                        func(t *testing.T, path string) string { return path + "x" },
	"no folder":                      func(t *testing.T, path string) string { return "/nowhere/answerback/agent.sock" },
	"a device in the system's folder": func(t *testing.T, path string) string {
		return "/dev/null"
	},
}

func link(t *testing.T, to, at string) string {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
	return at
}

func TestCheckSocket(t *testing.T) {
	us := os.Getuid()
	if err := CheckSocket(listen(t).Addr().String(), us); err != nil {
		t.Errorf("a good socket: %v", err)
	}
	for name, spoil := range unsafe {
		path := spoil(t, listen(t).Addr().String())
		if err := CheckSocket(path, us); err == nil {
			t.Errorf("%s was taken", name)
		}
		if c, err := dial(path, us); err == nil {
			c.Close()
			t.Errorf("%s was connected to", name)
		}
	}
}

// In a hardened install the agent is another user, who has to let us in.
func TestCheckSocketOfAnotherUser(t *testing.T) {
	other := os.Getuid() + 1
	path := listen(t).Addr().String()
	chmod(t, filepath.Dir(path), 0o711)
	chmod(t, path, 0o666)
	if err := CheckSocket(path, other); err != nil {
		t.Errorf("a socket that other users may use: %v", err)
	}
	chmod(t, filepath.Dir(path), 0o731)
	if err := CheckSocket(path, other); err == nil {
		t.Error("a folder that the group can write was taken")
	}
}

// The kernel's word on who listens is the last one.
func TestPeerOfAnotherUserIsRefused(t *testing.T) {
	path := listen(t).Addr().String()
	chmod(t, filepath.Dir(path), 0o711)
	if c, err := dial(path, os.Getuid()+1); err == nil {
		c.Close()
		t.Error("an agent of our own uid was taken for another user's")
	}
	c, err := dial(path, os.Getuid())
	if err == nil {
		c.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "check socket folder") {
		t.Errorf("a wide folder of our own: %v", err)
	}
}

func TestPeer(t *testing.T) {
	l := listen(t)
	c, err := dial(l.Addr().String(), os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	there, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	raw, err := there.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	err = raw.Control(func(fd uintptr) {
		uid, pid, err := Peer(int(fd))
		if err != nil || uid != os.Getuid() || pid != os.Getpid() {
			t.Errorf("peer is uid %d pid %d, %v", uid, pid, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Peer(-1); err == nil {
		t.Error("a closed descriptor has a peer")
	}
}

func TestSocketComesFromTheUidAlone(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "/elsewhere")
	t.Setenv("TMPDIR", "/elsewhere")
	t.Setenv("HOME", "/elsewhere")
	const nobody = 3999999999 // has no /run/user folder
	if got, want := Socket(nobody), "/tmp/answerback-3999999999/agent.sock"; got != want {
		t.Errorf("Socket is %s, want %s", got, want)
	}
	if got := Socket(os.Getuid()); strings.Contains(got, "elsewhere") || !filepath.IsAbs(got) || len(got) > maxSocketPath {
		t.Errorf("Socket is %s", got)
	}
	if ownFolder(link(t, "/", filepath.Join(folder(t), "l")), os.Getuid()) {
		t.Error("a link counts as a folder of our own")
	}
	if dir := folder(t); !ownFolder(dir, os.Getuid()) || ownFolder(dir, os.Getuid()+1) {
		t.Error("the owner of a folder is not told right")
	}
}
