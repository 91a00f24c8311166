package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"answerback/agent/control"
	"answerback/agent/device"
)

// pair plays both ends: the terminal over the agent's socket, and the device over the relay. The digits go from one to the other as a
// person would carry them.
func (w *world) pair(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, each)
	defer cancel()
	conn, err := control.Dial(ctx, w.socket, control.Request{Do: control.DoPair})
	if err != nil {
		return err
	}
	defer conn.Close()
	joined := make(chan error, 1)
	digits, locked := make(chan string, 1), make(chan struct{})
	go func() {
		<-locked
		conn.Say(control.PairInput{Digits: <-digits})
	}()
	for {
		reply, err := conn.Next()
		switch {
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return <-joined
		case err != nil:
			return fmt.Errorf("pair: %w", err)
		case reply.Pair == nil:
		case reply.Pair.Event == "code":
			go func() { joined <- w.join(ctx, reply.Pair.Link, digits) }()
		case reply.Pair.Event == "locked":
			close(locked)
		case reply.Pair.Event == "wrong":
			return errors.New("pair: the agent took the device's digits for wrong")
		}
	}
}

// join is the device's side, from the link to the first hello, which ends the pairing.
func (w *world) join(ctx context.Context, link string, digits chan<- string) error {
	o := device.Options{App: "demo", Log: slog.New(slog.DiscardHandler)}
	state, err := device.Pair(ctx, link, device.PairOptions{Name: "Demo phone", Platform: "Go", OnDigits: func(d string) { digits <- d }}, o)
	if err != nil {
		return err
	}
	if w.device, err = device.Open(state, o); err != nil {
		return err
	}
	var all context.Context
	all, w.stop = context.WithCancel(context.Background())
	w.tap = newTap(state)
	w.running.Go(func() { w.tap.run(all) })
	w.online()
	return nil
}

// online links the device to the relay, until offline.
func (w *world) online() {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	w.running.Go(func() {
		defer close(ended)
		w.device.Run(ctx)
	})
	w.link = func() { stop(); <-ended }
}

// offline is a phone in a tunnel.
func (w *world) offline() {
	w.link()
	w.link = func() {}
}
