//go:build unix

package demo

import "syscall"

// freeze stops it where it stands, until thaw.
func (p *process) freeze() { p.cmd.Process.Signal(syscall.SIGSTOP) }
func (p *process) thaw()   { p.cmd.Process.Signal(syscall.SIGCONT) }
