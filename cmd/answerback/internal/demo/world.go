package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"time"

	"answerback/agent/control"
	"answerback/agent/device"
)

// world is the stage: two processes, a device, and an ear on the device's mailbox.
type world struct {
	o       Options
	address string // of the relay, HOST:PORT: the same after a restart
	socket  string
	relay   *process
	agent   *process
	device  *device.Device
	tap     *tap
	setup   *trip

	stop    context.CancelFunc // ends device and tap
	running sync.WaitGroup
	link    context.CancelFunc // ends the device's link only
}

func setUp(ctx context.Context, o Options) (w *world, err error) {
	w = &world{o: o, setup: newTrip(), socket: filepath.Join(o.Dir, "state", "agent.sock"), stop: func() {}, link: func() {}}
	defer func() {
		if err != nil {
			w.tearDown()
		}
	}()
	if w.address, err = freeAddress(); err != nil {
		return w, err
	}
	if err = w.startRelay(); err != nil {
		return w, err
	}
	if err = w.startAgent(); err != nil {
		return w, err
	}
	if err = w.ready(ctx); err != nil {
		return w, err
	}
	w.setup.hop("relay and agent")
	if err = w.pair(ctx); err != nil {
		return w, err
	}
	w.setup.hop("paired")
	return w, w.tap.ready(ctx)
}

// freeAddress finds a port that nobody has. The relay needs it by number: it is killed and started again on the same one.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (w *world) url() string { return "http://" + w.address }

func (w *world) startRelay() (err error) {
	w.relay, err = start(filepath.Join(w.o.Dir, "relay.log"), w.o.Program, "relay", "--listen", w.address)
	return err
}

func (w *world) startAgent() (err error) {
	w.agent, err = start(filepath.Join(w.o.Dir, "agent.log"), w.o.Program, "agent", "--state", filepath.Dir(w.socket), "--relay", w.url(), "--name", "demo", "--human", "you@example.com")
	return err
}

// ready waits until the relay answers, and the agent, which is linked to the relay as soon as it has a device to listen for.
func (w *world) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, each)
	defer cancel()
	for {
		var connected bool
		err := control.Ask(ctx, w.socket, control.Request{Do: control.DoStatus}, func(r control.Reply) {
			connected = r.Status != nil && (r.Status.Connected || r.Status.Devices == 0)
		})
		switch {
		case err == nil && connected && w.relayUp():
			return nil
		case w.relay.ended():
			return fmt.Errorf("the relay has ended; see %s", filepath.Join(w.o.Dir, "relay.log"))
		case w.agent.ended():
			return fmt.Errorf("the agent has ended; see %s", filepath.Join(w.o.Dir, "agent.log"))
		case ctx.Err() != nil:
			return errors.Join(errors.New("the agent is not linked to the relay in time"), err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// relayUp reports whether something listens at the relay's address.
func (w *world) relayUp() bool {
	c, err := net.DialTimeout("tcp", w.address, time.Second)
	if err == nil {
		c.Close()
	}
	return err == nil
}

func (w *world) tearDown() {
	w.link()
	w.stop()
	w.running.Wait()
	for _, p := range []*process{w.agent, w.relay} {
		if p != nil {
			p.thaw()
			p.end()
		}
	}
}
