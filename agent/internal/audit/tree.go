package audit

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Head is the present size and root.
func (l *Log) Head() Head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// Size is the number of records.
func (l *Log) Size() uint64 { return l.Head().Size }

// Root is the root of the tree over all records.
func (l *Log) Root() Hash { return l.Head().Root }

// HeadAt is the head that the log had at size records.
func (l *Log) HeadAt(size uint64) (Head, error) {
	root, err := tlog.TreeHash(int64(size), reader(l.s.LogHashes))
	if err != nil {
		return Head{}, fmt.Errorf("audit: root of %d records: %w", size, err)
	}
	return Head{size, Hash(root)}, nil
}

// Records gives the exact bytes of the records from <= index < to, in order, to
// look; its first error stops the walk and is returned.
func (l *Log) Records(from, to uint64, look func(index uint64, leaf []byte) error) error {
	return l.s.ReadLog(from, to, look)
}

// ProveRecord proves that record index is in the log of size records (RFC 6962
// section 2.1.1).
func (l *Log) ProveRecord(size, index uint64) ([]Hash, error) {
	if index >= size || size > l.Size() {
		return nil, fmt.Errorf("audit: prove record %d of %d: the log holds %d", index, size, l.Size())
	}
	proof, err := tlog.ProveRecord(int64(size), int64(index), reader(l.s.LogHashes))
	if err != nil {
		return nil, fmt.Errorf("audit: prove record %d of %d: %w", index, size, err)
	}
	return fromTree(proof), nil
}

// ProveGrowth proves that the log of newer records begins with the log of older
// ones (RFC 6962 section 2.1.2).
func (l *Log) ProveGrowth(older, newer uint64) ([]Hash, error) {
	if older < 1 || older > newer || newer > l.Size() {
		return nil, fmt.Errorf("audit: prove growth from %d to %d: the log holds %d", older, newer, l.Size())
	}
	proof, err := tlog.ProveTree(int64(newer), int64(older), reader(l.s.LogHashes))
	if err != nil {
		return nil, fmt.Errorf("audit: prove growth from %d to %d: %w", older, newer, err)
	}
	return fromTree(proof), nil
}

// CheckRecord checks a proof of ProveRecord against a head and a leaf.
func CheckRecord(proof []Hash, head Head, index uint64, leaf []byte) error {
	return tlog.CheckRecord(toTree(proof), int64(head.Size), tlog.Hash(head.Root), int64(index), tlog.RecordHash(leaf))
}

// CheckGrowth checks a proof of ProveGrowth against two heads.
func CheckGrowth(proof []Hash, older, newer Head) error {
	return tlog.CheckTree(toTree(proof), int64(newer.Size), tlog.Hash(newer.Root), int64(older.Size), tlog.Hash(older.Root))
}

func fromTree(proof []tlog.Hash) []Hash {
	hashes := make([]Hash, len(proof))
	for i, h := range proof {
		hashes[i] = Hash(h)
	}
	return hashes
}

func toTree(proof []Hash) []tlog.Hash {
	hashes := make([]tlog.Hash, len(proof))
	for i, h := range proof {
		hashes[i] = tlog.Hash(h)
	}
	return hashes
}

// reader lets the tree read stored hashes.
func reader(read func([]int64) ([]Hash, error)) tlog.HashReaderFunc {
	return func(indexes []int64) ([]tlog.Hash, error) {
		hashes, err := read(indexes)
		return toTree(hashes), err
	}
}

// overlay reads hashes first.. from memory, where they are about to be written,
// and the older ones from below.
type overlay struct {
	first  int64
	hashes []tlog.Hash
	below  tlog.HashReader
}

// ReadHashes implements tlog.HashReader.
func (o overlay) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	all := make([]tlog.Hash, len(indexes))
	var old []int64
	for i, index := range indexes {
		if index >= o.first {
			all[i] = o.hashes[index-o.first]
		} else {
			old = append(old, index)
		}
	}
	below, err := o.below.ReadHashes(old)
	if err != nil {
		return nil, err
	}
	for i, index := range indexes {
		if index < o.first {
			all[i], below = below[0], below[1:]
		}
	}
	return all, nil
}
