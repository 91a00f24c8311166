//go:build !linux

package agent

// asker cannot be read here without cgo, so two equal calls are always two cards.
func asker(int) int { return 0 }
