package e2e

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// machine is the person's machine: one state folder, one relay on a port of its own, and what runs there.
type machine struct {
	testing.TB
	state, address string
	up             *process // relay and agent in one, or
	relay, agent   *process // each alone
}

// newMachine has a folder and a port, and nothing that runs. The folder's path is short, because a socket's has to be.
func newMachine(t testing.TB) *machine {
	t.Helper()
	dir, err := os.MkdirTemp("", "ab")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	m := &machine{TB: t, state: filepath.Join(dir, "s"), address: freeAddress(t)}
	seen.allow(m.url())
	return m
}

// freeAddress finds a port by number: a relay that is killed starts again on the same one.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startUp starts relay and agent in one process, as `answerback up` without a terminal.
func startUp(t testing.TB) *machine {
	t.Helper()
	m := newMachine(t)
	m.up = launch(t, program("answerback"), m.args("up", "--listen", m.address, "--human", "you@example.com")...)
	t.Cleanup(m.up.end)
	m.ready()
	return m
}

// startApart starts relay and agent as two processes, so that each can be killed alone.
func startApart(t testing.TB) *machine {
	t.Helper()
	m := newMachine(t)
	m.startRelay()
	m.startAgent()
	t.Cleanup(func() { m.relay.end(); m.agent.end() })
	return m
}

func (m *machine) startRelay() {
	m.Helper()
	m.relay = launch(m, program("answerback"), "relay", "--listen", m.address)
	m.serves()
}

func (m *machine) startAgent() {
	m.Helper()
	m.agent = launch(m, program("answerback"), m.args("agent", "--relay", m.url(), "--human", "you@example.com")...)
	m.ready()
}

// of is the same machine in another test.
func (m *machine) of(t testing.TB) *machine {
	other := *m
	other.TB = t
	return &other
}

func (m *machine) url() string    { return "http://" + m.address }
func (m *machine) socket() string { return filepath.Join(m.state, "agent.sock") }

func (m *machine) args(args ...string) []string { return append([]string{"--state", m.state}, args...) }

// serves waits for the relay, ready for the agent's socket.
func (m *machine) serves() {
	m.Helper()
	until(m, "the relay", 15*time.Second, func() bool {
		r, err := http.Get(m.url() + "/healthz")
		if err != nil {
			return false
		}
		r.Body.Close()
		return r.StatusCode == http.StatusNoContent
	})
}

func (m *machine) ready() {
	m.Helper()
	m.serves()
	until(m, "the agent", 15*time.Second, func() bool {
		c, err := net.Dial("unix", m.socket())
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// ran is what one command said on both streams, and its exit code.
type ran struct {
	out  string
	exit int
}

// command runs answerback to its end, away from a terminal.
func (m *machine) command(args ...string) ran {
	m.Helper()
	cmd := exec.Command(program("answerback"), m.args(args...)...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		m.Fatalf("answerback %v: %v", args, err)
	}
	return ran{string(out), cmd.ProcessState.ExitCode()}
}

// pending is the short id of the only open call.
func (m *machine) pending() string {
	m.Helper()
	rows := strings.Split(strings.TrimSpace(m.command("pending").out), "\n")
	if len(rows) < 2 || len(rows) > 2 && !strings.HasPrefix(rows[2], "a whole call: ") {
		m.Fatalf("one open call was expected; pending says %q", rows)
	}
	return strings.Fields(rows[1])[0]
}

// host is the name that cards show.
func host(t testing.TB) string {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}
