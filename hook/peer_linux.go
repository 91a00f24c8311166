package hook

import "syscall"

// Peer is the uid and the pid of the process at the other end of a connected
// unix socket, as the kernel noted them when it connected (SO_PEERCRED,
// unix(7)). A pid of 0 means a process outside our pid namespace.
func Peer(fd int) (uid, pid int, err error) {
	cred, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return -1, 0, err
	}
	return int(cred.Uid), int(cred.Pid), nil
}
