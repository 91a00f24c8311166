//go:build !unix

package store

import (
	"errors"
	"os"
)

// The relay runs on Windows, the agent does not; these stand in so that the one
// binary builds there.
const openNoFollow = 0

var errPlatform = errors.New("store: the agent does not run on this system; on Windows start it inside WSL 2")

func ownedByUs(os.FileInfo) bool { return false }

func takeLock(string) (*os.File, error) { return nil, errPlatform }

func dropLock(f *os.File) error { return f.Close() }
