//go:build unix

package hook

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSignalWhileStdinIsOpen(t *testing.T) {
	r, w := pipe(t)
	defer w.Close()
	socket := fakeAgent(t, func(net.Conn, Call) {})
	cmd := hook(socket, "--agent", "gemini", "BeforeTool")
	cmd.Stdin = r
	got := run(t, cmd, func(p *os.Process) {
		time.Sleep(500 * time.Millisecond)
		p.Signal(syscall.SIGTERM)
	})
	if got.exit != 0 || got.stdout != geminiAsk || got.took >= stdinWithin {
		t.Errorf("%+v", got)
	}
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, w
}

// A caller that is gone: no signal kills the hook, nothing is written twice,
// and the code is not 1.
func TestStdoutClosed(t *testing.T) {
	socket := fakeAgent(t, func(c net.Conn, _ Call) { WriteVerdict(c, Verdict{2, []byte("deny\n"), []byte("why\n")}) })
	for name, open := range map[string]func() *os.File{
		"the reader is gone": func() *os.File {
			r, w := pipe(t)
			r.Close()
			return w
		},
		"it cannot be written": func() *os.File {
			f, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			return f
		},
	} {
		cmd := claude(socket)
		cmd.Stdout = open()
		if got := run(t, cmd); got.exit != 2 || got.stderr != "" {
			t.Errorf("%s: %+v", name, got)
		}
		gone := hook("/nowhere/x", "--agent", "gemini", "BeforeTool")
		gone.Stdout = open()
		if got := run(t, gone); got.exit != 0 || got.stderr != "" {
			t.Errorf("%s, no agent: %+v", name, got)
		}
	}
}

// M012: a large and a hostile environment change nothing. (GODEBUG is left
// out: Go's runtime itself reads it, before any program runs.)
func TestM012_EnvironmentIsNotRead(t *testing.T) {
	socket := fakeAgent(t, func(c net.Conn, _ Call) { WriteVerdict(c, allowed) })
	hostile := []string{"HOME=/elsewhere", "TMPDIR=/elsewhere", "XDG_RUNTIME_DIR=/elsewhere", "XDG_STATE_HOME=/elsewhere",
		"XDG_CONFIG_HOME=/elsewhere", "ANSWERBACK_SOCKET=/elsewhere", "NO_COLOR=1", "TZ=:/dev/zero", "LANG=x", "PATH=",
		"LD_PRELOAD=/elsewhere.so", "SSL_CERT_FILE=/dev/zero", "NODE_EXTRA_CA_CERTS=/dev/zero", "HTTP_PROXY=http://127.0.0.1:1",
		"GOMAXPROCS=1", "GOGC=1", "GOTRACEBACK=crash", "=", "==x", "no equals sign"}
	for range 1000 {
		hostile = append(hostile, "LARGE"+strings.Repeat("x", 20)+"="+strings.Repeat("y", 900))
	}
	for name, env := range map[string][]string{"none": {}, "hostile and large": hostile} {
		cmd := claude(socket)
		cmd.Env = env
		if got := run(t, cmd); got.exit != 0 || got.stdout != "allow\n" || got.stderr != "" {
			t.Errorf("%s: %+v", name, got)
		}
		lost := hook("/nowhere/x", "--agent", "gemini", "BeforeTool")
		lost.Env = env
		if got := run(t, lost); got.exit != 0 || got.stdout != geminiAsk || got.stderr != "" || got.took > 300*time.Millisecond+startUp {
			t.Errorf("%s, no agent: %+v", name, got)
		}
	}
}

func TestM012_SourceReadsNoEnvironment(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv", "UserHomeDir", "TempDir("} {
			if !strings.HasSuffix(name, "_test.go") && bytes.Contains(source, []byte(word)) {
				t.Errorf("%s has %s", name, word)
			}
		}
	}
}

// More than 1 MiB is never shown to anybody, and the caller can finish writing.
func TestStdinOverTheLimit(t *testing.T) {
	socket := fakeAgent(t, func(c net.Conn, _ Call) { t.Error("the agent was asked"); WriteVerdict(c, allowed) })
	for _, size := range []int{MaxStdin + 1, 5 << 20} {
		silent(t, socket, time.Second, func(cmd *exec.Cmd) {
			cmd.Stdin = strings.NewReader(strings.Repeat(" ", size))
		})
	}
}

func TestStdinAtTheLimit(t *testing.T) {
	socket := fakeAgent(t, func(c net.Conn, call Call) {
		if len(call.Stdin) == MaxStdin {
			WriteVerdict(c, allowed)
		}
	})
	cmd := claude(socket)
	cmd.Stdin = strings.NewReader(strings.Repeat(" ", MaxStdin))
	if got := run(t, cmd); got.stdout != "allow\n" {
		t.Errorf("%+v", got)
	}
}

// Nothing on standard input is for the agent to refuse and to log.
func TestStdinEmpty(t *testing.T) {
	socket := fakeAgent(t, func(c net.Conn, call Call) {
		if len(call.Stdin) == 0 {
			WriteVerdict(c, Verdict{})
		}
	})
	cmd := claude(socket)
	cmd.Stdin = strings.NewReader("")
	if got := run(t, cmd); got.exit != 0 || got.stdout != "" || got.took > time.Second+startUp {
		t.Errorf("%+v", got)
	}
}

func TestStdinThatNeverEnds(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	defer w.Close()
	cmd := claude(fakeAgent(t, func(net.Conn, Call) { t.Error("the agent was asked") }))
	cmd.Stdin = r
	if got := run(t, cmd); got.exit != 0 || got.stdout != "" || got.took > stdinWithin+startUp {
		t.Errorf("%+v", got)
	}
}
