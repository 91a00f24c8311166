//go:build unix

package hook

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary is the hook as it is shipped, built once for all tests of this file.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "answerback-hook")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "answerback-hook")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "answerback/cmd/answerback-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// outcome is what a caller sees of one hook process.
type outcome struct {
	stdout, stderr string
	exit           int // -1: ended by a signal
	took           time.Duration
}

// run runs a command to its end. With then, it calls it once the process is
// there.
func run(t *testing.T, cmd *exec.Cmd, then ...func(*os.Process)) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Start()
	if err == nil {
		for _, f := range then {
			go f(cmd.Process)
		}
		err = cmd.Wait()
	}
	took := time.Since(start)
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Error(err) // not Fatal: several run at once
		return outcome{exit: -2}
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), took}
}

const someCall = `{"session_id":"s","cwd":"/home/dev/project","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"true"}}`

// hook is a command that asks at a socket, with the call on standard input.
func hook(socket string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, append(args, "--socket", socket)...)
	cmd.Stdin = strings.NewReader(someCall)
	return cmd
}

func claude(socket string, args ...string) *exec.Cmd {
	return hook(socket, append([]string{"--agent", "claude", "PermissionRequest"}, args...)...)
}

// fakeAgent reads one CALL a connection and then does as it is told.
func fakeAgent(t *testing.T, then func(net.Conn, Call)) (socket string) {
	t.Helper()
	return accepting(t, func(c net.Conn) {
		if call, err := ReadCall(c); err == nil {
			then(c, call)
		}
	})
}

func accepting(t *testing.T, then func(net.Conn)) (socket string) {
	t.Helper()
	l := listen(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				then(c)
			}()
		}
	}()
	return l.Addr().String()
}

// rows are three callers whose no opinion differs, with their rows.
var rows = map[string]struct {
	args []string
	want string
}{
	"claude":         {[]string{"--agent", "claude", "PermissionRequest"}, ""},
	"a tool":         {[]string{"--agent", "my-tool", "--reply", "answerback", "PermissionRequest"}, ""},
	"gemini":         {[]string{"--agent", "gemini", "BeforeTool"}, geminiAsk},
	"a closed gate":  {[]string{"--agent", "codex", "--fail-mode", "closed", "PreToolUse"}, claudeGateDeny},
	"a closed gate2": {[]string{"--agent", "copilot", "--fail-mode=closed", "preToolUse"}, copilotGateDeny},
}

// silent makes sure that each of the rows falls back at this socket, within a
// time. The processes run at once.
func silent(t *testing.T, socket string, within time.Duration, change func(*exec.Cmd)) {
	t.Helper()
	var all sync.WaitGroup
	for name, row := range rows {
		cmd := hook(socket, row.args...)
		if change != nil {
			change(cmd)
		}
		all.Go(func() {
			got := run(t, cmd)
			if got.exit != 0 || got.stdout != row.want || got.stderr != "" {
				t.Errorf("%s: exit %d, stdout %q, stderr %q; want stdout %q", name, got.exit, got.stdout, got.stderr, row.want)
			}
			if got.took > within+startUp {
				t.Errorf("%s: took %v, more than %v", name, got.took, within)
			}
		})
	}
	all.Wait()
}

// startUp is what a busy machine may need to start a process. Where the hook's
// own time matters to the millisecond, ask_test.go measures it with a fake
// clock, and TestH2 takes the best of several runs.
const startUp = 3 * time.Second

func TestVerdictIsPrintedByteForByte(t *testing.T) {
	for name, want := range map[string]Verdict{
		"an allow":     {0, []byte(`{"decision":"allow"}` + "\n"), nil},
		"a gate":       {2, []byte("{}"), []byte("stop")},
		"silence":      {},
		"every byte":   {0, []byte("\x00\xff\r\n\x1b"), []byte{0}},
		"a long reply": {0, bytes.Repeat([]byte("x"), 1<<20), nil},
	} {
		socket := fakeAgent(t, func(c net.Conn, _ Call) {
			WriteHeld(c, held(time.Minute))
			WriteBeat(c)
			WriteVerdict(c, want)
		})
		got := run(t, claude(socket))
		if got.exit != want.Exit || got.stdout != string(want.Stdout) || got.stderr != string(want.Stderr) {
			t.Errorf("%s: exit %d, stdout %.80q, stderr %q", name, got.exit, got.stdout, got.stderr)
		}
	}
}

func TestCallCarriesWhatTheCallerSaid(t *testing.T) {
	calls := make(chan Call, 1)
	socket := fakeAgent(t, func(c net.Conn, call Call) {
		calls <- call
		WriteVerdict(c, Verdict{})
	})
	run(t, hook(socket, "--agent", "my-tool", "--reply", "answerback", "--wait", "90", "--probe", "PermissionRequest"))
	call := <-calls
	if call.Caller != "my-tool" || call.Event != "PermissionRequest" || call.Flags != FlagReply|FlagProbe ||
		call.Wait != 90*time.Second || call.Elapsed > 2*time.Second || string(call.Stdin) != someCall {
		t.Errorf("the agent read %+v", call)
	}
}

// H2: without an agent the hook is done within 300 ms, whatever kept this
// machine busy in the other runs.
func TestH2_NoAgent(t *testing.T) {
	best := time.Hour
	for range 10 {
		got := run(t, claude("/nowhere/answerback/agent.sock"))
		best = min(best, got.took)
	}
	if best > 300*time.Millisecond {
		t.Errorf("the fastest of ten runs took %v", best)
	}
	silent(t, "/nowhere/answerback/agent.sock", 300*time.Millisecond, nil)
}

func TestNoAgentAnyMore(t *testing.T) {
	l := listen(t)
	l.SetUnlinkOnClose(false)
	l.Close()
	silent(t, l.Addr().String(), 300*time.Millisecond, nil)
}

// A caller that holds its end of standard input open costs no more.
func TestNoAgentAndStdinStaysOpen(t *testing.T) {
	r, w := pipe(t)
	defer w.Close()
	cmd := claude("/nowhere/answerback/agent.sock")
	cmd.Stdin = r
	if got := run(t, cmd); got.exit != 0 || got.stdout != "" || got.took > 300*time.Millisecond+startUp {
		t.Errorf("%+v", got)
	}
}

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
var broken25 = map[string]func(net.Conn, Call){
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
	for name, agent := range broken25 {
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

// Descriptors 0, 1 and 2 can be closed before the hook starts. The socket must
// not become one of them.
func TestStandardStreamsClosed(t *testing.T) {
	said := make(chan Call, 1)
	socket := fakeAgent(t, func(c net.Conn, call Call) {
		said <- call
		WriteVerdict(c, allowed)
		if extra, _ := io.ReadAll(c); len(extra) > 0 {
			t.Errorf("the reply went to the agent: %q", extra)
		}
	})
	cmd := exec.Command("sh", "-c", `exec "$0" "$@" >&- 2>&-`, binary, "--agent", "claude", "--socket", socket, "PermissionRequest")
	cmd.Stdin = strings.NewReader(someCall)
	if got := run(t, cmd); got.exit != 0 || got.stdout+got.stderr != "" {
		t.Errorf("%+v", got)
	}
	if call := <-said; string(call.Stdin) != someCall {
		t.Errorf("the agent read %q", call.Stdin)
	}
	closed := exec.Command("sh", "-c", `exec "$0" "$@" <&-`, binary, "--agent", "gemini", "--socket", "/nowhere/x", "BeforeTool")
	if got := run(t, closed); got.exit != 0 || got.stdout != geminiAsk {
		t.Errorf("%+v", got)
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

func TestBadCommandLinesAskNobody(t *testing.T) {
	socket := fakeAgent(t, func(c net.Conn, _ Call) { t.Error("the agent was asked"); WriteVerdict(c, allowed) })
	for _, args := range [][]string{
		{}, {"--agent"}, {"--agent", "My Tool", "--reply", "answerback", "PermissionRequest"},
		{"--agent", "claude", "--verbose", "PermissionRequest"}, {"--agent", "claude", "PermissionRequest", "PreToolUse"},
		{"--agent", "claude", "--wait", "0", "PermissionRequest"}, {"--agent", "claude", "--reply", "answerback", "PermissionRequest"},
		{"--help"}, {"--version"},
	} {
		got := run(t, hook(socket, args...))
		if got.exit != 0 || got.stdout+got.stderr != "" || got.took > 300*time.Millisecond+startUp {
			t.Errorf("%q: %+v", args, got)
		}
	}
	got := run(t, hook(socket, "--agent", "gemini", "--verbose", "BeforeTool"))
	if got.exit != 0 || got.stdout != geminiAsk {
		t.Errorf("gemini: %+v", got)
	}
}

// A tool that did not say --reply gets no reply, whatever the agent sends.
func TestNamedCallerWithoutReply(t *testing.T) {
	seen := make(chan Call, 1)
	socket := fakeAgent(t, func(c net.Conn, call Call) {
		seen <- call
		WriteVerdict(c, allowed)
	})
	got := run(t, hook(socket, "--agent", "my-tool", "PermissionRequest"))
	if got.exit != 0 || got.stdout+got.stderr != "" || got.took > 300*time.Millisecond+startUp {
		t.Errorf("%+v", got)
	}
	if call := <-seen; call.Caller != "my-tool" {
		t.Errorf("the agent saw %+v", call)
	}
}

func TestBinaryIsSmall(t *testing.T) {
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 2_500_000 {
		t.Errorf("the hook has %d bytes, more than 2.5 MB (%s)", info.Size(), runtime.Version())
	}
}

// BenchmarkStart is what each call of each caller pays when no agent runs,
// beside an empty Go program.
func BenchmarkStart(b *testing.B) {
	empty := emptyProgram(b)
	b.Run("empty program", func(b *testing.B) { start(b, empty) })
	b.Run("hook without an agent", func(b *testing.B) {
		start(b, binary, "--agent", "claude", "--socket", "/nowhere/answerback/agent.sock", "PermissionRequest")
	})
}

func start(b *testing.B, name string, args ...string) {
	for b.Loop() {
		cmd := exec.Command(name, args...)
		cmd.Stdin = strings.NewReader(someCall)
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func emptyProgram(b *testing.B) string {
	dir := b.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "empty")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%s", out)
	}
	return program
}
