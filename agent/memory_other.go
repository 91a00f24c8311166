//go:build !linux

package agent

import "os"

var pid = os.Getpid()

// residentBytes is what the runtime took from the system: the resident set is not told without cgo.
func residentBytes(taken uint64) uint64 { return taken }
