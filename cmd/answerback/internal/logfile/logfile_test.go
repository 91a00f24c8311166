package logfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, most int64) (*File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent.log")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f.most = most
	t.Cleanup(func() { f.Close() })
	return f, path
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, f *File, line string) {
	t.Helper()
	if n, err := f.Write([]byte(line)); err != nil || n != len(line) {
		t.Fatalf("wrote %d bytes, %v", n, err)
	}
}

func TestTwoFilesAtMost(t *testing.T) {
	f, path := open(t, 100)
	for _, letter := range "abcdefg" {
		write(t, f, strings.Repeat(string(letter), 59)+"\n")
	}
	if got := read(t, path); !strings.HasPrefix(got, "ggg") || len(got) != 60 {
		t.Errorf("the newest file holds %q", got)
	}
	if got := read(t, path+".1"); !strings.HasPrefix(got, "fff") || len(got) != 60 {
		t.Errorf("the file before holds %q", got)
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	if len(entries) != 2 {
		t.Errorf("%d files are kept, want 2", len(entries))
	}
}

func TestNeverOverTheMost(t *testing.T) {
	f, path := open(t, 1000)
	for range 200 {
		write(t, f, strings.Repeat("x", 32)+"\n")
		if n := len(read(t, path)); n > 1000 {
			t.Fatalf("the file grew to %d bytes", n)
		}
	}
}

func TestALongLineStaysWhole(t *testing.T) {
	f, path := open(t, 10)
	long := strings.Repeat("y", 50) + "\n"
	write(t, f, "short\n")
	write(t, f, long)
	if read(t, path) != long || read(t, path+".1") != "short\n" {
		t.Errorf("got %q and %q", read(t, path), read(t, path+".1"))
	}
}

func TestContinuesAfterARestart(t *testing.T) {
	f, path := open(t, 100)
	write(t, f, "first\n")
	f.Close()
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	write(t, again, "second\n")
	if got := read(t, path); got != "first\nsecond\n" {
		t.Errorf("got %q", got)
	}
	if again.size != int64(len("first\nsecond\n")) {
		t.Errorf("it counts %d bytes", again.size)
	}
}

func TestOnlyTheOwnerReads(t *testing.T) {
	f, path := open(t, 10)
	write(t, f, "first line\n")
	write(t, f, "second line\n")
	for _, p := range []string{path, path + ".1"} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", p, info.Mode())
		}
	}
}

func TestAFailureToTurnIsSaidAndLosesNothingBefore(t *testing.T) {
	f, path := open(t, 10)
	write(t, f, "first line\n")
	if err := os.Mkdir(path+".1", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path+".1", "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("second line\n")); err == nil {
		t.Fatal("a file that cannot be turned over was not reported")
	}
	if got := read(t, path); !bytes.HasPrefix([]byte(got), []byte("first line\n")) {
		t.Errorf("the line before is gone: %q", got)
	}
}

func TestAMissingFolderIsSaid(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "no", "agent.log")); err == nil {
		t.Fatal("a file in a missing folder was opened")
	}
}
