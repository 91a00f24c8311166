package beside

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script writes a stand-in for the hook.
func script(t *testing.T, body string, mode os.FileMode) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, Name), []byte("#!/bin/sh\n"+body), mode); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestInSaysWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, Name), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ dir, says string }{
		"missing":        {t.TempDir(), "install both binaries into one folder"},
		"a folder":       {folder, "is no program"},
		"not executable": {script(t, "", 0o644), "chmod +x"},
	} {
		if _, err := In(tt.dir); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := script(t, "", 0o755)
	if path, err := In(dir); err != nil || path != filepath.Join(dir, Name) {
		t.Errorf("%q, %v", path, err)
	}
}

func TestRunKeepsBothStreamsAndTheCode(t *testing.T) {
	path, _ := In(script(t, `cat; echo "$1" >&2; exit 2`, 0o755))
	r, err := Run(t.Context(), path, []byte("in"), "arg")
	if err != nil || r.Exit != 2 || string(r.Stdout) != "in" || string(r.Stderr) != "arg\n" || r.Took <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	path, _ := In(script(t, "exec sleep 30", 0o755))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Run(ctx, path, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestRunSaysWhatDidNotStart(t *testing.T) {
	if _, err := Run(t.Context(), filepath.Join(t.TempDir(), Name), nil); err == nil || !strings.Contains(err.Error(), "did not run") {
		t.Errorf("got %v", err)
	}
}
