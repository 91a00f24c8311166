//go:build unix

package hook

import (
	"os"
	"syscall"
)

// ownFolder says whether path is a folder (no link) that belongs to uid.
func ownFolder(path string, uid int) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && ownerOf(info) == uid
}

// CheckSocket refuses a socket that somebody else could have put there: folder
// and socket have to belong to us or to owner, neither may be a link, and no
// other user may reach them (folder 0700, socket 0600). When owner is another
// user (a hardened install), that user has to let us in, so then the folder
// only must not be writable for others; who listens is settled by Peer.
func CheckSocket(path string, owner int) error {
	us := os.Getuid()
	folder, err := os.Lstat(folderOf(path))
	if err != nil {
		return frameError{"check socket folder", err}
	}
	if !folder.IsDir() || !belongs(folder, us, owner) || tooWide(folder, us, owner) {
		return frameError{"check socket folder", errSocket}
	}
	socket, err := os.Lstat(path)
	if err != nil {
		return frameError{"check socket", err}
	}
	if socket.Mode().Type() != os.ModeSocket || !belongs(socket, us, owner) ||
		owner == us && socket.Mode().Perm()&0o177 != 0 {
		return frameError{"check socket", errSocket}
	}
	return nil
}

func belongs(info os.FileInfo, us, owner int) bool {
	uid := ownerOf(info)
	return uid == us || uid == owner
}

func tooWide(folder os.FileInfo, us, owner int) bool {
	if owner == us {
		return folder.Mode().Perm()&0o077 != 0
	}
	return folder.Mode().Perm()&0o022 != 0
}

// ownerOf is the uid of what Lstat saw, or -2, which is nobody's.
func ownerOf(info os.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -2
}

// dial connects to the agent at path and makes sure that the process behind it
// runs as owner, by the kernel's word. It never blocks: a unix socket accepts
// at once or not at all. The connection takes deadlines.
func dial(path string, owner int) (*os.File, error) {
	if err := CheckSocket(path, owner); err != nil {
		return nil, err
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	if err := connect(fd, path, owner); err != nil {
		syscall.Close(fd)
		return nil, frameError{"connect to the agent", err}
	}
	return os.NewFile(uintptr(fd), "agent"), nil
}

func connect(fd int, path string, owner int) error {
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return err
	}
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		return err
	}
	uid, _, err := Peer(fd)
	if err == nil && uid != owner {
		err = errSocket
	}
	return err
}
