package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// call is one real hook process that waits for its reply.
type call struct {
	testing.TB
	stdin          []byte
	stdout, stderr bytes.Buffer
	cmd            *exec.Cmd
	started        time.Time
	took           time.Duration
	done           chan struct{}
}

// recorded is what a real caller sent to a hook once.
func recorded(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("..", "..", "hook", "caller", "testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// fromTool is the stdin of a home-made tool's call. tool and input are JSON as they stand.
func fromTool(tool, input string) []byte {
	return []byte(`{"session_id":"s1","cwd":"/home/dev/project","hook_event_name":"PermissionRequest","tool_name":` + quote(tool) +
		`,"tool_input":` + input + `}`)
}

// shell is the input of a shell call.
func shell(text string) string { return `{"command":` + quote(text) + `}` }

// quote is a JSON string that leaves < > & as they are.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// claude starts the hook as Claude Code does.
func (m *machine) claude(stdin []byte) *call {
	m.Helper()
	return m.hook(stdin, "--agent", "claude")
}

// tool starts the hook as a home-made tool does that reads the open reply.
func (m *machine) tool(stdin []byte, flags ...string) *call {
	m.Helper()
	return m.hook(stdin, append([]string{"--agent", "my-tool", "--reply", "answerback"}, flags...)...)
}

func (m *machine) hook(stdin []byte, flags ...string) *call {
	m.Helper()
	return m.event("PermissionRequest", stdin, flags...)
}

// event starts the hook for any event.
func (m *machine) event(event string, stdin []byte, flags ...string) *call {
	m.Helper()
	c := &call{TB: m.TB, stdin: stdin, done: make(chan struct{}), started: time.Now()}
	c.cmd = exec.Command(program("answerback-hook"), append(flags, "--socket", m.socket(), event)...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = bytes.NewReader(stdin), &c.stdout, &c.stderr
	endWithUs(c.cmd)
	if err := c.cmd.Start(); err != nil {
		m.Fatal(err)
	}
	go func() {
		c.cmd.Wait()
		c.took = time.Since(c.started)
		close(c.done)
	}()
	m.Cleanup(c.kill)
	return c
}

func (c *call) kill() {
	c.cmd.Process.Kill()
	<-c.done
}

// waits reports whether the hook still waits.
func (c *call) waits() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// ends waits for the hook's end and returns what the caller reads.
func (c *call) ends() string {
	c.Helper()
	select {
	case <-c.done:
	case <-time.After(20 * time.Second):
		c.Fatal("the hook did not end")
	}
	return c.stdout.String()
}

// prints checks the hook's end to the byte: exit 0, nothing on stderr, and this on stdout.
func (c *call) prints(want string) {
	c.Helper()
	if got := c.ends(); got != want {
		c.Errorf("the hook printed %q, want %q", got, want)
	}
	if code := c.cmd.ProcessState.ExitCode(); code != 0 || c.stderr.Len() > 0 {
		c.Errorf("the hook ended with exit code %d and said %q", code, c.stderr.String())
	}
}
