package main

import (
	"context"
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
)

// world is a relay, an agent and a paired device, all real, with a home and a project for the coding tools.
type world struct {
	bin, dir, state, home, project string
	relay                          string
	processes                      []*exec.Cmd // the relay, then the agent
	device                         *device.Device
	stop                           context.CancelFunc
	model                          *model
}

func newWorld(ctx context.Context, bin string) (*world, error) {
	dir, err := os.MkdirTemp("", "abc")
	if err != nil {
		return nil, err
	}
	w := &world{bin: bin, dir: dir, state: filepath.Join(dir, "s"), home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project")}
	if err := w.begin(ctx); err != nil {
		w.end()
		return nil, err
	}
	return w, nil
}

func (w *world) begin(ctx context.Context) (err error) {
	for _, d := range []string{w.home, w.project} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	if w.model, err = newModel(); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := l.Addr().String()
	l.Close()
	w.relay = "http://" + address
	if err := w.start("relay", "--listen", address); err != nil {
		return err
	}
	if err := reach(ctx, "tcp", address); err != nil {
		return err
	}
	if err := w.startAgent(ctx); err != nil {
		return err
	}
	return w.pair(ctx)
}

func (w *world) startAgent(ctx context.Context) error {
	if err := w.start("agent", "--state", w.state, "--relay", w.relay); err != nil {
		return err
	}
	return reach(ctx, "unix", w.socket())
}

func (w *world) socket() string { return filepath.Join(w.state, "agent.sock") }

func (w *world) start(args ...string) error {
	cmd := exec.Command(filepath.Join(w.bin, "answerback"), args...)
	cmd.Env = w.environ()
	if err := cmd.Start(); err != nil {
		return err
	}
	w.processes = append(w.processes, cmd)
	return nil
}

// environ hides where the person who runs this keeps the coding tools' own configurations.
func (w *world) environ() []string {
	return append(os.Environ(), "HOME="+w.home, "CLAUDE_CONFIG_DIR="+filepath.Join(w.home, ".claude"), "CODEX_HOME=", "COPILOT_HOME=")
}

// killAgent ends the agent as a crash does.
func (w *world) killAgent() {
	agent := w.processes[len(w.processes)-1]
	agent.Process.Kill()
	agent.Wait()
	w.processes = w.processes[:len(w.processes)-1]
}

func (w *world) end() {
	if w.stop != nil {
		w.stop()
	}
	for _, p := range w.processes {
		p.Process.Kill()
		p.Wait()
	}
	if w.model != nil {
		w.model.server.Close()
	}
	os.RemoveAll(w.dir)
}

// reach waits until somebody listens.
func reach(ctx context.Context, network, address string) error {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial(network, address); err == nil {
			return c.Close()
		}
	}
	return fmt.Errorf("nothing listens on %s", address)
}

// pair pairs the device, its digits typed at once.
func (w *world) pair(ctx context.Context) error {
	conn, err := control.Dial(ctx, w.socket(), control.Request{Do: control.DoPair})
	if err != nil {
		return err
	}
	defer conn.Close()
	paired := make(chan error, 1)
	for {
		reply, err := conn.Next()
		if err == io.EOF {
			return <-paired
		}
		if err != nil {
			return err
		}
		if reply.Pair != nil && reply.Pair.Event == "code" {
			go func() { paired <- w.scan(ctx, conn, reply.Pair.Link) }()
		}
	}
}

func (w *world) scan(ctx context.Context, conn *control.Conn, link string) error {
	o := device.PairOptions{Name: "Pixel 9", Platform: "Android", OnDigits: func(s string) { conn.Say(control.PairInput{Digits: s}) }}
	s, err := device.Pair(ctx, link, o, device.Options{})
	if err == nil {
		w.device, err = device.Open(s, device.Options{})
	}
	if err != nil {
		return err
	}
	run, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	go w.device.Run(run)
	return nil
}

// card waits for the next open card.
func (w *world) card(ctx context.Context) (device.View, error) {
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	v, err := w.device.WaitCard(ctx, nil)
	if err != nil {
		return v, errors.Join(errors.New("no card came"), err)
	}
	return v, nil
}

// answerback runs a command of ours in the project.
func (w *world) answerback(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(w.bin, "answerback"), append([]string{"--state", w.state}, args...)...)
	cmd.Dir, cmd.Env = w.project, w.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("answerback %v: %w\n%s", args, err, out)
	}
	return nil
}
