package install

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxFile is the largest configuration that is read, in bytes.
const maxFile = 4 << 20

// read reads a regular file.
func read(path string) ([]byte, error) {
	// Looked at before it is opened: the open of a pipe waits for its other end.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file; nothing was changed", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("%s has more than %d MiB; nothing was changed", path, maxFile>>20)
	}
	if b == nil {
		b = []byte{}
	}
	return b, err
}

// Apply writes the change, whole or not at all. It refuses a file that is not as it was when the plan was made.
func (p Plan) Apply() error {
	if !p.Changed() {
		return nil
	}
	now, err := read(p.Path)
	if errors.Is(err, os.ErrNotExist) {
		now, err = nil, nil
	}
	if err != nil {
		return err
	}
	if (now == nil) != (p.Before == nil) || string(now) != string(p.Before) {
		return fmt.Errorf("%s was changed meanwhile; run the command again", p.Path)
	}
	if err := p.keep(); err != nil {
		return fmt.Errorf("%s could not be kept as it was, so it was not changed: %w", p.Path, err)
	}
	if p.After == nil {
		return os.Remove(p.Path)
	}
	if err := replace(p.Path, p.After); err != nil {
		return fmt.Errorf("%s was not changed: %w", p.Path, err)
	}
	if p.drop {
		os.Remove(p.backup)
	}
	return nil
}

// keep copies the file as it was before the first entry came.
func (p Plan) keep() error {
	if p.Before == nil || !p.adds {
		return nil
	}
	if _, err := os.Lstat(p.backup); err == nil && p.held {
		return nil
	}
	return replaceLike(p.backup, p.Before, p.Path)
}

func replace(path string, b []byte) error { return replaceLike(path, b, path) }

// replaceLike puts a file in place by a rename, synced, with the mode and owner of another that may be there.
func replaceLike(path string, b []byte, like string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".answerback-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	mode := os.FileMode(0o644)
	if info, err := os.Stat(like); err == nil {
		mode = info.Mode().Perm()
		keepOwner(f, info)
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
