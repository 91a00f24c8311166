//go:build !linux

package e2e

import "os/exec"

func endWithUs(*exec.Cmd) {}
