//go:build !race

package store

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

func init() { children["memory"] = childMemory }

// The store must stay small in the agent's memory: Badger with its defaults
// adds over a hundred megabytes with time.
func TestMemoryStaysSmall(t *testing.T) {
	_, lines := startChild(t, "memory", t.TempDir()+"/state")
	opened, full := atoi(t, <-lines), atoi(t, <-lines)
	t.Logf("resident: %d KiB more after Open, %d KiB more after 2,000 records", opened, full)
	if opened > 8<<10 {
		t.Errorf("opening an empty store adds %d KiB", opened)
	}
	if full > 24<<10 {
		t.Errorf("2,000 records add %d KiB", full)
	}
}

// childMemory prints what Open and 2,000 records add to this process, in KiB.
func childMemory(dir string) error {
	debug.FreeOSMemory()
	before := residentKiB()
	s, err := Open(dir)
	if err != nil {
		return err
	}
	debug.FreeOSMemory()
	fmt.Println(residentKiB() - before)
	for n := range uint64(2000) {
		if err := s.Update(func(b *Batch) error { appendTest(b, n); return nil }); err != nil {
			return err
		}
	}
	debug.FreeOSMemory()
	fmt.Println(residentKiB() - before)
	return s.Close()
}

func residentKiB() int {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return kib
}
