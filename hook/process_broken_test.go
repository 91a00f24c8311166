//go:build unix

package hook

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestUnsafeSockets(t *testing.T) {
	for name, spoil := range unsafe {
		l := listen(t)
		path := spoil(t, l.Addr().String())
		got := run(t, claude(path))
		if got.exit != 0 || got.stdout+got.stderr != "" {
			t.Errorf("%s: %+v", name, got)
		}
		l.SetDeadline(time.Now())
		if c, err := l.Accept(); err == nil {
			c.Close()
			t.Errorf("%s: the hook connected", name)
		}
	}
}

func TestB112_PathTooLongHandsBack(t *testing.T) {
	silent(t, "/tmp/"+strings.Repeat("long/", 30)+"agent.sock", 300*time.Millisecond, nil)
}

// What an agent may send instead of a whole verdict.
var brokenAgents = map[string]func(net.Conn, Call){
	"closes at once":       func(c net.Conn, _ Call) {},
	"1 MB of junk":         func(c net.Conn, _ Call) { c.Write(bytes.Repeat([]byte("junk"), 1<<18)) },
	"JSON":                 func(c net.Conn, _ Call) { io.WriteString(c, `{"decision":"allow"}`) },
	"half a verdict":       func(c net.Conn, _ Call) { halfVerdict(c) },
	"HELD, half a verdict": func(c net.Conn, _ Call) { WriteHeld(c, held(time.Minute)); halfVerdict(c) },
	"a verdict of exit 1": func(c net.Conn, _ Call) {
		io.WriteString(c, "\x04\x00\x00\x00\x0e\x01\x00\x00\x00\x05allow\x00\x00\x00\x00")
	},
	"a verdict too long": func(c net.Conn, _ Call) { io.WriteString(c, "\x04\x7f\xff\xff\xff\x00"+strings.Repeat("allow", 9999)) },
	"another version":    func(c net.Conn, _ Call) { WriteUnsupported(c); WriteVerdict(c, allowed) },
	"HELD, then junk":    func(c net.Conn, _ Call) { WriteHeld(c, held(time.Minute)); io.WriteString(c, "allow") },
	"HELD, then closes":  func(c net.Conn, _ Call) { WriteHeld(c, held(time.Minute)); WriteBeat(c) },
	"a beat too early":   func(c net.Conn, _ Call) { WriteBeat(c); WriteVerdict(c, allowed) },
}

func halfVerdict(c net.Conn) {
	var b bytes.Buffer
	WriteVerdict(&b, allowed)
	c.Write(b.Bytes()[:b.Len()-1])
}

func TestB025_BrokenAgentsHandBack(t *testing.T) {
	for name, agent := range brokenAgents {
		t.Run(name, func(t *testing.T) { silent(t, fakeAgent(t, agent), time.Second, nil) })
	}
}

// It closes before it has read the call, while the hook still writes.
func TestB025_ClosesWhileTheHookWrites(t *testing.T) {
	socket := accepting(t, func(c net.Conn) { c.Read(make([]byte, 10)) })
	silent(t, socket, time.Second, func(cmd *exec.Cmd) {
		cmd.Stdin = strings.NewReader(strings.Repeat("x", MaxStdin))
	})
}

func TestM011_FrozenAgent(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for _, agent := range map[string]func(net.Conn){
		"never reads":     func(c net.Conn) { time.Sleep(20 * time.Second) },
		"never answers":   func(c net.Conn) { ReadCall(c); time.Sleep(20 * time.Second) },
		"answers by half": func(c net.Conn) { ReadCall(c); c.Write([]byte{2, 0, 0, 0}); time.Sleep(20 * time.Second) },
		"stops to beat": func(c net.Conn) {
			ReadCall(c)
			WriteHeld(c, held(time.Minute))
			time.Sleep(20 * time.Second)
		},
		"stops in a verdict": func(c net.Conn) { ReadCall(c); halfVerdict(c); time.Sleep(20 * time.Second) },
	} {
		socket := accepting(t, agent)
		all.Go(func() {
			silent(t, socket, 5*time.Second, func(cmd *exec.Cmd) {
				cmd.Stdin = strings.NewReader(someCall + strings.Repeat(" ", MaxStdin-len(someCall)))
			})
		})
	}
	all.Wait()
}

func TestM011_OwnDeadlineWhileTheAgentBeats(t *testing.T) {
	t.Parallel()
	socket := fakeAgent(t, func(c net.Conn, _ Call) { WriteHeld(c, held(time.Hour)); beats(c, 60) })
	silent(t, socket, 300*time.Millisecond+margin, func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "--wait=300ms") })
}

func TestVerdictInOneByteWrites(t *testing.T) {
	socket := fakeAgent(t, func(c net.Conn, _ Call) {
		var b bytes.Buffer
		WriteHeld(&b, held(time.Minute))
		WriteVerdict(&b, allowed)
		for _, x := range b.Bytes() {
			c.Write([]byte{x})
			time.Sleep(time.Millisecond)
		}
	})
	if got := run(t, claude(socket)); got.exit != 0 || got.stdout != "allow\n" {
		t.Errorf("%+v", got)
	}
}

// B023: a hook that its caller gives up on prints its row, never an Allow.
func TestB023_SignalsWhileWaiting(t *testing.T) {
	var all sync.WaitGroup
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		for name, row := range rows {
			waiting := make(chan bool, 1)
			socket := fakeAgent(t, func(c net.Conn, _ Call) {
				WriteHeld(c, held(time.Minute))
				waiting <- true
				beats(c, 20)
				WriteVerdict(c, allowed)
			})
			cmd := hook(socket, row.args...)
			all.Go(func() {
				got := run(t, cmd, func(p *os.Process) {
					<-waiting
					time.Sleep(200 * time.Millisecond)
					p.Signal(sig)
				})
				if got.exit != 0 || got.stdout != row.want || got.stderr != "" || got.took > time.Second+startUp {
					t.Errorf("%v, %s: %+v, want stdout %q", sig, name, got, row.want)
				}
			})
		}
	}
	all.Wait()
}
