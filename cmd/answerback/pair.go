package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/voice"
)

const pairAbout = `Pairs a device with this agent: it draws a code (and prints it as a link),
the device shows six digits, and you type them here. A code is used once and
lives for ten minutes. A link that goes through a chat or a clipboard in the
cloud is no longer only yours: rather scan the code.`

func (a *app) pairCommand() *cobra.Command {
	var draw drawing
	c := &cobra.Command{
		Use:   "pair",
		Short: "pair a phone, or another device",
		Long:  pairAbout,
		Args:  nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := draw.check(); err != nil {
				return err
			}
			return a.pair(c.Context(), draw)
		},
	}
	f := c.Flags()
	f.StringVar(&draw.png, "png", "", "write the code as a picture to `FILE`, readable by you only")
	f.BoolVar(&draw.ascii, "ascii", false, "draw the code with plain characters")
	f.BoolVar(&draw.none, "no-qr", false, "print the link only")
	f.BoolVar(&draw.force, "qr", false, "draw the code where it would be left out")
	return c
}

// lines hands out what the person types, line by line; it is closed at the end of the input. One reader serves the whole run.
func (a *app) lines() <-chan string {
	if a.typed != nil {
		return a.typed
	}
	typed := make(chan string)
	go func() {
		defer close(typed)
		for scanner := bufio.NewScanner(a.In); scanner.Scan(); {
			typed <- scanner.Text()
		}
	}()
	a.typed = typed
	return typed
}

// pair holds one pairing conversation from the code to its end.
func (a *app) pair(ctx context.Context, draw drawing) error {
	p, err := a.place()
	if err != nil {
		return err
	}
	// The conversation outlives ctx for as long as it takes to say that it is cancelled.
	talk, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	conn, err := control.Dial(talk, p.Socket, control.Request{Do: control.DoPair})
	if err != nil {
		return notRunning(p, err)
	}
	defer conn.Close()
	m := &match{app: a, conn: conn, draw: draw}
	return m.run(ctx, events(conn))
}

// event is one line of the agent, or the end of its lines.
type event struct {
	control.PairEvent
	err error
}

func events(conn *control.Conn) <-chan event {
	out := make(chan event, 16)
	go func() {
		defer close(out)
		for {
			reply, err := conn.Next()
			if err != nil {
				out <- event{err: err}
				return
			}
			if reply.Pair != nil {
				out <- event{PairEvent: *reply.Pair}
			}
		}
	}()
	return out
}

// match is one pairing as the person sees it.
type match struct {
	*app
	conn      *control.Conn
	draw      drawing
	asking    bool // digits are wanted now
	cancelled bool
}

// codeWithin is how long the agent may take to make a code: it needs the relay for it.
const codeWithin = 10 * time.Second

func (m *match) run(ctx context.Context, events <-chan event) error {
	typed, done := m.lines(), ctx.Done()
	patience := time.NewTimer(codeWithin)
	defer patience.Stop()
	for {
		select {
		case <-patience.C:
			m.cancel()
			return voice.Fail(voice.Failed, "no code came: the relay cannot be reached, and no device could find one without it; look at: answerback doctor")
		case <-done:
			done = nil
			m.cancel()
		case line, open := <-typed:
			if !open {
				typed = nil
			}
			m.heard(line, open)
		case e := <-events:
			patience.Stop()
			if e.err != nil {
				return m.ended(e.err)
			}
			if err := m.show(e.PairEvent); err != nil {
				m.cancel()
				return err
			}
			if m.asking && typed == nil {
				m.cancel()
			}
		}
	}
}

// ended says how it ended: io.EOF is the agent's word that all was said.
func (m *match) ended(err error) error {
	switch {
	case m.cancelled:
		return voice.Fail(voice.Failed, "cancelled; the code is used up and nothing was paired")
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil
	}
	return err
}

func (m *match) cancel() {
	if m.cancelled {
		return
	}
	m.cancelled = true
	if m.ErrTTY {
		m.Say("")
	}
	m.conn.Say(control.PairInput{Cancel: true})
}

// heard takes what the person typed. Nothing is wanted before a device has locked the code.
func (m *match) heard(line string, open bool) {
	switch {
	case !m.asking:
	case !open:
		m.cancel()
	case !sixDigits(line):
		m.Ask("six digits, as the device shows them, are wanted.  digits: ")
	default:
		m.asking = false
		m.conn.Say(control.PairInput{Digits: line})
	}
}

// sixDigits reports whether a line is worth one of the three tries.
func sixDigits(line string) bool {
	n := 0
	for _, r := range line {
		switch {
		case r >= '0' && r <= '9':
			n++
		case r != ' ' && r != '-' && r != '\t':
			return false
		}
	}
	return n == 6
}

// show says one step. The names in it were made visible by the agent.
func (m *match) show(e control.PairEvent) error {
	switch e.Event {
	case "code":
		return m.showCode(e, m.draw)
	case "locked":
		m.asking = true
		m.newLine()
		m.Ask("locked by \"%s\" (%s).  digits: ", e.Name, e.Platform)
	case "wrong":
		m.asking = true
		m.Ask("wrong, %s left.  digits: ", tries(e.Left))
	case "admission":
		m.Say("right.  now allow it on %s: a new device needs the word of one that is paired", names(e.Asked))
	case "paired":
		m.paired(e)
	}
	return nil
}

func (m *match) paired(e control.PairEvent) {
	for _, name := range e.Retired {
		m.Say("%s is retired: it was on this machine, for trying out, and a real device is here now", name)
	}
	if e.SameMachine {
		m.Say("%s is on this machine: good for trying out, and no protection from what runs here as you", e.Name)
	}
	m.Say("paired.  try it: answerback try")
}
