package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// asker finds the process that asked: the nearest ancestor of the hook that is not a shell started only to run it. 0: unreadable.
func asker(hookPID int) int {
	pid := hookPID
	for range 4 {
		pid = parentOf(pid)
		if pid <= 0 || !shellForOneCommand(pid) {
			return max(pid, 0)
		}
	}
	return pid
}

// parentOf reads the fourth field of /proc/PID/stat (proc_pid_stat(5)); the second may hold spaces and brackets.
func parentOf(pid int) int {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
	if fields := strings.Fields(rest); ok && len(fields) > 1 {
		ppid, _ := strconv.Atoi(fields[1])
		return ppid
	}
	return 0
}

// shellForOneCommand reports whether a process is a shell with -c: callers start hooks through one.
func shellForOneCommand(pid int) bool {
	line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return false
	}
	args := strings.Split(string(line), "\x00")
	switch strings.TrimPrefix(filepath.Base(args[0]), "-") {
	case "sh", "bash", "dash", "zsh", "ksh", "fish", "busybox":
	default:
		return false
	}
	for _, arg := range args[1:] {
		if strings.HasPrefix(arg, "-") && strings.HasSuffix(arg, "c") {
			return true
		}
	}
	return false
}
