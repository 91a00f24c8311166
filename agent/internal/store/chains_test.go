package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// checkForgotten checks that both slots hold change n and that no other chain's
// bytes are in the file.
func checkForgotten(t *testing.T, dir string, n int) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(dir, "chains"))
	if err != nil {
		t.Fatal(err)
	}
	if len(file) != 2*chainSlot || !bytes.Equal(file[:chainSlot], file[chainSlot:]) {
		t.Fatalf("the slots differ, or the file has %d bytes", len(file))
	}
	_, records, ok := decodeChains(file[:chainSlot])
	if !ok || len(records) != 3 || records[chainID(1)] != testChains(n)[chainID(1)] {
		t.Fatalf("the slot does not hold change %d", n)
	}
}

// At whatever byte a write of either slot stops, the file opens with the old or
// the new chains, and then holds nothing of the others.
func TestChainsTornAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "chains")
	older, newer := encodeChains(7, testChains(1)), encodeChains(8, testChains(2))
	for torn := 0; torn <= 2*chainSlot; torn += 97 {
		first := append(append([]byte{}, newer[:min(torn, chainSlot)]...), older[min(torn, chainSlot):]...)
		rest := max(0, torn-chainSlot)
		second := append(append([]byte{}, newer[:rest]...), older[rest:]...)
		if err := os.WriteFile(path, append(first, second...), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := openChains(path, false)
		if err != nil {
			t.Fatalf("torn at %d: %v", torn, err)
		}
		want := 1
		if torn >= chainSlot || bytes.Equal(first, newer) {
			want = 2
		}
		if got := c.records[chainID(2)]; got != testChains(want)[chainID(2)] {
			t.Fatalf("torn at %d: chains of change %d, want %d", torn, binary.BigEndian.Uint64(got[:]), want)
		}
		c.close()
		checkForgotten(t, dir, want)
	}
}

func TestChainsBeyondRepair(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chains")
	good := encodeChains(1, testChains(1))
	flipped := bytes.Clone(good)
	flipped[40] ^= 1
	for name, content := range map[string][]byte{
		"empty": {}, "zeros": make([]byte, 2*chainSlot), "one half": flipped, "both flipped": append(bytes.Clone(flipped), flipped...),
		"longer": append(append(bytes.Clone(good), good...), 0),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := openChains(path, false); err == nil {
			t.Errorf("%s: opened with %d chains", name, len(c.records))
		}
	}
}

func TestChainsForgetDeletedDevice(t *testing.T) {
	dir := t.TempDir() + "/state"
	s := mustOpen(t, dir)
	defer mustClose(t, s)
	secret := [ChainSize]byte{}
	copy(secret[:], "a chain that must not stay behind")
	if err := s.PutChain(chainID(1), secret); err != nil {
		t.Fatal(err)
	}
	if err := s.PutChain(chainID(2), [ChainSize]byte{1}); err != nil {
		t.Fatal(err)
	}
	if err := s.DropChain(chainID(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.PutChain(chainID(2), [ChainSize]byte{2}); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "chains"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(file, secret[:33]) {
		t.Error("a deleted device's chain is still in the file")
	}
	if len(s.Chains()) != 1 || s.Chains()[chainID(2)] != [ChainSize]byte{2} {
		t.Errorf("chains %v", s.Chains())
	}
}

func TestChainsRefuseTooMany(t *testing.T) {
	s := mustOpen(t, t.TempDir()+"/state")
	defer mustClose(t, s)
	many := map[[16]byte][ChainSize]byte{}
	for i := range MaxChains + 1 {
		many[[16]byte{byte(i), byte(i >> 8)}] = [ChainSize]byte{byte(i)}
	}
	if err := s.SaveChains(many); err == nil {
		t.Error("more chains than there is room for were taken")
	}
	delete(many, [16]byte{})
	if err := s.SaveChains(many); err != nil || len(s.Chains()) != MaxChains {
		t.Errorf("%d chains, %v", len(s.Chains()), err)
	}
}

// Whatever stands in a slot whose checksum holds, what is read prints again.
func FuzzDecodeChains(f *testing.F) {
	f.Add(encodeChains(1, nil)[:chainHead])
	f.Add(encodeChains(9, testChains(3))[:chainHead+3*chainRecord])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, head []byte) {
		slot := make([]byte, chainSlot)
		copy(slot, head[:min(len(head), chainSlot-sha256.Size)])
		sum := sha256.Sum256(slot[:chainSlot-sha256.Size])
		copy(slot[chainSlot-sha256.Size:], sum[:])
		generation, records, ok := decodeChains(slot)
		if !ok {
			return
		}
		if len(records) > MaxChains {
			t.Fatalf("%d chains", len(records))
		}
		if _, again, ok := decodeChains(encodeChains(generation, records)); !ok || !maps.Equal(again, records) {
			t.Fatal("does not print what it parsed")
		}
		slot[len(head)%chainSlot] ^= 1
		if _, _, ok := decodeChains(slot); ok {
			t.Fatal("a flipped bit was read over")
		}
	})
}
