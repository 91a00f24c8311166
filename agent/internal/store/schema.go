package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
)

// plan is the schema version that this program writes, and the step that makes
// version n+1 of version n. A step works on a copy that nobody else uses.
type plan struct {
	version uint64
	steps   map[uint64]func(*badger.DB) error
}

// present is this program's schema. Version 1 is the first.
var present = plan{version: 1}

// firstStart says that no database was ever made here, so that a missing key is
// made and not missed.
func firstStart(dir string) bool {
	return !exists(filepath.Join(dir, "db")) && !exists(filepath.Join(dir, "db.migrating"))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// openDatabase opens DIR/db at version p.version. An older one is copied to
// DIR/db.migrating, migrated there, and then the two change places by renames,
// so that a kill at any moment leaves the old or the new database, whole.
func openDatabase(dir string, p plan) (*badger.DB, *diskWatch, error) {
	path, spare := filepath.Join(dir, "db"), filepath.Join(dir, "db.migrating")
	if err := settleMigration(path, spare); err != nil {
		return nil, nil, err
	}
	db, disk, version, err := openVersion(path, p.version)
	if err != nil || version == p.version {
		return db, disk, err
	}
	if err := db.Close(); err != nil {
		return nil, nil, fmt.Errorf("store: close the older database: %w", err)
	}
	if err := migrate(path, spare, version, p); err != nil {
		return nil, nil, fmt.Errorf("store: migrate from schema %d to %d: %w", version, p.version, err)
	}
	db, disk, _, err = openVersion(path, p.version)
	return db, disk, err
}

// settleMigration ends a migration that was killed.
func settleMigration(path, spare string) error {
	if !exists(spare) {
		return nil
	}
	if exists(path) {
		return os.RemoveAll(spare) // half a copy
	}
	return os.Rename(spare, path) // killed between the two renames
}

// openVersion opens a database and reads its version; an empty one gets ours.
func openVersion(path string, ours uint64) (*badger.DB, *diskWatch, uint64, error) {
	disk := new(diskWatch)
	db, err := badger.Open(smallOptions(path, disk))
	if err != nil {
		return nil, nil, 0, fmt.Errorf("store: open %s: %w", path, err)
	}
	version, err := readVersion(db, ours)
	if err == nil && version > ours {
		err = fmt.Errorf("store: a newer answerback wrote this state folder (schema %d, this one knows %d); start that version, or give --state another folder", version, ours)
	}
	if err != nil {
		return nil, nil, 0, errors.Join(err, db.Close())
	}
	return db, disk, version, nil
}

func readVersion(db *badger.DB, ours uint64) (version uint64, err error) {
	err = db.Update(func(txn *badger.Txn) error {
		version, err = readNumber(txn, []byte(keyVersion))
		if err != nil || version != 0 {
			return err
		}
		for key := range under(txn, "") {
			return fmt.Errorf("store: the database has no schema version but holds %q; restore the state folder from a backup", key)
		}
		version = ours
		return txn.Set([]byte(keyVersion), numberBytes(ours))
	})
	return version, err
}

func migrate(path, spare string, from uint64, p plan) error {
	if err := copyFolder(path, spare); err != nil {
		return err
	}
	if err := migrateCopy(spare, from, p); err != nil {
		return err
	}
	if err := os.Rename(path, freeName(fmt.Sprintf("%s.v%d", path, from))); err != nil {
		return err
	}
	if err := os.Rename(spare, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func migrateCopy(spare string, from uint64, p plan) error {
	db, err := badger.Open(smallOptions(spare, new(diskWatch)))
	if err != nil {
		return err
	}
	for v := from; v < p.version && err == nil; v++ {
		if step := p.steps[v]; step != nil {
			err = step(db)
		} else {
			err = fmt.Errorf("no step from schema %d", v)
		}
	}
	if err == nil {
		err = db.Update(func(txn *badger.Txn) error { return txn.Set([]byte(keyVersion), numberBytes(p.version)) })
	}
	return errors.Join(err, db.Close())
}

func freeName(path string) string {
	name := path
	for i := 2; exists(name); i++ {
		name = fmt.Sprintf("%s-%d", path, i)
	}
	return name
}
