package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/voice"
)

// TestScripts runs what needs no phone: one file for each subcommand, and one for each public fault report that is the terminal's.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setUp,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "running": running, "fits": fits, "socket": staleSocket, "taken": taken, "lines": lines,
		},
	})
}

// setUp gives a script a home of its own, and a short folder for state, because a socket's path must be short.
func setUp(env *testscript.Env) error {
	short, err := os.MkdirTemp("", "ab")
	if err != nil {
		return err
	}
	env.Defer(func() { os.RemoveAll(short) })
	for _, name := range []string{"NO_COLOR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		env.Setenv(name, "")
	}
	for _, hidden := range noCallers {
		env.Setenv(strings.TrimSuffix(hidden, "="), "")
	}
	env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("TERM", "xterm-256color")
	env.Setenv("LANG", "C.UTF-8")
	env.Setenv("S", filepath.Join(short, "s"))
	return os.Mkdir(filepath.Join(env.WorkDir, "home"), 0o700)
}

// exits CODE PROGRAM ARGS.. runs a program and wants that very exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exited *exec.ExitError
	switch {
	case errors.As(err, &exited):
		code = exited.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("it exits with %d, not %s", code, args[0])
	}
}

// running STATE waits until an agent answers on the folder's socket.
func running(ts *testscript.TestScript, neg bool, args []string) {
	socket := filepath.Join(args[0], "agent.sock")
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		err := control.Ask(context.Background(), socket, control.Request{Do: control.DoStatus}, func(control.Reply) {})
		if (err == nil) != neg {
			return
		}
	}
	ts.Fatalf("no agent answers on %s", socket)
}

// fits COLUMNS FILE wants no line wider than that.
func fits(ts *testscript.TestScript, _ bool, args []string) {
	width, err := strconv.Atoi(args[0])
	ts.Check(err)
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if n := voice.Cells(strings.TrimSuffix(line, "\n")); n > width {
			ts.Fatalf("%d columns: %s", n, line)
		}
	}
}

// lines COUNT FILE wants that many lines.
func lines(ts *testscript.TestScript, _ bool, args []string) {
	if n := strings.Count(ts.ReadFile(args[1]), "\n"); strconv.Itoa(n) != args[0] {
		ts.Fatalf("%d lines, not %s", n, args[0])
	}
}

// staleSocket PATH leaves a socket on which nobody listens, as a killed agent does.
func staleSocket(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: ts.MkAbs(args[0]), Net: "unix"})
	ts.Check(err)
	l.SetUnlinkOnClose(false)
	ts.Check(l.Close())
	ts.Check(os.Chmod(ts.MkAbs(args[0]), 0o600))
}

// taken NAME takes a loopback port for the time of the script and puts its number into the variable NAME.
func taken(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	ts.Setenv(args[0], port)
}
