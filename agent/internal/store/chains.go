package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
)

// ChainSize is the size of one device's ratchet record; its content is the agent's.
const ChainSize = 64

// MaxChains is the number of devices that the chains file has room for.
const MaxChains = 256

// The chains file is two slots of equal size, each a whole copy:
//
//	magic(8) || generation(8) || count(4) || count * (device id(16) || record(64)) || zeros || SHA-256(32)
//
// A change writes the slots one after the other, each synced. A kill in the
// first write leaves the second slot, as it was; a kill in the second leaves
// the first, as it is now. So at least one slot always holds, and reading takes
// the higher generation and writes it over the other slot.
//
// It forgets: when a change returns, the bytes of the old chains are in neither
// slot, and a deleted device's place is zeros. That goes as far as the file: a
// disk or a copying file system may keep old blocks, which no program of a
// user's can reach. Badger is worse, it keeps overwritten values until it
// compacts; hence this file.
const (
	chainMagic  = "abchain1"
	chainHead   = len(chainMagic) + 8 + 4
	chainRecord = 16 + ChainSize
	chainSlot   = chainHead + MaxChains*chainRecord + sha256.Size
)

type chainFile struct {
	mu         sync.Mutex
	f          *os.File
	generation uint64
	records    map[[16]byte][ChainSize]byte
	unsure     bool // a write failed: read the file again before the next
}

func openChains(path string, fresh bool) (*chainFile, error) {
	if fresh && !exists(path) {
		empty := encodeChains(1, nil)
		if err := writeNew(path, slices.Concat(empty, empty)); err != nil {
			return nil, err
		}
	}
	f, err := openPrivate(path, os.O_RDWR)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("store: %s is missing; give --state another folder and pair again: without it no device can be reached", path)
	}
	if err != nil {
		return nil, err
	}
	c := &chainFile{f: f}
	if err := c.recover(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

// recover reads the newer of the slots that hold, and writes it over the other
// one if that differs.
func (c *chainFile) recover() error {
	file := make([]byte, 2*chainSlot+1)
	n, err := c.f.ReadAt(file, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("store: read %s: %w", c.f.Name(), err)
	}
	best := -1
	for i := range 2 {
		g, records, ok := decodeChains(file[i*chainSlot : (i+1)*chainSlot])
		if ok && (best < 0 || g > c.generation) {
			c.generation, c.records, best = g, records, i
		}
	}
	if best < 0 || n > 2*chainSlot {
		return fmt.Errorf("store: %s does not hold; restore it, or give --state another folder and pair again", c.f.Name())
	}
	c.unsure = false
	if n < 2*chainSlot || !bytes.Equal(file[:chainSlot], file[chainSlot:2*chainSlot]) {
		return c.writeSlot(1-best, encodeChains(c.generation, c.records))
	}
	return nil
}

// replace makes records the file's content.
func (c *chainFile) replace(records map[[16]byte][ChainSize]byte) error {
	if len(records) > MaxChains {
		return fmt.Errorf("store: at most %d devices can be paired; revoke one first", MaxChains)
	}
	if c.unsure {
		if err := c.recover(); err != nil {
			return err
		}
	}
	if maps.Equal(records, c.records) {
		return nil
	}
	slot := encodeChains(c.generation+1, records)
	for i := range 2 {
		if err := c.writeSlot(i, slot); err != nil {
			return err
		}
	}
	c.generation++
	c.records = records
	return nil
}

func (c *chainFile) writeSlot(i int, slot []byte) error {
	_, err := c.f.WriteAt(slot, int64(i*chainSlot))
	if err = errors.Join(err, c.f.Sync()); err != nil {
		c.unsure = true
		return fmt.Errorf("store: write %s: %w", c.f.Name(), err)
	}
	return nil
}

func (c *chainFile) close() error { return c.f.Close() }

func encodeChains(generation uint64, records map[[16]byte][ChainSize]byte) []byte {
	slot := make([]byte, 0, chainSlot)
	slot = append(slot, chainMagic...)
	slot = binary.BigEndian.AppendUint64(slot, generation)
	slot = binary.BigEndian.AppendUint32(slot, uint32(len(records)))
	ids := slices.SortedFunc(maps.Keys(records), func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
	for _, id := range ids {
		record := records[id]
		slot = append(append(slot, id[:]...), record[:]...)
	}
	slot = slot[:chainSlot-sha256.Size]
	sum := sha256.Sum256(slot)
	return append(slot, sum[:]...)
}

func decodeChains(slot []byte) (generation uint64, records map[[16]byte][ChainSize]byte, ok bool) {
	if len(slot) != chainSlot || string(slot[:len(chainMagic)]) != chainMagic {
		return 0, nil, false
	}
	body, sum := slot[:chainSlot-sha256.Size], slot[chainSlot-sha256.Size:]
	if want := sha256.Sum256(body); !bytes.Equal(want[:], sum) {
		return 0, nil, false
	}
	generation = binary.BigEndian.Uint64(body[8:])
	count := int(binary.BigEndian.Uint32(body[16:]))
	if count > MaxChains {
		return 0, nil, false
	}
	records = make(map[[16]byte][ChainSize]byte, count)
	for i := range count {
		entry := body[chainHead+i*chainRecord:][:chainRecord]
		records[[16]byte(entry)] = [ChainSize]byte(entry[16:])
	}
	return generation, records, true
}

// Chains reads the ratchet records of all devices, by device id.
func (s *Store) Chains() map[[16]byte][ChainSize]byte {
	s.chains.mu.Lock()
	defer s.chains.mu.Unlock()
	return maps.Clone(s.chains.records)
}

// SaveChains replaces the ratchet records of all devices. When it returns nil
// the new ones are on the disk and the old ones are overwritten.
func (s *Store) SaveChains(records map[[16]byte][ChainSize]byte) error {
	s.chains.mu.Lock()
	defer s.chains.mu.Unlock()
	return s.chains.replace(maps.Clone(records))
}

// PutChain replaces one device's ratchet record.
func (s *Store) PutChain(id [16]byte, record [ChainSize]byte) error {
	s.chains.mu.Lock()
	defer s.chains.mu.Unlock()
	next := maps.Clone(s.chains.records)
	next[id] = record
	return s.chains.replace(next)
}

// DropChain overwrites a device's ratchet record with zeros.
func (s *Store) DropChain(id [16]byte) error {
	s.chains.mu.Lock()
	defer s.chains.mu.Unlock()
	next := maps.Clone(s.chains.records)
	delete(next, id)
	return s.chains.replace(next)
}
