package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// makeFolder makes dir (0700) or checks it: a folder, not a link, this user's,
// closed to others.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("store: make %s: %w", dir, err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("store: look at %s: %w", dir, err)
	}
	if info.Mode()&os.ModeSymlink != 0 {
		return fmt.Errorf("store: %s is a link; give --state the folder itself", dir)
	}
	if !info.IsDir() {
		return fmt.Errorf("store: %s is not a folder; give --state another", dir)
	}
	return checkPrivate(dir, info, "chmod 700")
}

// openPrivate opens a file of this user's that nobody else can read; with
// os.O_CREATE it is made 0600. A link is refused.
func openPrivate(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|openNoFollow, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("store: %s is not a plain file; move it away", path)
	}
	if err == nil {
		err = checkPrivate(path, info, "chmod 600")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func checkPrivate(path string, info os.FileInfo, remedy string) error {
	if !ownedByUs(info) {
		return fmt.Errorf("store: %s belongs to another user; give --state a folder of your own", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("store: %s is open to other users (mode %04o); look who changed it, then run: %s %s", path, info.Mode().Perm(), remedy, path)
	}
	return nil
}

// writeNew makes path with content, whole or not at all: written beside it,
// synced, renamed.
func writeNew(path string, content []byte) error {
	temp := path + ".new"
	if err := os.Remove(temp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("store: clear %s: %w", temp, err)
	}
	f, err := openPrivate(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("store: write %s: %w", temp, err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("store: make %s: %w", path, err)
	}
	return syncFolder(filepath.Dir(path))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("store: sync %s: %w", dir, err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("store: sync %s: %w", dir, err)
	}
	return nil
}

// copyFolder copies the plain files of a flat folder, and syncs the copy.
func copyFolder(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	for _, e := range entries {
		if err := copyFile(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return syncFolder(to)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
