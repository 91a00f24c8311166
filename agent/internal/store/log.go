package store

import (
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// Hash is one hash of the log's tree.
type Hash = [32]byte

// LogSize is the number of records in the log, with those of this batch.
func (b *Batch) LogSize() uint64 { return b.size }

// AppendLog appends a record as number index, which must be the log's size, and
// the tree hashes that it completes, stored as first, first+1 and so on. Record
// and hashes come into being together or not at all.
func (b *Batch) AppendLog(index uint64, record []byte, first uint64, hashes []Hash) {
	if index != b.size {
		b.fail(ErrLogSize)
		return
	}
	b.set(numberKey(prefixLog, index), record)
	for i := range hashes {
		b.set(numberKey(prefixHash, first+uint64(i)), hashes[i][:])
	}
	b.size++
}

// LogHashes reads tree hashes by their stored index; ErrMissing where one is not there.
func (b *Batch) LogHashes(indexes []int64) ([]Hash, error) { return readHashes(b.txn, indexes) }

// LogSize is the number of records in the log.
func (s *Store) LogSize() uint64 { return s.logSize.Load() }

// LogHashes reads tree hashes by their stored index; ErrMissing where one is not there.
func (s *Store) LogHashes(indexes []int64) (hashes []Hash, err error) {
	err = s.look(func(txn *badger.Txn) error {
		hashes, err = readHashes(txn, indexes)
		return err
	})
	return hashes, err
}

// ReadLog gives the records from <= index < to, in order, to look, which may
// keep them. It stops at look's first error and returns it; a gap is ErrMissing.
func (s *Store) ReadLog(from, to uint64, look func(index uint64, record []byte) error) error {
	return s.look(func(txn *badger.Txn) error {
		for index := from; index < min(to, s.LogSize()); index++ {
			record, err := read(txn, numberKey(prefixLog, index))
			if err != nil {
				return err
			}
			if record == nil {
				return fmt.Errorf("%w: record %d", ErrMissing, index)
			}
			if err := look(index, record); err != nil {
				return err
			}
		}
		return nil
	})
}

func readHashes(txn *badger.Txn, indexes []int64) ([]Hash, error) {
	hashes := make([]Hash, len(indexes))
	for i, index := range indexes {
		value, err := read(txn, numberKey(prefixHash, uint64(index)))
		if err != nil {
			return nil, err
		}
		if copy(hashes[i][:], value) != len(hashes[i]) || len(value) != len(hashes[i]) {
			return nil, fmt.Errorf("%w: tree hash %d", ErrMissing, index)
		}
	}
	return hashes, nil
}

// lastLogIndex finds the log's size from its last key.
func lastLogIndex(db *badger.DB) (size uint64, err error) {
	err = db.View(func(txn *badger.Txn) error {
		opt := badger.DefaultIteratorOptions
		opt.Prefix, opt.Reverse, opt.PrefetchValues = []byte(prefixLog), true, false
		it := txn.NewIterator(opt)
		defer it.Close()
		it.Seek(append([]byte(prefixLog), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))
		if !it.Valid() {
			return nil
		}
		last, ok := number(it.Item().Key()[len(prefixLog):])
		if !ok {
			return fmt.Errorf("store: read the log: unreadable key %x", it.Item().Key())
		}
		size = last + 1
		return nil
	})
	return size, err
}
