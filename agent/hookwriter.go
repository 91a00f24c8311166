package agent

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"answerback/hook"
	"answerback/hook/caller"
)

// hookWriter is one waiting hook connection: HELD once, a beat every second, one verdict; and the end of the hook, seen at once.
type hookWriter struct {
	c     *net.UnixConn
	mu    sync.Mutex
	over  bool
	begun bool
	quit  chan struct{}
	ended sync.WaitGroup
	left  chan struct{} // closed when the hook is gone, or has said something
	how   error         // what the read of its end said; set before left is closed
}

// newHookWriter begins to watch the connection; gone is called when the hook closes it or dies.
func newHookWriter(c *net.UnixConn, gone context.CancelFunc) *hookWriter {
	w := &hookWriter{c: c, quit: make(chan struct{}), left: make(chan struct{})}
	w.ended.Go(func() { w.watch(gone) })
	w.ended.Go(func() { w.beat(gone) })
	return w
}

// watch reads: a hook sends nothing after its call, so a byte is a fault and an end is the end.
func (w *hookWriter) watch(gone context.CancelFunc) {
	var b [1]byte
	_, w.how = w.c.Read(b[:])
	close(w.left)
	gone()
}

func (w *hookWriter) beat(gone context.CancelFunc) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.quit:
			return
		case <-tick.C:
			if w.write(hook.WriteBeat) != nil {
				gone()
				return
			}
		}
	}
}

// write sends one frame whole; nothing goes out before HELD or after the verdict.
func (w *hookWriter) write(frame func(io.Writer) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over || !w.begun {
		return nil
	}
	w.c.SetWriteDeadline(time.Now().Add(2 * time.Second))
	return frame(w.c)
}

// held tells the hook that its call is open, and for how long at most.
func (w *hookWriter) held(id requestID, wait time.Duration) {
	w.mu.Lock()
	w.begun = true
	w.mu.Unlock()
	w.write(func(c io.Writer) error { return hook.WriteHeld(c, hook.Held{RequestID: id, Wait: wait}) })
}

// verdict writes the reply, once. An error means that it reached nobody.
func (w *hookWriter) verdict(r caller.Reply) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.c.SetWriteDeadline(time.Now().Add(2 * time.Second))
	if err := hook.WriteVerdict(w.c, hook.Verdict{Exit: r.Exit, Stdout: r.Stdout, Stderr: r.Stderr}); err != nil {
		return err
	}
	return w.taken()
}

// takenWithin is how long a hook may take to read its verdict before the agent gives up to know.
const takenWithin = time.Second

// taken waits for the hook to close the connection, as it does once it has read the verdict. One that died with the verdict unread resets it
// instead (unix(7)). A hook that does neither has the verdict in its hands, and may use it.
func (w *hookWriter) taken() error {
	timer := time.NewTimer(takenWithin)
	defer timer.Stop()
	select {
	case <-w.left:
	case <-timer.C:
		return nil
	}
	if errors.Is(w.how, syscall.ECONNRESET) {
		return w.how
	}
	return nil
}

// stop ends the beats and the watch.
func (w *hookWriter) stop() {
	close(w.quit)
	w.c.Close()
	w.ended.Wait()
}
