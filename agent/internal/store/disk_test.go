package store

import (
	"errors"
	"strings"
	"testing"
)

// A failed sync of Badger's value log reaches only its logger. From then on no
// event counts as written.
func TestFailedSyncFailsEvents(t *testing.T) {
	s := mustOpen(t, t.TempDir()+"/state")
	update(t, s, func(b *Batch) { b.SetSeq("n", 1) })
	s.disk.Warningf("not this")
	s.disk.Infof("nor this")
	s.disk.Debugf("nor this")
	update(t, s, func(b *Batch) { b.SetSeq("n", 2) })
	s.disk.Errorf("Error while curlf sync: %v", errors.New("input/output error"))
	err := s.Update(func(b *Batch) error { b.SetSeq("n", 3); return nil })
	if err == nil || !strings.Contains(err.Error(), "input/output error") {
		t.Errorf("after a failed sync: %v", err)
	}
	if n, err := s.Seq("n"); n != 2 || err != nil {
		t.Errorf("seq %d, %v", n, err)
	}
	mustClose(t, s)
}
