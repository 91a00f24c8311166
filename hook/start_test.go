//go:build unix

package hook

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

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
