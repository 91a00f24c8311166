package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"answerback/agent/control"
	"answerback/agent/device"
	abcrypto "answerback/crypto"
)

// trip is the figures that need an agent with a device: the probe, the whole way, and memory.
func (b *bench) trip() ([]figure, error) {
	url, stopRelay, err := b.startRelay()
	if err != nil {
		return nil, err
	}
	defer stopRelay()
	w := &world{bench: b, state: filepath.Join(b.dir, "state"), url: url}
	w.socket = filepath.Join(w.state, "agent.sock")
	if err := w.startAgent(); err != nil {
		return nil, err
	}
	defer w.stop()
	if err := w.pair(); err != nil {
		return nil, err
	}
	probe, err := w.probe()
	if err != nil {
		return nil, err
	}
	memory, err := w.memory()
	if err != nil {
		return nil, err
	}
	whole, err := w.whole()
	return []figure{probe, whole, memory}, err
}

// world is a running agent and its device.
type world struct {
	*bench
	state, socket, url string
	agent              *exec.Cmd
	device             *device.Device
	cancel             context.CancelFunc
}

func (w *world) startAgent() error {
	w.agent = exec.Command(w.answerback, "agent", "--state", w.state, "--relay", w.url)
	w.agent.Stderr = os.Stderr
	if err := w.agent.Start(); err != nil {
		return err
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("unix", w.socket); err == nil {
			return c.Close()
		}
	}
	return errors.New("the agent does not listen")
}

func (w *world) stop() {
	if w.cancel != nil {
		w.cancel()
	}
	w.agent.Process.Kill()
	w.agent.Wait()
}

// pair pairs a device of this process, with its digits typed at once, and lets it allow everything.
func (w *world) pair() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := control.Dial(ctx, w.socket, control.Request{Do: control.DoPair})
	if err != nil {
		return err
	}
	defer conn.Close()
	for {
		reply, err := conn.Next()
		switch {
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		case reply.Pair != nil && reply.Pair.Event == "code":
			go w.scan(ctx, conn, reply.Pair.Link)
		}
	}
}

func (w *world) scan(ctx context.Context, conn *control.Conn, link string) {
	state, err := device.Pair(ctx, link, device.PairOptions{Name: "bench", OnDigits: func(s string) { conn.Say(control.PairInput{Digits: s}) }}, device.Options{})
	if err != nil {
		return
	}
	var d *device.Device
	d, err = device.Open(state, device.Options{OnEvent: func(e device.Event) {
		if e.Card != nil {
			id := e.Card.Card.Request
			go d.Answer(context.Background(), id, device.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaApp})
		}
	}})
	if err != nil {
		return
	}
	w.device = d
	run, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	d.Run(run)
}

// probe is a hook that the agent answers at once.
func (w *world) probe() (figure, error) {
	hooks, empties, err := pairs(w.rounds,
		func() error {
			return start(call, `"decision":"deny"`, w.hook, "--agent", "my-tool", "--reply", "answerback", "--probe", "--socket", w.socket, "PermissionRequest")
		},
		func() error { return start(call, "", w.empty) })
	if err != nil {
		return figure{}, err
	}
	return figure{name: "hook, answered at once by the agent", value: ratio(hooks, empties), goal: 2.2, baseline: "an empty Go program", detail: detail(hooks, empties)}, nil
}

// whole is hook to device and back to the hook's exit, over the sum of what such a trip cannot do without: a process with a socket echo, two
// relay hops, two synced appends. All of it in turns.
func (w *world) whole() (figure, error) {
	echo, err := serveEcho(filepath.Join(w.dir, "echo.sock"))
	if err != nil {
		return figure{}, err
	}
	defer echo.Close()
	file, err := os.OpenFile(filepath.Join(w.dir, "appended"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return figure{}, err
	}
	defer file.Close()
	relayed, err := newRelayed(w.url)
	if err != nil {
		return figure{}, err
	}
	defer relayed.close()
	var trips, sums []time.Duration
	for i := 0; err == nil && i < w.rounds; i++ {
		time.Sleep(2 * pace) // outside of what is timed: a phone's mailbox takes so many messages a second
		var t, s time.Duration
		if t, err = timed(func() error {
			return start(numbered(i), `"decision":"allow"`, w.hook, "--agent", "my-tool", "--reply", "answerback", "--socket", w.socket, "PermissionRequest")
		}); err != nil {
			break
		}
		s, err = timed(func() error { return w.parts(relayed, file) })
		trips, sums = append(trips, t), append(sums, s)
	}
	if err != nil {
		return figure{}, err
	}
	return figure{name: "hook to device and back", value: ratio(trips, sums), goal: 1.5,
		baseline: "an echo process, two relay hops, two synced appends", detail: detail(trips, sums)}, nil
}

// parts does once what a trip cannot do without.
func (w *world) parts(relayed *relayed, file *os.File) error {
	if err := start(call, "", w.echo, filepath.Join(w.dir, "echo.sock")); err != nil {
		return err
	}
	if err := relayed.roundTrip(); err != nil {
		return err
	}
	record := make([]byte, 700)
	rand.Read(record)
	for range 2 {
		if _, err := file.Write(record); err != nil {
			return err
		}
		if err := file.Sync(); err != nil {
			return err
		}
	}
	return nil
}

func serveEcho(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	return l, nil
}

// memory is the agent's resident set, idle with one device.
func (w *world) memory() (figure, error) {
	time.Sleep(2 * time.Second)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var bytes uint64
	err := control.Ask(ctx, w.socket, control.Request{Do: control.DoStatus}, func(r control.Reply) { bytes = r.Status.MemoryBytes })
	if err == nil && bytes == 0 {
		err = fmt.Errorf("the agent does not say its memory")
	}
	return figure{name: "agent's resident memory, one device", value: float64(bytes) / 1e6, unit: " MB", goal: 25, baseline: "VmRSS"}, err
}
