// Package e2e tests the product as people meet it: the two programs as they are shipped, a real terminal, the phone app in a real
// Chromium, and real hook processes with what real callers send. Everything runs on loopback, with state folders and ports of its own.
// Pictures of the main moments are left in shots/.
package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// scratch is the folder of this run: the programs, and below it whatever outlives a single test.
var scratch string

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("e2e: -short leaves the trips through browser and terminal to: make e2e")
		os.Exit(0)
	}
	os.Exit(runAll(m))
}

func runAll(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "answerback-e2e-"); err == nil {
		defer os.RemoveAll(scratch)
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	code := m.Run()
	endShared()
	if foreign := seen.foreign(); len(foreign) > 0 {
		fmt.Fprintf(os.Stderr, "--- FAIL: B102: requests left the origins of this run's relays: %q\n", foreign)
		return 1
	}
	return code
}

// build makes both programs, with the phone app in them, where `try` finds the hook beside itself.
func build() error {
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, "mobile-web", "dist", "index.html")); err != nil {
		return fmt.Errorf("the phone app is not built, so no program can serve it; run: make web")
	}
	cmd := exec.Command("go", "build", "-o", scratch+string(filepath.Separator), "./cmd/answerback", "./cmd/answerback-hook")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// program is the path of one of the two programs.
func program(name string) string { return filepath.Join(scratch, name) }
