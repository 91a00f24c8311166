package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"time"
)

// A killed agent must leave every event whole or not at all, and every event
// whose call returned.
func TestKilledWhileAppending(t *testing.T) {
	dir := t.TempDir() + "/state"
	for round := range 6 {
		last := killAfter(t, "append", dir, time.Duration(20+37*round)*time.Millisecond)
		s := mustOpen(t, dir)
		checkLog(t, s, uint64(last)+1)
		mustClose(t, s)
	}
}

// checkLog checks every record, hash and the sequence number, and that at least
// least records are there.
func checkLog(t *testing.T, s *Store, least uint64) {
	t.Helper()
	size := s.LogSize()
	if size < least {
		t.Fatalf("the log holds %d records, %d were promised", size, least)
	}
	count := uint64(0)
	err := s.ReadLog(0, size, func(index uint64, record []byte) error {
		if index != count || !bytes.Equal(record, testRecord(index)) {
			t.Errorf("record %d differs", index)
		}
		count++
		return nil
	})
	if err != nil || count != size {
		t.Fatalf("read %d of %d records: %v", count, size, err)
	}
	for n := range size {
		hashes, err := s.LogHashes([]int64{int64(3 * n), int64(3*n + 1), int64(3*n + 2)})
		if err != nil || hashes[2] != testHashes(n)[2] {
			t.Fatalf("hashes of record %d: %v", n, err)
		}
	}
	if _, err := s.LogHashes([]int64{int64(3 * size)}); !errors.Is(err, ErrMissing) {
		t.Errorf("a hash beyond the log: %v, want ErrMissing", err)
	}
	if seq, err := s.Seq("n"); err != nil || seq != size-1 {
		t.Errorf("sequence number %d, %v; want %d", seq, err, size-1)
	}
}

// A killed agent leaves the chains of one moment, not older than the last one
// whose call returned, and nothing of an older one in the file.
func TestKilledWhileSavingChains(t *testing.T) {
	dir := t.TempDir() + "/state"
	for round := range 6 {
		last := killAfter(t, "chains", dir, time.Duration(5+13*round)*time.Millisecond)
		s := mustOpen(t, dir)
		first := s.Chains()[chainID(0)]
		n := int(binary.BigEndian.Uint64(first[:]))
		if n < last {
			t.Errorf("chains of change %d, %d was promised", n, last)
		}
		for id, record := range s.Chains() {
			if record != testChains(n)[id] {
				t.Errorf("chain %x is of another change than %d", id, n)
			}
		}
		mustClose(t, s)
		checkForgotten(t, dir, n)
	}
}
