package audit

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkAppend compares an append, record and tree synced, with writing the
// same bytes to the end of a plain file and syncing it, in turns. The goal is a
// ratio of 2.0.
func BenchmarkAppend(b *testing.B) {
	l := newLog(b)
	f, err := os.OpenFile(filepath.Join(b.TempDir(), "plain"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	leaf := leafOf(b, asked())
	var tree, plain []time.Duration
	for b.Loop() {
		start := time.Now()
		mustAppend(b, l, asked())
		middle := time.Now()
		if _, err := f.Write(leaf); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		tree, plain = append(tree, middle.Sub(start)), append(plain, time.Since(middle))
	}
	b.ReportMetric(float64(median(tree).Microseconds()), "append-us")
	b.ReportMetric(float64(median(plain).Microseconds()), "file+fsync-us")
	b.ReportMetric(float64(median(tree))/float64(median(plain)), "ratio(goal=2.0)")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
