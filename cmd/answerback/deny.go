package main

import (
	"github.com/spf13/cobra"

	"answerback/agent/control"
)

// denyCommand takes the Allow away from one open call.
func (a *app) denyCommand() *cobra.Command {
	var words string
	c := &cobra.Command{
		Use:   "deny ID [--words TEXT]",
		Short: "deny an open call",
		Long:  "Denies one open call, as a phone could. The ids: answerback pending",
		Args:  takes(1, 1, "the ID of a call"),
		RunE: func(c *cobra.Command, args []string) error {
			err := a.ask(c.Context(), control.Request{Do: control.DoDeny, ID: args[0], Words: words}, func(control.Reply) {})
			if err == nil {
				a.Print("%s denied", visible(args[0]))
			}
			return err
		},
	}
	c.Flags().StringVar(&words, "words", "", "what the caller is told, for example \"wait for the backup\"")
	return c
}
