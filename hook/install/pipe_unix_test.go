//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe in the place of a file is refused, and not waited for.
func TestPipe(t *testing.T) {
	o := place(t)
	path := localFile(o)
	os.MkdirAll(filepath.Dir(path), 0o755)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := Add("claude", Local, o); done <- err }()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "is no file") {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it waits for the pipe's other end")
	}
}
