package main

import (
	"github.com/spf13/cobra"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/voice"
)

// devicesCommand lists and revokes devices; alone it lists.
func (a *app) devicesCommand() *cobra.Command {
	var asJSON bool
	list := func(c *cobra.Command, _ []string) error { return a.listDevices(c, asJSON) }
	c := &cobra.Command{
		Use:   "devices",
		Short: "list the paired devices, or revoke one",
		Args:  noSuchCommand,
		RunE:  list,
	}
	sub := &cobra.Command{Use: "list", Short: "list the paired devices", Args: nothing, RunE: list}
	for _, cmd := range []*cobra.Command{c, sub} {
		cmd.Flags().BoolVar(&asJSON, "json", false, "print one object a line")
	}
	c.AddCommand(sub, a.revokeCommand())
	return c
}

func (a *app) listDevices(c *cobra.Command, asJSON bool) error {
	devices, err := a.devices(c.Context())
	switch {
	case err != nil:
		return err
	case asJSON:
		return objects(a, devices)
	case len(devices) == 0:
		a.Say("no device is paired; pair one: answerback pair")
		return nil
	}
	a.PrintTable(deviceTable(a.Voice, devices))
	return nil
}

func deviceTable(v *voice.Voice, devices []control.Device) voice.Table {
	t := voice.Table{Columns: []voice.Column{{Head: "NAME", Most: 18}, {Head: "PLATFORM", Most: 18}, {Head: "ROLE"}, {Head: "SEEN", Right: true}, {Head: "ID"}, {Head: "NOTE"}}}
	for _, d := range devices {
		t.Rows = append(t.Rows, []string{d.Name, d.Platform, d.Role, seen(v, d), shortID(d.ID), note(d)})
	}
	return t
}

func seen(v *voice.Voice, d control.Device) string {
	if d.Online {
		return "online"
	}
	return v.Ago(d.LastSeen)
}

// shortID is as much of a device's id as a person needs: revoke takes it too. --json has the whole.
func shortID(id string) string { return id[:min(len(id), 8)] }

// note says what is special about a device.
func note(d control.Device) string {
	switch {
	case !d.Active:
		return "not finished"
	case d.SameMachine:
		return "same machine"
	}
	return ""
}

func (a *app) revokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke DEVICE",
		Short: "take every right from a device, at once",
		Long:  "Takes every right from one device, at once and on open cards too. DEVICE is\nits name, or its id where two have one name: answerback devices",
		Args:  takes(1, 1, "the name or id of a device"),
		RunE: func(c *cobra.Command, args []string) error {
			name := visible(args[0])
			err := a.ask(c.Context(), control.Request{Do: control.DoRevoke, Device: args[0]}, func(r control.Reply) {
				if r.Device != nil {
					name = r.Device.Name // visible already
				}
			})
			if err == nil {
				a.Print("%s is revoked: no answer of it counts from now on, on open cards too", name)
			}
			return err
		},
	}
}
