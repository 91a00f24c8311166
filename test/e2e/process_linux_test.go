package e2e

import (
	"os/exec"
	"syscall"
)

// endWithUs lets a child die with the test, even when that is killed.
func endWithUs(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
