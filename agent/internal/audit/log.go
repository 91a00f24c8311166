// Package audit is the log: records of what callers asked and how it ended, in
// a Merkle tree (RFC 6962, section 2.1) so that a third party can tell whether
// any was changed, cut, reordered or slipped in.
//
// A record is one JSON object. Its exact bytes are the leaf; the leaf's hash is
// SHA-256(0x00 || bytes), a node's SHA-256(0x01 || left || right). A record and
// the tree hashes that it completes are written in one synced transaction, so
// after a kill at any moment records and tree agree.
//
// The log holds no secrets that redaction can find and no home path; the exact
// call is bound to it by call_digest.
package audit

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"answerback/agent/internal/store"

	"golang.org/x/mod/sumdb/tlog"
)

// Hash is a hash of the tree.
type Hash = store.Hash

// Head is a log size and the root of the tree over that many records.
type Head struct {
	Size uint64
	Root Hash
}

// Log is the log of one state folder. All methods may be used by several goroutines.
type Log struct {
	s    *store.Store
	mu   sync.Mutex // held for the moment of a commit, so that head follows it
	head Head
}

// Open opens the log in s. It computes the root and checks that the last record
// is the one that the tree ends in; the whole check is Verify's.
func Open(s *store.Store) (*Log, error) {
	l := &Log{s: s}
	head, err := l.HeadAt(s.LogSize())
	if err != nil {
		return nil, fmt.Errorf("audit: open the log: %w", err)
	}
	l.head = head
	if err := l.checkLast(); err != nil {
		return nil, fmt.Errorf("audit: open the log: %w", err)
	}
	return l, nil
}

// ErrTree: a record is not the one that the tree was built over.
var ErrTree = errors.New("audit: record and tree differ")

func (l *Log) checkLast() error {
	size := l.head.Size
	if size == 0 {
		return nil
	}
	hashes, err := l.s.LogHashes([]int64{tlog.StoredHashIndex(0, int64(size-1))})
	if err != nil {
		return err
	}
	return l.Records(size-1, size, func(index uint64, leaf []byte) error {
		if LeafHash(leaf) != hashes[0] {
			return fmt.Errorf("%w: record %d", ErrTree, index)
		}
		return nil
	})
}

// LeafHash is the tree's hash of a record's exact bytes.
func LeafHash(leaf []byte) Hash { return Hash(tlog.RecordHash(leaf)) }

// Append gives r its version, salt and enforcement, writes it with the tree
// hashes that it completes in one synced transaction, and returns its index and
// the head after it. also adds writes of the same event (such as a rule's use)
// to that transaction; MaxWrites of the store holds for all together. On an
// error nothing was written.
func (l *Log) Append(r Record, also ...func(*store.Batch) error) (index uint64, head Head, err error) {
	leaf, err := seal(r)
	if err != nil {
		return 0, Head{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	err = l.s.Update(func(b *store.Batch) error {
		index = b.LogSize()
		if head, err = grow(b, leaf); err != nil {
			return err
		}
		for _, add := range also {
			if err := add(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, Head{}, fmt.Errorf("audit: append a record: %w", err)
	}
	l.head = head
	return index, head, nil
}

// seal fills what every record has, checks it and prints it.
func seal(r Record) ([]byte, error) {
	salt := make([]byte, 16)
	rand.Read(salt)
	r.Version, r.Salt, r.Enforcement = Version, hex.EncodeToString(salt), Enforcement
	r = r.bounded()
	if err := r.check(); err != nil {
		return nil, err
	}
	return r.bytes()
}

// grow appends leaf and its hashes to the batch and computes the new root.
func grow(b *store.Batch, leaf []byte) (Head, error) {
	n := int64(b.LogSize())
	first := tlog.StoredHashIndex(0, n)
	hashes, err := tlog.StoredHashes(n, leaf, reader(b.LogHashes))
	if err != nil {
		return Head{}, fmt.Errorf("hash the record: %w", err)
	}
	stored := make([]Hash, len(hashes))
	for i, h := range hashes {
		stored[i] = Hash(h)
	}
	b.AppendLog(uint64(n), leaf, uint64(first), stored)
	root, err := tlog.TreeHash(n+1, overlay{first, hashes, reader(b.LogHashes)})
	return Head{uint64(n + 1), Hash(root)}, err
}
