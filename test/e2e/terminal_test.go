package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is answerback on a real terminal of 80x24, and the person who reads it.
type terminal struct {
	testing.TB
	*process
	file *os.File
}

// colours are the sequences that a terminal swallows.
var colours = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// openTerminal runs answerback on a terminal until the test ends.
func openTerminal(t testing.TB, args ...string) *terminal {
	t.Helper()
	cmd := exec.Command(program("answerback"), args...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "NO_COLOR=")
	tm := &terminal{TB: t, process: &process{cmd: cmd, done: make(chan struct{})}}
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatalf("start answerback on a terminal: %v", err)
	}
	tm.file = file
	go tm.read()
	t.Cleanup(func() {
		tm.end()
		file.Close()
	})
	return tm
}

// read takes in what is printed until the terminal is gone, which on Linux is a read error.
func (tm *terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := tm.file.Read(buf)
		tm.said.Write(buf[:n])
		if err != nil {
			break
		}
	}
	tm.cmd.Wait()
	close(tm.done)
}

// screen is all that was printed so far, as a person reads it.
func (tm *terminal) screen() string {
	return strings.ReplaceAll(colours.ReplaceAllString(tm.said.String(), ""), "\r\n", "\n")
}

// reads waits until the terminal shows what matches, and returns the match and its groups.
func (tm *terminal) reads(pattern string) []string {
	tm.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if found := re.FindStringSubmatch(tm.screen()); found != nil {
			return found
		}
	}
	tm.Fatalf("the terminal never showed %s; it shows:\n%s", pattern, tm.screen())
	return nil
}

// types sends a line as the person's keys would.
func (tm *terminal) types(line string) {
	tm.Helper()
	if _, err := tm.file.WriteString(line + "\r"); err != nil {
		tm.Fatalf("type %q: %v", line, err)
	}
}

// ends waits for the command's own end and returns its exit code.
func (tm *terminal) ends() int {
	tm.Helper()
	select {
	case <-tm.done:
		return tm.cmd.ProcessState.ExitCode()
	case <-time.After(10 * time.Second):
		tm.Fatalf("the command did not end; the terminal shows:\n%s", tm.screen())
		return -1
	}
}

// theLink is the pairing link that the terminal shows.
func (tm *terminal) theLink() string {
	tm.Helper()
	return tm.reads(`http://\S+/p#[A-Z2-7]+`)[0]
}
