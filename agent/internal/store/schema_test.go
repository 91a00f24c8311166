package store

import (
	"errors"
	"os"
	"testing"

	"github.com/dgraph-io/badger/v4"
)

// next is a later program's schema: it renames one sequence number.
var next = plan{version: 3, steps: map[uint64]func(*badger.DB) error{1: addMeta("one"), 2: addMeta("two")}}

func addMeta(name string) func(*badger.DB) error {
	return func(db *badger.DB) error {
		return db.Update(func(txn *badger.Txn) error { return txn.Set([]byte(prefixMeta+name), []byte("migrated")) })
	}
}

func oldFolder(t *testing.T) string {
	dir := t.TempDir() + "/state"
	s := mustOpen(t, dir)
	update(t, s, func(b *Batch) { b.SetSeq("n", 5); appendTest(b, 0) })
	mustClose(t, s)
	return dir
}

func TestOlderSchemaIsCopiedThenMigrated(t *testing.T) {
	dir := oldFolder(t)
	s, err := open(dir, next)
	must(t, err)
	for _, name := range []string{"one", "two"} {
		if m, err := s.Meta(name); err != nil || string(m) != "migrated" {
			t.Errorf("step %s: %q, %v", name, m, err)
		}
	}
	if n, _ := s.Seq("n"); n != 0 && s.LogSize() != 1 {
		t.Errorf("seq %d, log size %d", n, s.LogSize())
	}
	mustClose(t, s)
	if _, err := Open(dir); err == nil {
		t.Error("the older program opened the newer folder")
	}
	// going back: the copy that was kept opens with the older program
	must(t, os.Rename(dir+"/db", dir+"/db.v3"))
	must(t, os.Rename(dir+"/db.v1", dir+"/db"))
	s = mustOpen(t, dir)
	if m, _ := s.Meta("one"); m != nil || s.LogSize() != 1 {
		t.Errorf("the copy was migrated too: %q", m)
	}
	mustClose(t, s)
	s, err = open(dir, next) // and forward again
	must(t, err)
	mustClose(t, s)
}

func TestFailedMigrationLeavesTheOldOne(t *testing.T) {
	dir := oldFolder(t)
	fault := errors.New("fault")
	broken := plan{version: 2, steps: map[uint64]func(*badger.DB) error{1: func(*badger.DB) error { return fault }}}
	if _, err := open(dir, broken); !errors.Is(err, fault) {
		t.Fatalf("%v, want the step's fault", err)
	}
	if _, err := open(dir, plan{version: 2}); err == nil {
		t.Fatal("a missing step was passed over")
	}
	s := mustOpen(t, dir)
	defer mustClose(t, s)
	if s.LogSize() != 1 {
		t.Errorf("log size %d", s.LogSize())
	}
}

// A migration killed at each of its stages ends with the old or the new
// database, whole.
func TestKilledMigration(t *testing.T) {
	for name, stage := range map[string]func(t *testing.T, dir string){
		"half a copy":         func(t *testing.T, dir string) { must(t, os.Mkdir(dir+"/db.migrating", 0o700)) },
		"whole copy":          func(t *testing.T, dir string) { must(t, copyFolder(dir+"/db", dir+"/db.migrating")) },
		"between the renames": func(t *testing.T, dir string) { must(t, os.Rename(dir+"/db", dir+"/db.migrating")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := oldFolder(t)
			stage(t, dir)
			s, err := open(dir, next)
			must(t, err)
			if m, _ := s.Meta("two"); string(m) != "migrated" || s.LogSize() != 1 {
				t.Errorf("meta %q, log size %d", m, s.LogSize())
			}
			mustClose(t, s)
		})
	}
}
