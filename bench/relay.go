package main

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"

	"answerback/relay"
)

// size is the frame of the round trip.
const size = 1024

// relayHop is a round trip of 1 KiB through the relay over one through a raw TCP hop, which is a process of its own too.
func (b *bench) relayHop() ([]figure, error) {
	url, stop, err := b.startRelay()
	if err != nil {
		return nil, err
	}
	defer stop()
	raw, stopHop, err := b.startHop()
	if err != nil {
		return nil, err
	}
	defer stopHop()
	var as, bs []time.Duration
	for range max(1, 2*b.rounds/perPair) { // a new pair of mailboxes before the relay's bound for one is reached
		relayed, err := newRelayed(url)
		if err != nil {
			return nil, err
		}
		a, b, err := paced(time.Millisecond, perPair, relayed.roundTrip, raw.roundTrip)
		relayed.close()
		if err != nil {
			return nil, err
		}
		as, bs = append(as, a...), append(bs, b...)
	}
	return []figure{{name: "round trip of 1 KiB through the relay", value: ratio(as, bs), goal: 1.3, baseline: "a raw TCP hop", detail: detail(as, bs)}}, nil
}

// perPair is how many round trips one pair of mailboxes makes: the relay takes 64 messages into one at once.
const perPair = 50

// startRelay starts the real relay on a free port.
func (b *bench) startRelay() (url string, stop func(), err error) {
	addr, err := freeAddress()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(b.answerback, "relay", "--listen", addr)
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { cmd.Process.Kill(); cmd.Wait() }
	return "http://" + addr, stop, reachable(addr)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func reachable(addr string) error {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			return c.Close()
		}
	}
	return fmt.Errorf("nothing listens on %s", addr)
}

// relayed is two ends of the relay in this process: what one sends, the other sends back.
type relayed struct {
	near, far *lean
	frame     []byte
}

func newRelayed(url string) (r *relayed, err error) {
	r = &relayed{}
	var nr, fr relay.ReaderKey
	var nw, fw relay.WriterKey
	for _, key := range [][]byte{nr[:], fr[:], nw[:], fw[:]} {
		rand.Read(key)
	}
	if r.near, err = dialLean(url); err != nil {
		return nil, err
	}
	if r.far, err = dialLean(url); err != nil {
		return nil, err
	}
	if err = r.near.listen(nr, nw); err != nil {
		return nil, err
	}
	if err = r.far.listen(fr, fw); err != nil {
		return nil, err
	}
	payload := make([]byte, size)
	r.frame = frame(relay.Send{Tag: 1, HR: relay.HashR(fr), W: fw, Payload: payload}.Append(nil))
	back := frame(relay.Send{Tag: 2, HR: relay.HashR(nr), W: nw, Payload: payload}.Append(nil))
	go func() {
		for r.far.message() == nil {
			r.far.c.Write(back)
		}
	}()
	return r, nil
}

// pace keeps trips below what the relay lets into one mailbox (16 messages a second); it is slept outside of what is timed.
const pace = 70 * time.Millisecond

func (r *relayed) roundTrip() error {
	if _, err := r.near.c.Write(r.frame); err != nil {
		return err
	}
	return r.near.message()
}

func (r *relayed) close() {
	r.near.c.Close()
	r.far.c.Close()
}

// rawHop is two ends of a TCP hop in this process.
type rawHop struct{ near net.Conn }

// startHop starts this program as a hop, which passes bytes between two connections.
func (b *bench) startHop() (*rawHop, func(), error) {
	addr, err := freeAddress()
	if err != nil {
		return nil, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(self, "hop", addr)
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop := func() { cmd.Process.Kill(); cmd.Wait() }
	near, err := dialHop(addr)
	if err != nil {
		return nil, stop, err
	}
	far, err := dialHop(addr)
	if err != nil {
		return nil, stop, err
	}
	go io.Copy(far, far) // sends back what comes
	return &rawHop{near}, stop, nil
}

func dialHop(addr string) (c net.Conn, err error) {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, err = net.Dial("tcp", addr); err == nil {
			return c, nil
		}
	}
	return nil, err
}

func (h *rawHop) roundTrip() error {
	b := make([]byte, size)
	if _, err := h.near.Write(b); err != nil {
		return err
	}
	_, err := io.ReadFull(h.near, b)
	return err
}

// hop takes two connections and passes bytes between them.
func hop() {
	l, err := net.Listen("tcp", os.Args[2])
	if err != nil {
		os.Exit(1)
	}
	a, err := l.Accept()
	if err != nil {
		os.Exit(1)
	}
	b, err := l.Accept()
	if err != nil {
		os.Exit(1)
	}
	go pass(a, b)
	pass(b, a)
}

func pass(to io.Writer, from io.Reader) {
	buffered := bufio.NewReaderSize(from, 4096)
	p := make([]byte, 4096)
	for {
		n, err := buffered.Read(p)
		if err != nil {
			return
		}
		if _, err := to.Write(p[:n]); err != nil {
			return
		}
	}
}
