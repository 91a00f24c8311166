package main

import (
	"context"
	"fmt"
	"time"

	"answerback/agent"
	"answerback/agent/control"
	"answerback/cmd/answerback/internal/voice"
)

// showAgent prints what runs: the first thing that a person sees.
func (a *app) showAgent(s control.Status) {
	t := voice.Table{NoHead: true, Columns: []voice.Column{{}, {}, {}}, Rows: [][]string{
		{"relay", s.Relay, "reads nothing, keeps nothing"},
		{"agent", visible(s.Name), "state " + a.Path(s.State) + ", socket " + a.Path(s.Socket)},
		{"devices", devicesWord(s), ""},
	}}
	for _, line := range t.Lines(1 << 10) {
		a.Print("%s", line)
	}
}

func devicesWord(s control.Status) string {
	switch {
	case s.Devices == 0:
		return "none yet"
	case s.Devices == s.SameMachine:
		return fmt.Sprintf("%d, on this machine", s.Devices)
	}
	return fmt.Sprint(s.Devices)
}

func (a *app) showRunning(s control.Status) {
	a.showAgent(s)
	next := "answerback doctor"
	if s.Devices == 0 {
		next = "answerback pair"
	}
	a.Say("it runs already (pid %d, up %s).  next: %s", s.PID, voice.For(time.Duration(a.Now().UnixMilli()-s.Started)*time.Millisecond), next)
}

// welcome greets, says if the relay cannot be reached, and offers codes while no device is paired.
func (a *app) welcome(ctx context.Context, ag *agent.Agent) {
	a.showAgent(ag.Status())
	if !isRelay(ctx, ag.Status().Relay, 3*time.Second) && ctx.Err() == nil {
		a.Say("the relay %s is not reached; the agent goes on trying.  more: answerback doctor", ag.Status().Relay)
	}
	switch {
	case ctx.Err() != nil:
	case ag.Status().Devices > 0:
		a.Say("it serves until Ctrl-C.  next: answerback try")
	case !a.InTTY || !a.OutTTY:
		a.Say("no device: run answerback pair in a terminal")
	default:
		a.Say("")
		a.offer(ctx, ag)
	}
}

// offer pairs the first device: one code after the other, each on the person's word, because a code on a screen is a door.
func (a *app) offer(ctx context.Context, ag *agent.Agent) {
	for ctx.Err() == nil && ag.Status().Devices == 0 {
		err := a.pair(ctx, drawing{})
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			continue
		}
		a.newLine()
		a.Say("%s", voice.Line(err.Error()))
		a.Ask("Enter for a new code, Ctrl-C to end ")
		select {
		case <-ctx.Done():
			return
		case _, open := <-a.lines():
			if !open {
				a.Say("no device: run answerback pair in a terminal")
				return
			}
		}
	}
}
