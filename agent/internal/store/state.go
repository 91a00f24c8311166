package store

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"github.com/dgraph-io/badger/v4"
)

// PutDevice stores a device's JSON under its id.
func (b *Batch) PutDevice(id [16]byte, value []byte) { b.set(deviceKey(id), value) }

// DeleteDevice removes a device. Its chain is in another file: see DropChain.
func (b *Batch) DeleteDevice(id [16]byte) { b.drop(deviceKey(id)) }

// PutRule stores a rule's JSON under its id.
func (b *Batch) PutRule(id string, value []byte) { b.set([]byte(prefixRule+id), value) }

// DeleteRule removes a rule.
func (b *Batch) DeleteRule(id string) { b.drop([]byte(prefixRule + id)) }

// SetPolicy stores the applied policy; an empty value removes it.
func (b *Batch) SetPolicy(value []byte) {
	if len(value) == 0 {
		b.drop([]byte(keyPolicy))
		return
	}
	b.set([]byte(keyPolicy), value)
}

// SetSeq stores the sequence number called name.
func (b *Batch) SetSeq(name string, n uint64) { b.set([]byte(prefixSeq+name), numberBytes(n)) }

// DeleteSeq removes the sequence number called name.
func (b *Batch) DeleteSeq(name string) { b.drop([]byte(prefixSeq + name)) }

// SetMeta stores a small fact called name.
func (b *Batch) SetMeta(name string, value []byte) { b.set([]byte(prefixMeta+name), value) }

// DeleteMeta removes the fact called name.
func (b *Batch) DeleteMeta(name string) { b.drop([]byte(prefixMeta + name)) }

// Device reads a device's JSON; nil where there is none.
func (b *Batch) Device(id [16]byte) ([]byte, error) { return read(b.txn, deviceKey(id)) }

// Rule reads a rule's JSON; nil where there is none.
func (b *Batch) Rule(id string) ([]byte, error) { return read(b.txn, []byte(prefixRule+id)) }

// Policy reads the applied policy; nil where there is none.
func (b *Batch) Policy() ([]byte, error) { return read(b.txn, []byte(keyPolicy)) }

// Seq reads the sequence number called name; 0 where there is none.
func (b *Batch) Seq(name string) (uint64, error) { return readNumber(b.txn, []byte(prefixSeq+name)) }

// Meta reads the fact called name; nil where there is none.
func (b *Batch) Meta(name string) ([]byte, error) { return read(b.txn, []byte(prefixMeta+name)) }

// View reads several things of one moment. The Batch takes no writes: any fails.
func (s *Store) View(look func(b *Batch) error) error {
	return s.look(func(txn *badger.Txn) error {
		b := &Batch{txn: txn, size: s.logSize.Load()}
		return errors.Join(look(b), b.err)
	})
}

// Device reads a device's JSON; nil where there is none.
func (s *Store) Device(id [16]byte) (value []byte, err error) { return s.one(deviceKey(id)) }

// Rule reads a rule's JSON; nil where there is none.
func (s *Store) Rule(id string) ([]byte, error) { return s.one([]byte(prefixRule + id)) }

// Policy reads the applied policy; nil where there is none.
func (s *Store) Policy() ([]byte, error) { return s.one([]byte(keyPolicy)) }

// Meta reads the fact called name; nil where there is none.
func (s *Store) Meta(name string) ([]byte, error) { return s.one([]byte(prefixMeta + name)) }

// Seq reads the sequence number called name; 0 where there is none.
func (s *Store) Seq(name string) (n uint64, err error) {
	err = s.look(func(txn *badger.Txn) error {
		n, err = readNumber(txn, []byte(prefixSeq+name))
		return err
	})
	return n, err
}

// Devices reads all devices, by id.
func (s *Store) Devices() (map[[16]byte][]byte, error) {
	all := map[[16]byte][]byte{}
	err := s.look(func(txn *badger.Txn) error {
		for key, value := range under(txn, prefixDevice) {
			if len(key) != 16 || value == nil {
				return fmt.Errorf("store: read devices: unreadable entry %x", key)
			}
			all[[16]byte(key)] = value
		}
		return nil
	})
	return all, err
}

// Rules reads all rules, by id.
func (s *Store) Rules() (map[string][]byte, error) {
	all := map[string][]byte{}
	err := s.look(func(txn *badger.Txn) error {
		for key, value := range under(txn, prefixRule) {
			if value == nil {
				return fmt.Errorf("store: read rules: unreadable entry %q", key)
			}
			all[string(key)] = value
		}
		return nil
	})
	return all, err
}

// look reads under a lock that Close waits for: Badger unmaps its files.
func (s *Store) look(read func(*badger.Txn) error) error {
	s.reading.RLock()
	defer s.reading.RUnlock()
	if s.db.IsClosed() {
		return ErrClosed
	}
	return s.db.View(read)
}

func (s *Store) one(key []byte) (value []byte, err error) {
	err = s.look(func(txn *badger.Txn) error {
		value, err = read(txn, key)
		return err
	})
	return value, err
}

func deviceKey(id [16]byte) []byte { return append([]byte(prefixDevice), id[:]...) }

// read gives a copy of a value, nil where there is none, and an empty slice for
// an empty value.
func read(txn *badger.Txn, key []byte) ([]byte, error) {
	item, err := txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("store: read %q: %w", key, err)
	}
	value, err := item.ValueCopy(nil)
	if err != nil {
		return nil, fmt.Errorf("store: read %q: %w", key, err)
	}
	return orEmpty(value), nil
}

// orEmpty keeps "an empty value" apart from "no value", which is nil.
func orEmpty(value []byte) []byte {
	if value == nil {
		return []byte{}
	}
	return value
}

func readNumber(txn *badger.Txn, key []byte) (uint64, error) {
	value, err := read(txn, key)
	if value == nil || err != nil {
		return 0, err
	}
	n, ok := number(value)
	if !ok {
		return 0, fmt.Errorf("store: read %q: not a number", key)
	}
	return n, nil
}

// under walks what is stored under prefix, in order: the key after the prefix,
// and the value, nil where it could not be read.
func under(txn *badger.Txn, prefix string) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		opt := badger.DefaultIteratorOptions
		opt.Prefix, opt.PrefetchSize = []byte(prefix), 16
		it := txn.NewIterator(opt)
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			value, err := it.Item().ValueCopy(nil)
			if err == nil {
				value = orEmpty(value)
			}
			if !yield(bytes.TrimPrefix(it.Item().KeyCopy(nil), []byte(prefix)), value) {
				return
			}
		}
	}
}
