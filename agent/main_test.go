package agent

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"answerback/hook"
)

// hookWords makes the test binary a hook with these words for its command line.
const hookWords = "ANSWERBACK_AGENT_TEST_HOOK"

// hookStart names a folder: such a hook leaves a file there and waits until the file "all" is there too, so that a busy machine does not
// set hooks apart that are started together.
const hookStart = "ANSWERBACK_AGENT_TEST_START"

func waitForAll(dir string) {
	os.WriteFile(filepath.Join(dir, fmt.Sprint(os.Getpid())), nil, 0o600)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "all")); err == nil {
			return
		}
	}
}

// TestMain holds that no test leaves a goroutine or an open file behind: the agent runs for months.
func TestMain(m *testing.M) {
	if words := os.Getenv(hookWords); words != "" {
		waitForAll(os.Getenv(hookStart))
		os.Exit(hook.Run(strings.Fields(words), os.Stdin, os.Stdout, os.Stderr))
	}
	flag.Parse()
	flag.Set("test.parallel", "8") // they mostly wait
	before := openFiles()
	code := m.Run()
	if err := goleak.Find(goleak.IgnoreTopFunction("os/signal.loop")); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "--- FAIL: goroutines are left:", err)
		code = 1
	}
	if left := filesLeft(before); left > 0 && code == 0 {
		fmt.Fprintf(os.Stderr, "--- FAIL: %d files are left open\n", left)
		code = 1
	}
	os.Exit(code)
}

// filesLeft is how many files more than before are open, once those that are being closed are.
func filesLeft(before int) (left int) {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if left = openFiles() - before; left <= 0 {
			return 0
		}
	}
	return left
}

// openFiles counts this process's open files; 0 where the system does not tell.
func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
