//go:build race

package relayserver_test

// allowed is more under the race detector, where sync.Pool drops one in four on
// purpose.
func allowed(rounds uint64) uint64 { return 4 * rounds }
