// Package store keeps the agent's state in one folder: a Badger database for
// devices, rules, the applied policy, sequence numbers and the log, and two
// small files beside it for what must be forgotten or must stay readable
// without a database.
//
//	DIR/            0700, owned by this user, not a link
//	DIR/lock        flock; holds the running agent's pid as text
//	DIR/agent.key   0600, the 32 byte Ed25519 seed of the agent
//	DIR/chains      0600, the day ratchets of all devices, overwritten in place
//	DIR/db/         Badger
//	DIR/db.v1 ..    Badger as an older version left it, kept by a migration
//
// The store is dumb: values are bytes that the agent makes and reads. It only
// promises that an event is written whole or not at all, that it is on the disk
// when the call returns, and that a kill at any moment leaves a folder that
// opens. It is the only package that imports Badger.
//
// One goroutine writes. The small options that keep Badger's memory low turn
// its conflict detection off, and with it concurrent read-modify-write updates
// would be lost; so Update runs every event in that one goroutine, in order.
package store

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
)

// Errors that a caller takes a decision on. All other errors of this package
// are sentences for a person.
var (
	// ErrClosed: the store was closed; nothing was written.
	ErrClosed = errors.New("store: the state folder is closed")
	// ErrTooManyWrites: one event held more than MaxWrites writes; nothing was written.
	ErrTooManyWrites = errors.New("store: one event may hold at most 64 writes")
	// ErrTooLarge: one value is larger than MaxValue; nothing was written.
	ErrTooLarge = errors.New("store: a value is larger than 2 MiB")
	// ErrLogSize: a record was appended for another log size than the present
	// one; nothing was written.
	ErrLogSize = errors.New("store: the log has another size than the append expects")
	// ErrMissing: a log record or tree hash inside the log is not there.
	ErrMissing = errors.New("store: a part of the log is missing")
)

// ErrLocked says that another agent holds the folder. PID is what that agent
// wrote into DIR/lock, 0 where it could not be read.
type ErrLocked struct{ PID int }

// Error is the whole sentence that the terminal prints.
func (e ErrLocked) Error() string {
	return fmt.Sprintf("another agent (pid %d) uses this state folder; stop it, or give --state another folder", e.PID)
}

// Store is an open state folder. All methods may be used by several goroutines.
type Store struct {
	dir     string
	lock    *os.File
	db      *badger.DB
	disk    *diskWatch
	key     ed25519.PrivateKey
	chains  *chainFile
	jobs    chan job
	closing chan struct{}
	writer  sync.WaitGroup
	reading sync.RWMutex // held for reading by every look, for writing by Close
	once    sync.Once
	logSize atomic.Uint64
	commits atomic.Uint64
}

// Open opens or makes the state folder dir and locks it until Close. It refuses
// a folder that is a link, is not this user's, or that others can enter, and
// likewise the files in it; a folder of a newer version is refused, one of an
// older version is copied and migrated. A second Open of the same folder, from
// any process, gives ErrLocked.
func Open(dir string) (*Store, error) { return open(dir, present) }

func open(dir string, p plan) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("store: find %s: %w", dir, err)
	}
	if err := makeFolder(abs); err != nil {
		return nil, err
	}
	lock, err := takeLock(filepath.Join(abs, "lock"))
	if err != nil {
		return nil, err
	}
	s := &Store{dir: abs, lock: lock, jobs: make(chan job), closing: make(chan struct{})}
	if err := s.start(p); err != nil {
		s.release()
		return nil, err
	}
	s.writer.Go(s.write)
	return s, nil
}

func (s *Store) start(p plan) (err error) {
	fresh := firstStart(s.dir)
	if s.key, err = openAgentKey(filepath.Join(s.dir, "agent.key"), fresh); err != nil {
		return err
	}
	if s.chains, err = openChains(filepath.Join(s.dir, "chains"), fresh); err != nil {
		return err
	}
	if s.db, s.disk, err = openDatabase(s.dir, p); err != nil {
		return err
	}
	size, err := lastLogIndex(s.db)
	s.logSize.Store(size)
	return err
}

// Close waits for the event being written, closes the database and gives the
// folder up. Further calls do nothing.
func (s *Store) Close() (err error) {
	s.once.Do(func() {
		close(s.closing)
		s.writer.Wait()
		err = s.release()
	})
	return err
}

func (s *Store) release() error {
	s.reading.Lock()
	defer s.reading.Unlock()
	var errs []error
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	if s.chains != nil {
		errs = append(errs, s.chains.close())
	}
	errs = append(errs, dropLock(s.lock))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("store: close %s: %w", s.dir, err)
	}
	return nil
}

// Dir is the state folder's absolute path.
func (s *Store) Dir() string { return s.dir }

// Commits is the number of events written since Open. Each was one synced
// transaction.
func (s *Store) Commits() uint64 { return s.commits.Load() }

// AgentKey is the agent's signing key, made at the first start.
func (s *Store) AgentKey() ed25519.PrivateKey { return s.key }
