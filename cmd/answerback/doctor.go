package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/beside"
	"answerback/cmd/answerback/internal/doctor"
	"answerback/cmd/answerback/internal/voice"
	"answerback/hook/install"
	mobileweb "answerback/mobile-web"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "test every part, live, and say what to do",
		Long:  "Tests every part, live. Each row is ok, note, warn or fail; with a fail the\nexit code is 1. It changes nothing and asks nobody.",
		Args:  nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := a.machine()
			if err != nil {
				return err
			}
			rows := m.Examine(c.Context())
			if asJSON {
				err = objects(a, rows)
			} else {
				a.showRows(rows)
			}
			if err == nil && count(rows, doctor.Fail) > 0 {
				return voice.Silent(voice.Failed)
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one object a line")
	return c
}

func (a *app) machine() (doctor.Machine, error) {
	p, err := a.place()
	if err != nil {
		return doctor.Machine{}, err
	}
	app, _ := mobileweb.Files()
	b := thisBuild()
	return doctor.Machine{
		Status: a.status, Devices: a.devices, State: p.State, Socket: p.Socket,
		HTTP: &http.Client{Timeout: 5 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		App:  app, Build: b.App, Version: b.Version, Commit: b.Commit,
		Hook: beside.Hook, Run: beside.Run, Now: a.Now, Installed: a.installed,
	}, nil
}

// installed looks for our entries in the callers' files; without a hook or a home there can be none.
func (a *app) installed() []install.Entry {
	o, err := a.hookOptions()
	if err != nil {
		return nil
	}
	return install.Look(o)
}

// devices asks the running agent for its roster.
func (a *app) devices(ctx context.Context) (list []control.Device, err error) {
	err = a.ask(ctx, control.Request{Do: control.DoDevices}, func(r control.Reply) {
		if r.Device != nil {
			list = append(list, *r.Device)
		}
	})
	return list, err
}

func count(rows []doctor.Row, level doctor.Level) (n int) {
	for _, r := range rows {
		if r.Level == level {
			n++
		}
	}
	return n
}

// printColumn prints a head and, behind it, a text that wraps in a column of its own on a terminal.
func (a *app) printColumn(head, text string) {
	width := 1 << 20
	if indent := voice.Cells(head); a.OutTTY {
		width = max(a.Width-indent, 20)
	}
	for _, line := range voice.Wrap(voice.Line(text), width) {
		a.Print("%s%s", head, line)
		head = strings.Repeat(" ", voice.Cells(head))
	}
}

// showRows prints rows, and what they come to.
func (a *app) showRows(rows []doctor.Row) {
	for _, r := range rows {
		a.printColumn(voice.Pad(string(r.Level), 4, false)+"  "+voice.Pad(r.Name, 10, false)+"  ", r.Text)
	}
	failed, warned := count(rows, doctor.Fail), count(rows, doctor.Warn)
	switch {
	case failed > 0:
		a.Print("%d failed, %s", failed, voice.Count(warned, "warning"))
	case warned > 0:
		a.Print("nothing failed, %s", voice.Count(warned, "warning"))
	default:
		a.Print("all is well")
	}
}
