package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"answerback/agent/control"
	"answerback/agent/device"
)

// screen is a program on a terminal of its own, as a person sees it: what came so far, and what is typed.
type screen struct {
	t    *testing.T
	file *os.File
	cmd  *exec.Cmd

	mu   sync.Mutex
	text bytes.Buffer
	read int // up to here was waited for
}

// onTerminal starts answerback on a terminal of 80x24.
func onTerminal(t *testing.T, env []string, args ...string) *screen {
	t.Helper()
	cmd := exec.Command("answerback", args...)
	cmd.Env = append(append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=", "NO_COLOR=", "HOME="+t.TempDir()), append(noCallers, env...)...)
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, file: file, cmd: cmd}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait(); file.Close() })
	go s.watch()
	return s
}

func (s *screen) watch() {
	chunk := make([]byte, 4096)
	for {
		n, err := s.file.Read(chunk)
		s.mu.Lock()
		s.text.Write(chunk[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// all is everything that has come, with plain line ends.
func (s *screen) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(s.text.String(), "\r\n", "\n")
}

// see waits for a pattern behind what was seen before, and returns its groups.
func (s *screen) see(pattern string) []string {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		text := s.all()
		if at := re.FindStringSubmatchIndex(text[s.read:]); at != nil {
			groups := re.FindStringSubmatch(text[s.read:])
			s.read += at[1]
			return groups
		}
	}
	s.t.Fatalf("the terminal does not show %q; it shows:\n%s", pattern, s.all())
	return nil
}

func (s *screen) enter(line string) {
	s.t.Helper()
	if _, err := s.file.WriteString(line + "\n"); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the program's end and wants that exit code.
func (s *screen) ends(code int) {
	s.t.Helper()
	done := make(chan struct{})
	go func() { s.cmd.Wait(); close(done) }()
	select {
	case <-done:
		if got := s.cmd.ProcessState.ExitCode(); got != code {
			s.t.Errorf("it ended with %d, not %d:\n%s", got, code, s.all())
		}
	case <-time.After(30 * time.Second):
		s.t.Fatalf("it does not end:\n%s", s.all())
	}
}

// stateFolder is a short path: a socket lies in it.
func stateFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ab")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// phone is a device that pairs from a link and shows its digits on a channel.
type phone struct {
	digits chan string
	paired chan device.State
}

func scan(t *testing.T, link string) *phone {
	t.Helper()
	p := &phone{digits: make(chan string, 1), paired: make(chan device.State, 1)}
	go func() {
		s, err := device.Pair(t.Context(), link, device.PairOptions{Name: "Pixel 9", Platform: "Android, Chrome", OnDigits: func(d string) { p.digits <- d }}, device.Options{})
		if err != nil && t.Context().Err() == nil {
			t.Errorf("the phone did not pair: %v", err)
		}
		if err == nil {
			p.paired <- s
		}
	}()
	return p
}

// on opens the device and keeps it running until the test ends.
func (p *phone) on(t *testing.T) *device.Device {
	t.Helper()
	select {
	case s := <-p.paired:
		d, err := device.Open(s, device.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { d.Run(ctx); close(done) }()
		t.Cleanup(func() { stop(); <-done })
		return d
	case <-time.After(30 * time.Second):
		t.Fatal("the phone did not pair in time")
		return nil
	}
}

// noCallers hides where the person who runs the tests keeps the coding tools' own configurations: no test may edit those.
var noCallers = []string{"CLAUDE_CONFIG_DIR=", "CODEX_HOME=", "COPILOT_HOME="}

// run1 runs answerback without a terminal.
func run1(t *testing.T, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("answerback", args...)
	cmd.Env = append(append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR="), noCallers...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// upOnTerminal starts up on a terminal and pairs a phone by the code that it offers.
func upOnTerminal(t *testing.T) (state string, s *screen, d *device.Device) {
	t.Helper()
	state = stateFolder(t)
	s = onTerminal(t, nil, "--state", state, "up", "--listen", "localhost:0")
	s.see(`devices +none yet`)
	link := s.see(`pair a phone or this browser:  (http://localhost:\d+/p#[A-Z2-7]+)`)[1]
	s.see(`type the six digits that the device shows`)
	p := scan(t, link)
	s.see(`locked by "Pixel 9" \(Android, Chrome\)\.  digits: `)
	digits := <-p.digits
	s.enter(digits[:3] + " " + digits[3:])
	d = p.on(t)
	s.see(`paired\.  try it: answerback try`)
	return state, s, d
}

// waitOpen waits until the agent has one open call, and returns it.
func waitOpen(t *testing.T, state string) control.Pending {
	t.Helper()
	var open []control.Pending
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		open = nil
		err := control.Ask(t.Context(), filepath.Join(state, "agent.sock"), control.Request{Do: control.DoPending}, func(r control.Reply) {
			if r.Pending != nil {
				open = append(open, *r.Pending)
			}
		})
		if err == nil && len(open) == 1 && open[0].Sent > 0 {
			return open[0]
		}
	}
	t.Fatalf("no card is out: %+v", open)
	return control.Pending{}
}
