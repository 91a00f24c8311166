package e2e

import (
	"bytes"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is one child of the test.
type process struct {
	cmd  *exec.Cmd
	said said // both streams
	done chan struct{}
}

// said collects what a process writes.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// launch starts a program in the background. Whoever launches it ends it.
func launch(t testing.TB, name string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(name, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	p.start(t)
	return p
}

func (p *process) start(t testing.TB) {
	t.Helper()
	endWithUs(p.cmd)
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", p.cmd.Path, err)
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
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

// freeze stops it where it stands, until thaw.
func (p *process) freeze() { p.cmd.Process.Signal(syscall.SIGSTOP) }
func (p *process) thaw()   { p.cmd.Process.Signal(syscall.SIGCONT) }

// until waits for a condition; it says what was waited for when it does not come.
func until(t testing.TB, what string, within time.Duration, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: waited %v in vain", what, within)
		}
	}
}
