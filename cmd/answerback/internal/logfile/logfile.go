// Package logfile keeps a program's own log in a file that cannot grow: at 1 MiB the file becomes NAME.1, replacing the one before, and a new
// one begins. It never holds text of a call; that is the writer's business.
package logfile

import (
	"fmt"
	"os"
	"sync"
)

// Most is the size at which the file is turned over. Two files of it are kept.
const Most = 1 << 20

// File is an io.WriteCloser for one writer process. A line is never split over two files.
type File struct {
	path string
	most int64

	mu   sync.Mutex
	file *os.File
	size int64
}

// Open continues the file at path, mode 0600.
func Open(path string) (*File, error) {
	f := &File{path: path, most: Most}
	if err := f.open(); err != nil {
		return nil, fmt.Errorf("logfile: open: %w", err)
	}
	return f, nil
}

func (f *File) open() error {
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return err
	}
	f.file, f.size = file, info.Size()
	return nil
}

// Write appends one line, and turns the file over before it where the line would not fit.
func (f *File) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.size > 0 && f.size+int64(len(line)) > f.most {
		if err := f.turn(); err != nil {
			return 0, fmt.Errorf("logfile: turn over: %w", err)
		}
	}
	n, err := f.file.Write(line)
	f.size += int64(n)
	return n, err
}

// turn renames first, so that a failure leaves the open file in use.
func (f *File) turn() error {
	if err := os.Rename(f.path, f.path+".1"); err != nil {
		return err
	}
	old := f.file
	if err := f.open(); err != nil {
		return err
	}
	return old.Close()
}

// Close ends the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.file.Close()
}
