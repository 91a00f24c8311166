package agent

import (
	"os"
	"strconv"
	"strings"
)

var pid = os.Getpid()

// residentBytes is this process's resident set (VmRSS of proc_pid_status(5)), or what the runtime took where that cannot be read.
func residentBytes(taken uint64) uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return taken
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil {
				return kib << 10
			}
		}
	}
	return taken
}
