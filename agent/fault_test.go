package agent

import (
	"bytes"
	"errors"
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
	if said := log.String(); strings.Count(said, "a fault of this program ended") != 3 || strings.Contains(said, "zebra") {
		t.Errorf("the log says %s", said)
	}
}

// A fault while a card is being made ends that call, and gives its room back.
func TestFaultWhileACardIsMade(t *testing.T) {
	tr := newTrip(t)
	_, err := tr.agent.ask(tr.within(), question{wait: time.Minute, held: func(*entry) { panic("a fault") }})
	if !errors.Is(err, errFault) {
		t.Errorf("the call ended with %v", err)
	}
	if err := tr.agent.pending.take("others"); err != nil || tr.agent.pending.taken != 1 {
		t.Errorf("%d slots are taken, %v", tr.agent.pending.taken, err)
	}
}

// A disk that hangs costs a hook some seconds and no more, and its call takes its room until the disk is back.
func TestDiskThatHangs(t *testing.T) {
	tr := newTrip(t)
	tr.pair("Pixel 9")
	tr.agent.opening.Lock()
	h := tr.ask("npm test", "--wait", "40s")
	start := time.Now()
	got := h.wait(t)
	if took := time.Since(start); got != "" || took > openWithin+3*time.Second {
		t.Errorf("after %v the hook printed %q", took, got)
	}
	room := func() int {
		tr.agent.pending.mu.Lock()
		defer tr.agent.pending.mu.Unlock()
		return tr.agent.pending.taken
	}
	if n := room(); n != 1 {
		t.Errorf("%d slots are taken while the disk hangs", n)
	}
	tr.agent.opening.Unlock()
	for end := time.Now().Add(5 * time.Second); room() != 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the room is not given back")
		}
	}
	if n := len(tr.agent.pending.all()); n != 0 {
		t.Errorf("%d cards are open that no hook waits for", n)
	}
}
