//go:build !race

package relayserver_test

// allowed is how many allocations may come with so many rounds: the runtime's own.
func allowed(rounds uint64) uint64 { return rounds / 20 }
