package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/beside"
	"answerback/cmd/answerback/internal/place"
	"answerback/cmd/answerback/internal/voice"
	"answerback/hook"
)

const tryAbout = `Sends a sample call, as a home-made tool would: it starts the real hook with
the open reply, and prints what the hook prints. Nothing is run: the COMMAND
is only asked about. Allow, deny and silence all end with exit code 0.`

func (a *app) tryCommand() *cobra.Command {
	var name string
	var wait time.Duration
	c := &cobra.Command{
		Use:   "try [-- COMMAND...]",
		Short: "send a sample call to your devices",
		Long:  tryAbout,
		Args:  afterDashes,
		RunE: func(c *cobra.Command, args []string) error {
			if !hook.ValidName(name) {
				return voice.Fail(voice.WrongUse, "--agent takes a name of 1-24 small letters, digits and dashes, and %q is none", name)
			}
			if wait != 0 && (wait < time.Second || wait > hook.MaxWait) {
				return voice.Fail(voice.WrongUse, "--wait takes from 1s to 1h, and %s is outside", wait)
			}
			command := "echo hello from answerback"
			if len(args) > 0 {
				command = strings.Join(args, " ")
			}
			return a.try(c.Context(), newTrial(name, command, wait))
		},
	}
	c.Flags().StringVar(&name, "agent", "try", "`NAME` that the sample call comes from")
	c.Flags().DurationVar(&wait, "wait", 0, "how long to wait, like 30s (default 2m)")
	return c
}

// afterDashes takes a command's words behind -- only, so that a misspelt flag is never part of it.
func afterDashes(c *cobra.Command, args []string) error {
	if len(args) > 0 && c.ArgsLenAtDash() != 0 {
		return voice.Fail(voice.WrongUse, "a command stands behind two dashes: answerback try -- %s", strings.Join(args, " "))
	}
	return nil
}

// trial is one sample call.
type trial struct {
	name, session, command string
	wait                   time.Duration
}

func newTrial(name, command string, wait time.Duration) trial {
	return trial{name: name, session: "try-" + rand.Text()[:10], command: command, wait: wait}
}

// stdin is the hook JSON that most tools copy.
func (t trial) stdin() ([]byte, error) {
	folder, err := os.Getwd()
	if err != nil {
		folder = ""
	}
	return json.Marshal(map[string]any{
		"session_id": t.session, "cwd": folder, "hook_event_name": "PermissionRequest",
		"tool_name": "Bash", "tool_input": map[string]string{"command": t.command},
	})
}

func (t trial) args(socket string) []string {
	args := []string{"--agent", t.name, "--reply", "answerback", "--socket", socket}
	if t.wait > 0 {
		args = append(args, "--wait", t.wait.String())
	}
	return append(args, "PermissionRequest")
}

func (a *app) try(ctx context.Context, t trial) error {
	p, err := a.place()
	if err != nil {
		return err
	}
	path, err := beside.Hook()
	if err != nil {
		return voice.Fail(voice.Failed, "%w", err)
	}
	before, err := a.status(ctx)
	if err != nil {
		return err
	}
	stdin, err := t.stdin()
	if err != nil {
		return err
	}
	a.Say("asking: Bash  %s", visible(t.command))
	watch, end := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		a.watchCard(watch, p, t)
	}()
	r, err := beside.Run(ctx, path, stdin, t.args(p.Socket)...)
	end()
	<-watched
	if err != nil {
		return voice.Fail(voice.Failed, "the sample call was given up; its card is withdrawn")
	}
	a.Out.Write(r.Stdout)
	a.Err.Write(r.Stderr)
	return a.tried(ctx, r, before, t)
}

// watchCard says once how many devices the card reached, unless the answer is there first.
func (a *app) watchCard(ctx context.Context, p place.Place, t trial) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	patience := time.Now().Add(2 * time.Second)
	for {
		var mine *control.Pending
		control.Ask(ctx, p.Socket, control.Request{Do: control.DoPending}, func(r control.Reply) {
			if r.Pending != nil && r.Pending.Session == t.session {
				mine = r.Pending
			}
		})
		if mine != nil && (mine.Sent > 0 || time.Now().After(patience)) {
			a.Say("card on %s, %d s left", voice.Count(mine.Sent, "device"), int(left(a.Voice, *mine).Round(time.Second).Seconds()))
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tried says who answered, how long it took, and what comes next.
func (a *app) tried(ctx context.Context, r beside.Result, s control.Status, t trial) error {
	took := voice.For(r.Took)
	asked, who := a.ending(ctx, t.session)
	switch decisionOf(r.Stdout) {
	case "allow":
		a.Say("allowed by %s in %s.  next: answerback install", who, took)
	case "deny":
		a.Say("denied by %s in %s.  next: answerback install", who, took)
	default:
		a.Say("no opinion after %s: %s", took, a.whySilent(s, asked, who))
	}
	return nil
}

// whySilent explains what a caller does with silence, and what to do about it.
func (a *app) whySilent(s control.Status, asked bool, who string) string {
	const meaning = "a caller that gets this asks in its own terminal; nothing is ever allowed by silence"
	switch {
	case s.Devices == 0:
		return "no device is paired.  " + meaning + ".  next: answerback pair"
	case !asked:
		return "no card was made.  " + meaning + ".  next: answerback log show -n 3"
	case who == handedBack:
		return "the call was handed back.  " + meaning
	}
	return "nobody answered in time.  " + meaning + ".  next: answerback doctor"
}

// decisionOf reads the open reply: one JSON object with a decision, or nothing.
func decisionOf(stdout []byte) string {
	var reply struct {
		Decision string `json:"decision"`
	}
	if json.Unmarshal(stdout, &reply) != nil {
		return ""
	}
	return reply.Decision
}
