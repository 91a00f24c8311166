package control

import (
	"fmt"
	"net"
	"os"
	"time"

	"answerback/hook"
)

// connectWithin bounds the connection: a unix socket accepts at once or not at all.
const connectWithin = 2 * time.Second

// connect checks socket and folder as the hook does, connects, and checks the kernel's word on who listens.
func connect(path string) (*net.UnixConn, error) {
	uid := os.Getuid()
	if err := hook.CheckSocket(path, uid); err != nil {
		return nil, err
	}
	c, err := net.DialTimeout("unix", path, connectWithin)
	if err != nil {
		return nil, err
	}
	u := c.(*net.UnixConn)
	if got, _, err := Peer(u); err != nil || got != uid {
		u.Close()
		return nil, fmt.Errorf("the socket %s is another user's", path)
	}
	return u, nil
}

// Peer is the kernel's word on the process at the other end: its uid, and its pid where the system tells it.
func Peer(c *net.UnixConn) (uid, pid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, 0, err
	}
	var inner error
	err = raw.Control(func(fd uintptr) { uid, pid, inner = hook.Peer(int(fd)) })
	if err == nil {
		err = inner
	}
	return uid, pid, err
}
