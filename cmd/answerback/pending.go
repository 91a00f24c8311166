package main

import (
	"time"

	"github.com/spf13/cobra"

	"answerback/agent/card"
	"answerback/agent/control"
	"answerback/cmd/answerback/internal/voice"
)

// visible is how any text that is not ours reaches the terminal. What the agent has made visible already (a summary, the names of devices)
// does not go through it twice: the marks themselves would be marked.
func visible(text string) string { return card.Visible(text) }

// pendingCommand lists the open calls, or shows one whole.
func (a *app) pendingCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "pending [ID]",
		Short: "list the open calls, or show one whole",
		Args:  takes(0, 1, ""),
		RunE: func(c *cobra.Command, args []string) error {
			var id string
			if len(args) == 1 {
				id = args[0]
			}
			var calls []control.Pending
			err := a.ask(c.Context(), control.Request{Do: control.DoPending, ID: id}, func(r control.Reply) {
				if r.Pending != nil {
					calls = append(calls, *r.Pending)
				}
			})
			switch {
			case err != nil:
				return err
			case asJSON:
				return objects(a, calls)
			case id != "":
				return a.showCalls(id, calls)
			}
			return a.listCalls(calls)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one object a line")
	return c
}

// objects prints one object a line.
func objects[T any](a *app, list []T) error {
	for _, o := range list {
		if err := a.JSON(o); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) listCalls(calls []control.Pending) error {
	if len(calls) == 0 {
		a.Say("nothing is pending")
		return nil
	}
	a.PrintTable(callTable(a.Voice, calls))
	a.Say("a whole call: answerback pending ID")
	return nil
}

func callTable(v *voice.Voice, calls []control.Pending) voice.Table {
	t := voice.Table{Columns: []voice.Column{{Head: "ID"}, {Head: "LEFT", Right: true}, {Head: "CALLER", Most: 12},
		{Head: "FOLDER", Most: 14, Front: true}, {Head: "CLASS"}, {Head: "CALL"}}}
	for _, p := range calls {
		t.Rows = append(t.Rows, []string{visible(p.ID), voice.Left(left(v, p)), visible(p.Caller), visible(v.Path(p.Folder)), visible(p.Class), visible(p.Tool) + "  " + p.Summary})
	}
	return t
}

func left(v *voice.Voice, p control.Pending) time.Duration {
	return time.UnixMilli(p.Expires).Sub(v.Now())
}

func (a *app) showCalls(id string, calls []control.Pending) error {
	if len(calls) == 0 {
		return voice.Fail(voice.NoSuch, "no open call has the id %s; the list: answerback pending", visible(id))
	}
	for _, p := range calls {
		for _, line := range callLines(a.Voice, p) {
			a.Print("%s", line)
		}
	}
	return nil
}

// callLines shows a call whole: its input is the caller's raw bytes, every hidden character visible.
func callLines(v *voice.Voice, p control.Pending) []string {
	t := voice.Table{NoHead: true, Columns: []voice.Column{{}, {}}, Rows: [][]string{
		{"id", p.ID + "  (" + p.RequestID + ")"},
		{"left", voice.Left(left(v, p)) + ", card on " + voice.Count(p.Sent, "device")},
		{"caller", visible(p.Caller)},
		{"session", visible(p.Session)},
		{"folder", visible(p.Folder)},
		{"class", visible(p.Class)},
		{"tool", visible(p.Tool)},
	}}
	const whole = 1 << 20 // a call is shown whole; the terminal wraps
	return append(t.Lines(whole), "input", visible(p.Input))
}
