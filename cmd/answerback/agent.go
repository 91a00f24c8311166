package main

import (
	"github.com/spf13/cobra"
)

// defaultRelay is where `up` serves its own relay.
const defaultRelay = "http://localhost:7380"

const agentAbout = `Runs the agent alone, in the foreground: it takes calls from hooks, asks the
paired devices through a relay, and decides. Its log goes to stderr. Without
--relay it uses the one that answerback up or answerback relay serves here.`

func (a *app) agentCommand() *cobra.Command {
	var f agentFlags
	c := &cobra.Command{
		Use:   "agent [--relay URL]",
		Short: "run the agent alone, with a relay elsewhere",
		Long:  agentAbout,
		Args:  nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			o, err := a.options(c.Context(), f, defaultRelay, logTo(a.Err))
			if err != nil {
				return err
			}
			ag, err := openAgent(o)
			if err != nil {
				return err
			}
			a.showAgent(ag.Status())
			return runAgent(c.Context(), ag)
		},
	}
	f.add(c.Flags())
	return c
}
