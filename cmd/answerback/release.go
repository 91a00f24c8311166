package main

import (
	"github.com/spf13/cobra"

	"answerback/agent/control"
)

// releaseCommand hands one open call back to the caller's own prompt.
func (a *app) releaseCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "release ID",
		Short: "hand an open call back to its caller, which asks by itself",
		Long:  "Hands one open call back to its caller, which then asks in its own terminal.\nNothing is allowed by that. The ids: answerback pending",
		Args:  takes(1, 1, "the ID of a call"),
		RunE: func(c *cobra.Command, args []string) error {
			name := "its caller"
			err := a.ask(c.Context(), control.Request{Do: control.DoRelease, ID: args[0]}, func(r control.Reply) {
				if r.Pending != nil {
					name = visible(r.Pending.Caller)
				}
			})
			if err == nil {
				a.Print("%s handed back to %s: it asks in its own terminal", visible(args[0]), name)
			}
			return err
		},
	}
}
