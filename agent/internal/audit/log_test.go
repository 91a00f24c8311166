package audit

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"answerback/agent/internal/store"

	"pgregory.net/rapid"
)

// rootOf computes RFC 6962's MTH from its definition, apart from the tree's code.
func rootOf(leaves [][]byte) Hash {
	switch n := len(leaves); {
	case n == 0:
		return sha256.Sum256(nil)
	case n == 1:
		return sha256.Sum256(append([]byte{0}, leaves[0]...))
	default:
		k := 1
		for 2*k < n {
			k *= 2
		}
		left, right := rootOf(leaves[:k]), rootOf(leaves[k:])
		return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
	}
}

func leavesOf(t testing.TB, l *Log) (leaves [][]byte) {
	t.Helper()
	err := l.Records(0, l.Size(), func(index uint64, leaf []byte) error {
		if index != uint64(len(leaves)) {
			return fmt.Errorf("record %d comes as number %d", index, len(leaves))
		}
		leaves = append(leaves, leaf)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return leaves
}

func TestEmptyLog(t *testing.T) {
	l := newLog(t)
	if head := l.Head(); head.Size != 0 || head.Root != rootOf(nil) {
		t.Errorf("head %x, want the root of no records", head)
	}
}

// After every append the root is that of the definition, over the bytes read
// back, and the head of every earlier size can still be computed and proved.
func TestRootFollowsFromLeaves(t *testing.T) {
	l := newLog(t)
	heads := []Head{l.Head()}
	for i := range 70 {
		index, head, err := l.Append(asked())
		if err != nil || index != uint64(i) || head != l.Head() || head.Size != uint64(i+1) {
			t.Fatalf("append %d: index %d, head %v, %v", i, index, head, err)
		}
		if want := rootOf(leavesOf(t, l)); head.Root != want {
			t.Fatalf("root of %d records is %x, want %x", i+1, head.Root, want)
		}
		heads = append(heads, head)
	}
	for size, want := range heads {
		if head, err := l.HeadAt(uint64(size)); err != nil || head != want {
			t.Errorf("head at %d: %v, %v", size, head, err)
		}
	}
}

// Any record's proof holds for its own bytes, its own place and its own head,
// and for nothing else; likewise growth.
func TestProofs(t *testing.T) {
	l := newLog(t)
	var heads []Head
	for range 40 {
		heads = append(heads, mustAppend(t, l, asked()))
	}
	leaves := leavesOf(t, l)
	rapid.Check(t, func(t *rapid.T) {
		newer := heads[rapid.IntRange(0, 39).Draw(t, "newer")]
		older := heads[rapid.IntRange(0, int(newer.Size)-1).Draw(t, "older")]
		index := rapid.Uint64Range(0, newer.Size-1).Draw(t, "index")
		checkRecordProof(t, l, newer, index, leaves)
		growth, err := l.ProveGrowth(older.Size, newer.Size)
		if err != nil || CheckGrowth(growth, older, newer) != nil {
			t.Fatalf("growth %d to %d: %v", older.Size, newer.Size, err)
		}
		forked := older
		forked.Root[0] ^= 1
		if CheckGrowth(growth, forked, newer) == nil {
			t.Fatalf("growth from another root holds")
		}
	})
}

func checkRecordProof(t *rapid.T, l *Log, head Head, index uint64, leaves [][]byte) {
	proof, err := l.ProveRecord(head.Size, index)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckRecord(proof, head, index, leaves[index]); err != nil {
		t.Fatalf("record %d of %d: %v", index, head.Size, err)
	}
	if CheckRecord(proof, head, index, append(leaves[index][:len(leaves[index]):len(leaves[index])], ' ')) == nil {
		t.Fatalf("the proof of record %d holds for other bytes", index)
	}
	other := (index + 1) % head.Size
	if head.Size > 1 && CheckRecord(proof, head, other, leaves[index]) == nil {
		t.Fatalf("the proof of record %d holds at %d", index, other)
	}
}

func TestProofsBeyondTheLog(t *testing.T) {
	l := newLog(t)
	mustAppend(t, l, asked())
	for _, c := range [][2]uint64{{0, 0}, {1, 1}, {2, 0}, {2, 1}} {
		if _, err := l.ProveRecord(c[0], c[1]); err == nil {
			t.Errorf("proved record %d of %d", c[1], c[0])
		}
	}
	for _, c := range [][2]uint64{{0, 1}, {2, 1}, {1, 2}} {
		if _, err := l.ProveGrowth(c[0], c[1]); err == nil {
			t.Errorf("proved growth from %d to %d", c[0], c[1])
		}
	}
}

// Each append is one synced transaction, whatever else is written with it; if
// that is refused, no record comes into being.
func TestAppendIsOneTransaction(t *testing.T) {
	dir := t.TempDir() + "/state"
	l := openLog(t, dir)
	before := l.s.Commits()
	for range 20 {
		mustAppend(t, l, asked())
	}
	_, _, err := l.Append(outcome(), func(b *store.Batch) error { b.PutRule("r", []byte("used once")); return nil })
	if err != nil || l.s.Commits() != before+21 {
		t.Errorf("%d commits for 21 appends, %v", l.s.Commits()-before, err)
	}
	refusal, head := errors.New("no"), l.Head()
	if _, _, err := l.Append(asked(), func(*store.Batch) error { return refusal }); !errors.Is(err, refusal) {
		t.Errorf("a refused append: %v", err)
	}
	if l.Head() != head || l.s.LogSize() != head.Size || head.Root != rootOf(leavesOf(t, l)) {
		t.Error("the refused append moved the log")
	}
	l.s.Close()
	if again := openLog(t, dir); again.Head() != head {
		t.Errorf("reopened at %v, want %v", again.Head(), head)
	}
}

// A killed agent leaves a log whose root is that of its records, with every
// record whose append returned.
func TestKilledWhileAppending(t *testing.T) {
	dir := t.TempDir() + "/state"
	for round := range 5 {
		index, root := killChild(t, dir, time.Duration(15+29*round)*time.Millisecond)
		l := openLog(t, dir)
		leaves := leavesOf(t, l)
		if l.Root() != rootOf(leaves) {
			t.Fatalf("root of %d records is not theirs", len(leaves))
		}
		if len(leaves) <= index || fmt.Sprintf("%x", rootOf(leaves[:index+1])) != root {
			t.Fatalf("%d records; record %d was promised with root %s", len(leaves), index, root)
		}
		mustAppend(t, l, asked())
		l.s.Close()
	}
}

// killChild gives the last index and root that the child printed before it was
// killed with SIGKILL.
func killChild(t *testing.T, dir string, wait time.Duration) (index int, root string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	last := lines.Text()
	timer := time.AfterFunc(wait, func() { cmd.Process.Kill() })
	defer timer.Stop()
	for lines.Scan() {
		if strings.Count(lines.Text(), " ") == 1 && len(lines.Text()) > 64 {
			last = lines.Text()
		}
	}
	cmd.Wait()
	if _, err := fmt.Sscanf(last, "%d %64s", &index, &root); err != nil {
		t.Fatalf("the child printed %q: %v", last, err)
	}
	return index, root
}

// A last record that was changed on the disk is told when the log is opened.
func TestChangedLastRecord(t *testing.T) {
	dir := t.TempDir() + "/state"
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	leaf := leafOf(t, asked())
	forged := func(b *store.Batch) error { b.AppendLog(0, leaf, 0, []Hash{LeafHash([]byte("another"))}); return nil }
	if err := s.Update(forged); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(s); !errors.Is(err, ErrTree) {
		t.Errorf("opened a log whose record and tree differ: %v", err)
	}
}
