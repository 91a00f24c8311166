package audit

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"answerback/agent/internal/store"
)

// childVar makes the test binary a child that appends until it is killed.
const childVar = "ANSWERBACK_AUDIT_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVar); dir != "" {
		fmt.Fprintln(os.Stderr, appendForEver(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// appendForEver prints index and root after each append that returned.
func appendForEver(dir string) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	l, err := Open(s)
	if err != nil {
		return err
	}
	for {
		index, head, err := l.Append(asked())
		if err != nil {
			return err
		}
		fmt.Printf("%d %x\n", index, head.Root)
	}
}

// newLog is an empty log in a folder of its own.
func newLog(t testing.TB) *Log {
	t.Helper()
	return openLog(t, t.TempDir()+"/state")
}

func openLog(t testing.TB, dir string) *Log {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	l, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func hexOf(digit string, n int) string { return strings.Repeat(digit, 2*n) }

// asked is a record as the agent makes it of a call.
func asked() Record {
	return Record{Type: Asked, Time: 1764500000000, Host: "studio", Human: "you@example.com", RequestID: hexOf("a", 16), Caller: "claude",
		Event: "PermissionRequest", Session: "96fb0532", AgentChain: []string{"claude"}, Folder: "~/project", Kind: "shell", Name: "shell.bash",
		Targets: []string{"host:studio"}, Params: map[string]string{"command": "go test ./... -run TestSettle"}, CallDigest: hexOf("b", 32),
		Class: "routine"}
}

// outcome is the record of a device's Allow.
func outcome() Record {
	return Record{Type: Outcome, Time: 1764500004100, RequestID: hexOf("a", 16), Caller: "claude", CallDigest: hexOf("b", 32), CardDigest: hexOf("c", 32),
		Decision: Allow, By: ByDevice, Device: hexOf("d", 16), DeviceName: "Pixel 9", Via: "notification",
		Answer: make([]byte, 116), Signature: make([]byte, 64)}
}

func mustAppend(t testing.TB, l *Log, r Record) Head {
	t.Helper()
	_, head, err := l.Append(r)
	if err != nil {
		t.Fatal(err)
	}
	return head
}
