package store

import (
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// Limits of one event.
const (
	MaxWrites = 64      // writes in one event
	MaxValue  = 2 << 20 // bytes of one value
)

// Batch collects one event's writes and reads the state before them. It is
// valid only inside the function given to Update. The first write that breaks a
// limit fails the whole event.
type Batch struct {
	txn    *badger.Txn
	writes int
	size   uint64 // log size, with the records appended in this batch
	err    error
}

type job struct {
	fill func(*Batch) error
	done chan error
}

// Update writes one event: fill adds the writes, and all of them are on the
// disk when Update returns nil; none is written otherwise. fill runs in the
// writer's goroutine, one event at a time, so what it reads through b cannot
// change before it is written. It must not call Update.
func (s *Store) Update(fill func(b *Batch) error) error {
	j := job{fill: fill, done: make(chan error, 1)}
	select {
	case s.jobs <- j:
		return <-j.done
	case <-s.closing:
		return ErrClosed
	}
}

func (s *Store) write() {
	for {
		select {
		case j := <-s.jobs:
			j.done <- s.commit(j.fill)
		case <-s.closing:
			return
		}
	}
}

func (s *Store) commit(fill func(*Batch) error) error {
	if err := s.disk.err(); err != nil {
		return err
	}
	b := &Batch{txn: s.db.NewTransaction(true), size: s.logSize.Load()}
	defer b.txn.Discard()
	if err := errors.Join(fill(b), b.err); err != nil {
		return err
	}
	if err := b.txn.Commit(); err != nil {
		return fmt.Errorf("store: write an event: %w", err)
	}
	if err := s.disk.err(); err != nil {
		return err
	}
	s.logSize.Store(b.size)
	s.commits.Add(1)
	return nil
}

// set adds one write. The slices are kept until the commit.
func (b *Batch) set(key, value []byte) {
	if len(value) > MaxValue {
		b.fail(ErrTooLarge)
	}
	if b.count() {
		b.fail(b.txn.Set(key, value))
	}
}

func (b *Batch) drop(key []byte) {
	if b.count() {
		b.fail(b.txn.Delete(key))
	}
}

func (b *Batch) count() bool {
	if b.writes++; b.writes > MaxWrites {
		b.fail(ErrTooManyWrites)
	}
	return b.err == nil
}

func (b *Batch) fail(err error) {
	if b.err == nil && err != nil {
		b.err = err
	}
}
