package hook

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func now() time.Time { return time.Now() }

// noDeadlines is a connection that takes every write and every deadline.
type noDeadlines struct{}

func (noDeadlines) Write(b []byte) (int, error)      { return len(b), nil }
func (noDeadlines) SetReadDeadline(time.Time) error  { return nil }
func (noDeadlines) SetWriteDeadline(time.Time) error { return nil }
func (noDeadlines) Close() error                     { return nil }

var allowed = Verdict{Stdout: []byte("allow\n")}

// converse runs a conversation in a bubble of fake time and says what came of
// it and after how long.
func converse(t *testing.T, o options, agent func(net.Conn)) (v Verdict, ok bool, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		here, there := net.Pipe()
		gone := make(chan bool)
		go func() {
			defer close(gone)
			defer there.Close()
			if _, err := ReadCall(there); err == nil {
				agent(there)
			}
		}()
		start := time.Now()
		v, ok = ask(start, o, []byte("{}"), here)
		took = time.Since(start)
		<-gone
	})
	return v, ok, took
}

// beats sends one every second until the hook is gone or n are sent.
func beats(c net.Conn, n int) {
	for range n {
		time.Sleep(time.Second)
		if WriteBeat(c) != nil {
			return
		}
	}
}

func held(wait time.Duration) Held { return Held{RequestID: [16]byte{1}, Wait: wait} }

func TestM011_DeadlineInEveryState(t *testing.T) {
	claude := options{caller: "claude", event: "PermissionRequest"}
	for _, tt := range []struct {
		name  string
		o     options
		agent func(net.Conn)
		want  time.Duration
	}{
		{"no HELD", claude, func(c net.Conn) { time.Sleep(time.Hour) }, heldWithin},
		{"half a HELD", claude, func(c net.Conn) { c.Write([]byte{2, 0, 0}); time.Sleep(time.Hour) }, heldWithin},
		{"HELD and no BEAT", claude, func(c net.Conn) { WriteHeld(c, held(time.Minute)); time.Sleep(time.Hour) }, beatWithin},
		{"the beats stop", claude, func(c net.Conn) {
			WriteHeld(c, held(time.Minute))
			beats(c, 7)
			time.Sleep(time.Hour)
		}, 7*time.Second + beatWithin},
		{"half a VERDICT", claude, func(c net.Conn) {
			WriteHeld(c, held(time.Minute))
			c.Write([]byte{4, 0, 0, 0, 20, 0})
			time.Sleep(time.Hour)
		}, beatWithin},
		{"beats for ever", claude, func(c net.Conn) { WriteHeld(c, held(30*time.Second)); beats(c, 10000) }, 32 * time.Second},
		{"a wait of its own", options{caller: "claude", wait: 2 * time.Second},
			func(c net.Conn) { WriteHeld(c, held(30*time.Second)); beats(c, 10000) }, 4 * time.Second},
		{"the agent's wait is shorter", options{caller: "claude", wait: time.Minute},
			func(c net.Conn) { WriteHeld(c, held(5*time.Second)); beats(c, 10000) }, 7 * time.Second},
	} {
		v, ok, took := converse(t, tt.o, tt.agent)
		if ok || v.Stdout != nil {
			t.Errorf("%s: gave the verdict %+v", tt.name, v)
		}
		if took != tt.want {
			t.Errorf("%s: took %v, want %v", tt.name, took, tt.want)
		}
	}
}

func TestVerdictAfterALongWait(t *testing.T) {
	v, ok, took := converse(t, options{caller: "claude"}, func(c net.Conn) {
		WriteHeld(c, held(590*time.Second))
		beats(c, 589)
		WriteVerdict(c, allowed)
	})
	if !ok || !bytes.Equal(v.Stdout, allowed.Stdout) || took != 589*time.Second {
		t.Errorf("verdict %+v, %v after %v", v, ok, took)
	}
}

func TestVerdictWithoutHeld(t *testing.T) {
	_, ok, _ := converse(t, options{caller: "claude"}, func(c net.Conn) { WriteVerdict(c, allowed) })
	if !ok {
		t.Error("a verdict that asked nobody was not taken")
	}
}

// The agent may speak only in order, and its last word counts only once.
func TestConversationOutOfOrder(t *testing.T) {
	for name, agent := range map[string]func(net.Conn){
		"BEAT before HELD": func(c net.Conn) { WriteBeat(c); WriteVerdict(c, allowed) },
		"HELD twice": func(c net.Conn) {
			WriteHeld(c, held(time.Minute))
			WriteHeld(c, held(time.Minute))
			WriteVerdict(c, allowed)
		},
		"UNSUPPORTED":   func(c net.Conn) { WriteUnsupported(c); WriteVerdict(c, allowed) },
		"a CALL":        func(c net.Conn) { WriteCall(c, sampleCall()); WriteVerdict(c, allowed) },
		"junk, VERDICT": func(c net.Conn) { c.Write([]byte("junk")); WriteVerdict(c, allowed) },
		"an early end":  func(c net.Conn) { WriteHeld(c, held(time.Minute)) },
		"nothing":       func(c net.Conn) {},
	} {
		if v, ok, _ := converse(t, options{caller: "claude"}, agent); ok || v.Stdout != nil {
			t.Errorf("%s: gave the verdict %+v", name, v)
		}
	}
}

// H5: without --reply a tool of one's own never waits, and what the agent says
// is not used.
func TestNamedCallerWithoutReplyNeverWaits(t *testing.T) {
	for name, agent := range map[string]func(net.Conn){
		"an allow":    func(c net.Conn) { WriteVerdict(c, allowed) },
		"HELD":        func(c net.Conn) { WriteHeld(c, held(time.Minute)); beats(c, 60) },
		"not a word":  func(c net.Conn) { time.Sleep(time.Minute) },
		"a fast HELD": func(c net.Conn) { WriteHeld(c, held(time.Minute)); WriteVerdict(c, allowed) },
	} {
		v, ok, took := converse(t, options{caller: "my-tool"}, agent)
		if ok || v.Stdout != nil || took > noticeWithin {
			t.Errorf("%s: verdict %+v, %v after %v", name, v, ok, took)
		}
	}
}

// A laptop that slept: the monotonic clock stood still, the wall clock says
// that the caller has long given up.
func TestVerdictAfterSleepIsLate(t *testing.T) {
	end := time.Now().Add(time.Minute)
	if passed(end) {
		t.Error("a deadline in a minute has passed")
	}
	if !passed(end.Round(0).Add(-2 * time.Minute)) {
		t.Error("a deadline that the wall clock has passed counts as open")
	}
}

func TestStdinIsReadWholeOrNotAtAll(t *testing.T) {
	soon := func() time.Time { return time.Now().Add(time.Second) }
	if data, err := readStdin(strings.NewReader(strings.Repeat("x", MaxStdin)), soon()); err != nil || len(data) != MaxStdin {
		t.Errorf("1 MiB: %d bytes, %v", len(data), err)
	}
	long := strings.NewReader(strings.Repeat("x", MaxStdin+100))
	if data, err := readStdin(long, soon()); !errors.Is(err, ErrSize) || data != nil || long.Len() != 0 {
		t.Errorf("more than 1 MiB: %d bytes, %v, %d left unread", len(data), err, long.Len())
	}
	if _, err := readStdin(broken{}, soon()); err == nil {
		t.Error("a reader that panics gave no error")
	}
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer there.Close()
		if _, err := readStdin(here, soon()); !errors.Is(err, errStdin) {
			t.Errorf("an input that does not end: %v", err)
		}
	})
}

type broken struct{}

func (broken) Read([]byte) (int, error) { panic("broken") }
