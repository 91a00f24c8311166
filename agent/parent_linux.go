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
	return err == nil && oneCommand(strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00"))
}

// oneCommand reports whether a command line is that of a shell that was given its command with -c. A shell that runs a script may be the
// caller itself, whatever the script's own arguments are; and one that people type into has no -c.
func oneCommand(args []string) bool {
	shell := strings.TrimPrefix(filepath.Base(args[0]), "-")
	if shell == "busybox" && len(args) > 1 {
		args = args[1:]
		shell = args[0]
	}
	switch shell {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish":
	default:
		return false
	}
	for _, arg := range args[1:] {
		switch {
		case arg == "--command" || strings.HasPrefix(arg, "--command="):
			return shell == "fish"
		case len(arg) < 2 || arg[0] != '-' && arg[0] != '+':
			return false // the script, or the words of an option: no -c came before
		case arg[0] == '-' && arg[1] != '-' && strings.Contains(arg, "c"):
			return true
		}
	}
	return false
}
