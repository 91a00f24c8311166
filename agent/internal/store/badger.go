package store

import (
	"fmt"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// smallOptions are the options under which Badger adds a few megabytes to the
// agent instead of a hundred, and syncs every commit. The defaults keep 64 MiB
// tables in memory and write gigabytes of sparse files.
func smallOptions(dir string, disk *diskWatch) badger.Options {
	return badger.DefaultOptions(dir).
		WithLogger(disk).
		WithSyncWrites(true).
		WithDetectConflicts(false). // one goroutine writes
		WithMemTableSize(1 << 20).
		WithNumMemtables(1).
		WithNumLevelZeroTables(1).
		WithNumLevelZeroTablesStall(2).
		WithNumCompactors(2).
		WithBlockCacheSize(0).
		WithIndexCacheSize(0).
		WithBaseTableSize(1 << 20).
		WithValueLogFileSize(4 << 20).
		WithValueThreshold(1 << 10).
		WithCompression(options.None).
		WithMetricsEnabled(false)
}

// diskWatch is Badger's logger. It prints nothing, and keeps the first error:
// a failed sync of the value log is told to the logger and to nobody else, and
// an event whose sync failed must not count as written.
type diskWatch struct{ first atomic.Pointer[string] }

// Errorf keeps the first error that Badger reports.
func (w *diskWatch) Errorf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.first.CompareAndSwap(nil, &text)
}

// Warningf does nothing.
func (*diskWatch) Warningf(string, ...any) {}

// Infof does nothing.
func (*diskWatch) Infof(string, ...any) {}

// Debugf does nothing.
func (*diskWatch) Debugf(string, ...any) {}

// err is the first error as a sentence. Once it is set, every event fails until
// the folder is opened anew.
func (w *diskWatch) err() error {
	if text := w.first.Load(); text != nil {
		return fmt.Errorf("store: the disk failed (%s); free or check it, then start the agent again", *text)
	}
	return nil
}
