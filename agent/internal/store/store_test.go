package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func mustOpen(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustClose(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func update(t *testing.T, s *Store, fill func(*Batch)) {
	t.Helper()
	if err := s.Update(func(b *Batch) error { fill(b); return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestStateSurvivesReopening(t *testing.T) {
	dir := t.TempDir() + "/a/state"
	s := mustOpen(t, dir)
	key := s.AgentKey()
	id := [16]byte{1, 2}
	update(t, s, func(b *Batch) {
		b.PutDevice(id, []byte(`{"name":"Pixel 9"}`))
		b.PutDevice([16]byte{9}, []byte(`{}`))
		b.PutRule("r1", []byte(`{"tool":"Bash"}`))
		b.PutRule("r2", []byte(`{}`))
		b.SetPolicy([]byte("deny all"))
		b.SetSeq("in/01", 7)
		b.SetMeta("ever paired", nil)
	})
	update(t, s, func(b *Batch) { b.DeleteRule("r2"); b.DeleteDevice([16]byte{9}) })
	mustClose(t, s)

	s = mustOpen(t, dir)
	defer mustClose(t, s)
	if !bytes.Equal(s.AgentKey(), key) {
		t.Error("another agent key")
	}
	devices, err := s.Devices()
	if err != nil || len(devices) != 1 || string(devices[id]) != `{"name":"Pixel 9"}` {
		t.Errorf("devices %q, %v", devices, err)
	}
	rules, err := s.Rules()
	if err != nil || len(rules) != 1 || string(rules["r1"]) != `{"tool":"Bash"}` {
		t.Errorf("rules %q, %v", rules, err)
	}
	if policy, err := s.Policy(); err != nil || string(policy) != "deny all" {
		t.Errorf("policy %q, %v", policy, err)
	}
	if n, err := s.Seq("in/01"); err != nil || n != 7 {
		t.Errorf("seq %d, %v", n, err)
	}
	if n, err := s.Seq("in/02"); err != nil || n != 0 {
		t.Errorf("seq that was never set: %d, %v", n, err)
	}
	if m, err := s.Meta("ever paired"); err != nil || m == nil || len(m) != 0 {
		t.Errorf("an empty fact reads as %v, %v", m, err)
	}
	if m, err := s.Meta("never"); err != nil || m != nil {
		t.Errorf("a missing fact reads as %v, %v", m, err)
	}
}

func TestEventIsWholeOrNothing(t *testing.T) {
	s := mustOpen(t, t.TempDir()+"/state")
	defer mustClose(t, s)
	refusal := errors.New("no")
	for name, c := range map[string]struct {
		fill func(*Batch) error
		want error
	}{
		"refused":        {func(b *Batch) error { b.SetSeq("x", 1); return refusal }, refusal},
		"65 writes":      {func(b *Batch) error { fillSeqs(b, MaxWrites+1); return nil }, ErrTooManyWrites},
		"large value":    {func(b *Batch) error { b.SetSeq("x", 1); b.SetMeta("m", make([]byte, MaxValue+1)); return nil }, ErrTooLarge},
		"wrong log size": {func(b *Batch) error { b.SetSeq("x", 1); b.AppendLog(1, nil, 0, nil); return nil }, ErrLogSize},
	} {
		if err := s.Update(c.fill); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if n, err := s.Seq("x"); n != 0 || err != nil || s.Commits() != 0 || s.LogSize() != 0 {
		t.Errorf("something was written: %d, %v, %d commits", n, err, s.Commits())
	}
	if err := s.Update(func(b *Batch) error { fillSeqs(b, MaxWrites); return nil }); err != nil {
		t.Errorf("64 writes: %v", err)
	}
}

func fillSeqs(b *Batch, n int) {
	for i := range n {
		b.SetSeq(fmt.Sprint("x", i), 1)
	}
}

func TestLargestValueIsKept(t *testing.T) {
	s := mustOpen(t, t.TempDir()+"/state")
	defer mustClose(t, s)
	large := bytes.Repeat([]byte("v"), MaxValue)
	for i := range 4 { // several files of Badger's value log
		update(t, s, func(b *Batch) { b.SetMeta(fmt.Sprint(i), large) })
	}
	for i := range 4 {
		if m, err := s.Meta(fmt.Sprint(i)); err != nil || !bytes.Equal(m, large) {
			t.Fatalf("value %d: %d bytes, %v", i, len(m), err)
		}
	}
}

// Read-modify-write from many goroutines loses nothing: one goroutine writes.
func TestConcurrentIncrements(t *testing.T) {
	s := mustOpen(t, t.TempDir()+"/state")
	defer mustClose(t, s)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 10 {
				if err := s.Update(increment); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n, err := s.Seq("n"); n != 200 || err != nil {
		t.Errorf("%d after 200 increments, %v", n, err)
	}
}

func increment(b *Batch) error {
	n, err := b.Seq("n")
	b.SetSeq("n", n+1)
	return err
}

func TestViewTakesNoWrites(t *testing.T) {
	s := mustOpen(t, t.TempDir()+"/state")
	defer mustClose(t, s)
	if err := s.View(func(b *Batch) error { b.SetSeq("n", 1); return nil }); err == nil {
		t.Error("a view wrote")
	}
	update(t, s, func(b *Batch) { b.SetMeta("a", []byte("1")); b.PutRule("r", []byte("2")) })
	err := s.View(func(b *Batch) error {
		a, _ := b.Meta("a")
		r, _ := b.Rule("r")
		if string(a) != "1" || string(r) != "2" || b.LogSize() != 0 {
			t.Errorf("view saw %q %q %d", a, r, b.LogSize())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestClosedStoreRefuses(t *testing.T) {
	s := mustOpen(t, t.TempDir()+"/state")
	mustClose(t, s)
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if err := s.Update(func(*Batch) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("Update: %v", err)
	}
	if _, err := s.Meta("x"); !errors.Is(err, ErrClosed) {
		t.Errorf("Meta: %v", err)
	}
}

// Only the last record and its neighbours can be gone without a hole; a hole is
// told apart from the end.
func TestReadLogBounds(t *testing.T) {
	s := mustOpen(t, t.TempDir()+"/state")
	defer mustClose(t, s)
	for n := range uint64(5) {
		update(t, s, func(b *Batch) { appendTest(b, n) })
	}
	var seen []uint64
	look := func(index uint64, _ []byte) error { seen = append(seen, index); return nil }
	if err := s.ReadLog(2, 99, look); err != nil || !slices.Equal(seen, []uint64{2, 3, 4}) {
		t.Errorf("read %v, %v", seen, err)
	}
	update(t, s, func(b *Batch) { b.drop(numberKey(prefixLog, 3)) })
	if err := s.ReadLog(0, 5, look); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "record 3") {
		t.Errorf("a hole reads as %v", err)
	}
	stop := errors.New("stop")
	if err := s.ReadLog(0, 5, func(uint64, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("look's error reads as %v", err)
	}
}
