package main

import (
	"github.com/spf13/cobra"

	"answerback/cmd/answerback/internal/voice"
)

// allowCommand exists to say why it does not: whoever looks for it should not have to guess.
func (a *app) allowCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "allow",
		Short:  "says why there is no such command",
		Hidden: true,
		// Whatever follows, flags and all, the answer is the same.
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return voice.Fail(voice.Refused, "there is no allow command: the tool that asks runs as you and could type it, "+
				"so only a paired device can allow; deny and release work here")
		},
	}
}
