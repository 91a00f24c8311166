package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
)

func TestSecondAgentIsRefused(t *testing.T) {
	dir := t.TempDir() + "/state"
	s := mustOpen(t, dir)
	_, err := Open(dir)
	var locked ErrLocked
	if !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("second Open in this process: %v", err)
	}
	mustClose(t, s)

	child, lines := startChild(t, "hold", dir)
	<-lines
	_, err = Open(dir)
	if !errors.As(err, &locked) || locked.PID != child.Process.Pid {
		t.Errorf("Open beside another process: %v", err)
	}
	if want := "uses this state folder; stop it, or give --state another folder"; err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("the error does not say what to do: %v", err)
	}
	child.Process.Kill()
	child.Wait()
	mustClose(t, mustOpen(t, dir)) // a killed agent holds nothing
}

func TestFolderIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string
	}{
		"open folder":   {func(t *testing.T, dir string) { must(t, os.Chmod(dir, 0o750)) }, "chmod 700"},
		"linked folder": {linkFolder, "is a link"},
		"a file":        {func(t *testing.T, dir string) { must(t, os.RemoveAll(dir)); must(t, os.WriteFile(dir, nil, 0o600)) }, "not a directory"},
		"open key":      {func(t *testing.T, dir string) { must(t, os.Chmod(dir+"/agent.key", 0o640)) }, "chmod 600"},
		"linked key":    {func(t *testing.T, dir string) { linkFile(t, dir, "agent.key") }, "agent.key"},
		"missing key":   {func(t *testing.T, dir string) { must(t, os.Remove(dir+"/agent.key")) }, "agent.key is missing"},
		"short key":     {func(t *testing.T, dir string) { must(t, os.WriteFile(dir+"/agent.key", make([]byte, 31), 0o600)) }, "32 byte"},
		"long key":      {func(t *testing.T, dir string) { must(t, os.WriteFile(dir+"/agent.key", make([]byte, 33), 0o600)) }, "32 byte"},
		"key is a folder": {func(t *testing.T, dir string) {
			must(t, os.Remove(dir+"/agent.key"))
			must(t, os.Mkdir(dir+"/agent.key", 0o700))
		}, "not a plain file"},
		"open chains":      {func(t *testing.T, dir string) { must(t, os.Chmod(dir+"/chains", 0o604)) }, "chmod 600"},
		"linked chains":    {func(t *testing.T, dir string) { linkFile(t, dir, "chains") }, "chains"},
		"missing chains":   {func(t *testing.T, dir string) { must(t, os.Remove(dir+"/chains")) }, "chains is missing"},
		"broken chains":    {func(t *testing.T, dir string) { must(t, os.WriteFile(dir+"/chains", []byte("x"), 0o600)) }, "does not hold"},
		"linked lock":      {func(t *testing.T, dir string) { linkFile(t, dir, "lock") }, "lock"},
		"open lock":        {func(t *testing.T, dir string) { must(t, os.Chmod(dir+"/lock", 0o666)) }, "chmod 600"},
		"newer schema":     {func(t *testing.T, dir string) { setVersion(t, dir, 2) }, "a newer answerback wrote this state folder (schema 2, this one knows 1); start that version"},
		"version not read": {func(t *testing.T, dir string) { setKey(t, dir, []byte("one")) }, "not a number"},
		"version missing":  {func(t *testing.T, dir string) { setKey(t, dir, nil) }, "no schema version"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir() + "/state"
			s := mustOpen(t, dir)
			update(t, s, func(b *Batch) { b.SetSeq("x", 1) })
			mustClose(t, s)
			c.spoil(t, dir)
			s, err := Open(dir)
			if err == nil {
				mustClose(t, s)
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want ..%s..", err, c.want)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func linkFolder(t *testing.T, dir string) {
	must(t, os.Rename(dir, dir+".real"))
	must(t, os.Symlink(dir+".real", dir))
}

func linkFile(t *testing.T, dir, name string) {
	must(t, os.Rename(filepath.Join(dir, name), dir+".elsewhere"))
	must(t, os.Symlink(dir+".elsewhere", filepath.Join(dir, name)))
}

func setVersion(t *testing.T, dir string, v uint64) { setKey(t, dir, numberBytes(v)) }

// setKey writes the version key as it is, nil removes it.
func setKey(t *testing.T, dir string, value []byte) {
	db, err := badger.Open(smallOptions(dir+"/db", new(diskWatch)))
	must(t, err)
	must(t, db.Update(func(txn *badger.Txn) error {
		if value == nil {
			return txn.Delete([]byte(keyVersion))
		}
		return txn.Set([]byte(keyVersion), value)
	}))
	must(t, db.Close())
}

func TestAnotherUsersFolderIsRefused(t *testing.T) {
	dir := "/" // root's, unless we are root
	if os.Geteuid() == 0 {
		dir = t.TempDir() + "/state"
		must(t, os.Mkdir(dir, 0o700))
		must(t, os.Chown(dir, 65534, 65534))
	}
	if err := makeFolder(dir); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("another user's folder: %v", err)
	}
}

func TestModesOfWhatIsMade(t *testing.T) {
	dir := t.TempDir() + "/deep/er/state"
	mustClose(t, mustOpen(t, dir))
	for path, want := range map[string]os.FileMode{dir: 0o700, dir + "/..": 0o700, dir + "/agent.key": 0o600, dir + "/chains": 0o600, dir + "/lock": 0o600, dir + "/db": 0o700} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
	}
}

func TestFirstStartKilledBeforeTheDatabase(t *testing.T) {
	dir := t.TempDir() + "/state"
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.WriteFile(dir+"/agent.key.new", []byte("half"), 0o600))
	seed := make([]byte, 32)
	seed[0] = 1
	must(t, os.WriteFile(dir+"/agent.key", seed, 0o600))
	s := mustOpen(t, dir)
	defer mustClose(t, s)
	if s.AgentKey().Seed()[0] != 1 {
		t.Error("the key that was there was replaced")
	}
}
