package store

import (
	"fmt"
	"os"
	"testing"
)

// childVar makes the test binary a child that a test starts and kills; its
// value names what the child does, its first argument is the folder.
const childVar = "ANSWERBACK_STORE_TEST_CHILD"

var children = map[string]func(dir string) error{
	"append": childAppends,
	"chains": childChains,
	"hold":   childHolds,
}

func TestMain(m *testing.M) {
	if work := os.Getenv(childVar); work != "" {
		if err := children[work](os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
