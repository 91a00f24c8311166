package browser

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// Display is an X server without a screen, for a browser that has to have windows: a headless Firefox asks no desktop to show its
// notifications.
type Display struct{ name string }

// NewDisplay runs an X server for the time of the test.
func NewDisplay(t testing.TB) *Display {
	t.Helper()
	path, err := find([]string{"Xvfb"})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("browser: start an X server: %v", err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	number, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("browser: the X server does not say its number: %v", err)
	}
	go io.Copy(io.Discard, out)
	return &Display{name: ":" + strings.TrimSpace(number)}
}

// Env makes a program draw on this display.
func (d *Display) Env() []string { return []string{"DISPLAY=" + d.name} }
