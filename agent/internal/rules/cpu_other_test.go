//go:build !unix || race

package rules

import (
	"testing"
	"time"
)

// checkFast without a processor clock of use: the race detector slows all, so
// only what never ends fails.
func checkFast(t *testing.T, name string, in Input) {
	t.Helper()
	start := time.Now()
	Classify(in)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%s takes %v", name, took)
	}
}
