package hook

import "golang.org/x/sys/unix"

// Peer is the uid and the pid of the process at the other end of a connected
// unix socket, as the kernel noted them when it connected (LOCAL_PEERCRED and
// LOCAL_PEERPID, unix(4)).
func Peer(fd int) (uid, pid int, err error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1, 0, err
	}
	pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		return -1, 0, err
	}
	return int(cred.Uid), pid, nil
}
