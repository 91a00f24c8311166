//go:build unix && !race

package rules

import (
	"syscall"
	"testing"
	"time"
)

// limit is how much of a processor's time one classification may take.
const limit = 50 * time.Millisecond

// checkFast measures processor time, not the clock: other programs may run
// beside the test. The collector's work counts, so the best of a few is taken.
func checkFast(t *testing.T, name string, in Input) {
	t.Helper()
	best := time.Hour
	for range 6 {
		start := processorTime(t)
		Classify(in)
		if best = min(best, processorTime(t)-start); best < limit {
			return
		}
	}
	t.Errorf("%s takes %v, want at most %v", name, best, limit)
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
