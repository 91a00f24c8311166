package store

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
)

// openAgentKey reads the agent's key, the 32 byte seed of RFC 8032 section
// 5.1.5, or makes it at the first start. Later a missing key is an error: a new
// one would be another agent, and every device would refuse it.
func openAgentKey(path string, fresh bool) (ed25519.PrivateKey, error) {
	if fresh && !exists(path) {
		seed := make([]byte, ed25519.SeedSize)
		rand.Read(seed)
		if err := writeNew(path, seed); err != nil {
			return nil, err
		}
	}
	return readAgentKey(path)
}

func readAgentKey(path string) (ed25519.PrivateKey, error) {
	f, err := openPrivate(path, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("store: %s is missing; put it back from a backup, or give --state another folder and pair again", path)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	seed, err := io.ReadAll(io.LimitReader(f, ed25519.SeedSize+1))
	if err != nil {
		return nil, fmt.Errorf("store: read %s: %w", path, err)
	}
	if len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("store: %s does not hold a 32 byte key; put it back from a backup", path)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}
