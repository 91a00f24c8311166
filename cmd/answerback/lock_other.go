//go:build !unix

package main

// lockState has nothing to take: the agent runs on Unix only.
func lockState(string) (unlock func(), err error) { return func() {}, nil }
