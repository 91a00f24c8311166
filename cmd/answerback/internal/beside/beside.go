// Package beside finds and runs the hook's binary, which lies beside this program's own.
package beside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// Name is the hook's binary.
const Name = "answerback-hook"

// Hook finds the hook beside this program, a link to it followed. Its errors say what to do.
func Hook() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the place of this program is not known: %w", err)
	}
	if followed, err := filepath.EvalSymlinks(own); err == nil {
		own = followed
	}
	return In(filepath.Dir(own))
}

// In finds the hook in a folder.
func In(dir string) (string, error) {
	path := filepath.Join(dir, Name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no %s in %s; install both binaries into one folder", Name, dir)
	case err != nil:
		return "", fmt.Errorf("%s cannot be looked at: %w", path, err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no program; install both binaries again", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0:
		return "", fmt.Errorf("%s is not executable; run: chmod +x %s", path, path)
	}
	return path, nil
}

// Result is what a hook left behind.
type Result struct {
	Exit           int
	Stdout, Stderr []byte
	// Took is from the start of the process to its end.
	Took time.Duration
}

// Run starts the hook with a caller's JSON on its stdin and waits for its end. When ctx ends first the hook is killed and ctx's error returned.
func Run(ctx context.Context, path string, stdin []byte, args ...string) (Result, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errs
	cmd.WaitDelay = time.Second
	start := time.Now()
	err := cmd.Run()
	r := Result{Stdout: out.Bytes(), Stderr: errs.Bytes(), Took: time.Since(start)}
	var exited *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case errors.As(err, &exited):
		r.Exit = exited.ExitCode()
		return r, nil
	case err != nil:
		return r, fmt.Errorf("%s did not run: %w", path, err)
	}
	return r, nil
}
