package store

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// startChild runs this binary as a child on dir; its output lines come on the
// channel, which closes when it ends.
func startChild(t *testing.T, work, dir string) (*exec.Cmd, <-chan string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), childVar+"="+work)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	lines := make(chan string, 100_000)
	go readLines(out, lines)
	return cmd, lines
}

func readLines(r io.Reader, lines chan<- string) {
	defer close(lines)
	for s := bufio.NewScanner(r); s.Scan(); {
		lines <- s.Text()
	}
}

// killAfter lets the child work for a while after its first line, kills it with
// SIGKILL, and gives the last number that it printed.
func killAfter(t *testing.T, work, dir string, wait time.Duration) (last int) {
	t.Helper()
	cmd, lines := startChild(t, work, dir)
	last = atoi(t, <-lines)
	time.Sleep(wait)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	for line := range lines {
		last = atoi(t, line)
	}
	return last
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("the child printed %q", s)
	}
	return n
}

// childAppends appends records for ever and prints each index after the append
// returned.
func childAppends(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	for {
		n := s.LogSize()
		if err := s.Update(func(b *Batch) error { appendTest(b, n); return nil }); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// appendTest appends record n, whose bytes and three hashes follow from n, and
// a sequence number that must agree. Every eighth is large.
func appendTest(b *Batch, n uint64) {
	b.AppendLog(n, testRecord(n), 3*n, testHashes(n))
	b.SetSeq("n", n)
}

func testRecord(n uint64) []byte {
	size := 40
	if n%8 == 7 {
		size = 3000 // goes to Badger's value log
	}
	return []byte(fmt.Sprintf("%d %s", n, strings.Repeat("r", size)))
}

func testHashes(n uint64) []Hash {
	hashes := make([]Hash, 3)
	for i := range hashes {
		binary.BigEndian.PutUint64(hashes[i][:], 3*n+uint64(i))
	}
	return hashes
}

// childChains replaces the chains for ever and prints each number after the
// change returned.
func childChains(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	for n := len(s.Chains()[chainID(0)]); ; n++ {
		if err := s.SaveChains(testChains(n)); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func chainID(i int) [16]byte { return [16]byte{0: 0xd1, 15: byte(i)} }

// testChains are three chains that all carry n.
func testChains(n int) map[[16]byte][ChainSize]byte {
	all := map[[16]byte][ChainSize]byte{}
	for i := range 3 {
		var record [ChainSize]byte
		for at := 0; at < ChainSize; at += 8 {
			binary.BigEndian.PutUint64(record[at:], uint64(n))
		}
		all[chainID(i)] = record
	}
	return all
}

// childHolds opens the folder, says so, and waits to be killed.
func childHolds(dir string) error {
	if _, err := Open(dir); err != nil {
		return err
	}
	fmt.Println(0)
	time.Sleep(time.Minute)
	return nil
}
