package agent

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"answerback/hook"
)

// A fault of this program on one connection ends that connection: its hook has no opinion, the others go on, and the log holds no word of the
// call.
func TestFaultEndsOneConnection(t *testing.T) {
	var log bytes.Buffer
	a := &Agent{uid: os.Getuid(), log: slog.New(slog.NewTextHandler(&lockedWriter{b: &log}, nil)), talking: t.Context(), serving: t.Context()}
	var err error
	a.listener, err = listen(filepath.Join(t.TempDir(), "k", "agent.sock"))
	must(t, err)
	served := make(chan error)
	go func() { served <- a.serve() }() // pending, store and twins are nil: whatever a call needs is a fault
	for range 3 {
		c, err := net.Dial("unix", a.listener.Addr().String())
		must(t, err)
		must(t, hook.WriteCall(c, hook.Call{Caller: "my-tool", Event: "PermissionRequest", Flags: hook.FlagReply, Stdin: []byte(call("zebra"))}))
		c.SetReadDeadline(time.Now().Add(5 * time.Second))
		if got, _ := io.ReadAll(c); len(got) > 0 && hook.FrameType(got[0]) == hook.TypeVerdict {
			t.Errorf("the hook got %q", got)
		}
		c.Close()
	}
	a.listener.Close()
	must(t, <-served)
	a.wg.Wait()
	if said := log.String(); strings.Count(said, "a fault of this program") != 3 || strings.Contains(said, "zebra") {
		t.Errorf("the log says %s", said)
	}
}
