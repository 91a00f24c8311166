package demo

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// process is a child of this program.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// start runs a program with both streams in a file.
func start(log string, program string, args ...string) (*process, error) {
	out, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p := &process{cmd: exec.Command(program, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// kill ends it as a power cut would.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// end asks it to end, and kills it when it does not.
func (p *process) end() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(5 * time.Second):
		p.kill()
	}
}

// ended reports whether it has ended by itself.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
