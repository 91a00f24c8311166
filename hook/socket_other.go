//go:build !unix

package hook

import "os"

func ownFolder(string, int) bool { return false }

// CheckSocket refuses every socket here: hook and agent run on Linux and macOS
// (on Windows inside WSL 2).
func CheckSocket(path string, owner int) error { return frameError{"check socket", errSocket} }

func dial(path string, owner int) (*os.File, error) {
	return nil, frameError{"connect to the agent", errSocket}
}
