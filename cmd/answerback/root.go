package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/place"
	"answerback/cmd/answerback/internal/voice"
	"answerback/hook"
)

// app is one run: its voice, the flags that every command has, and the environment.
type app struct {
	*voice.Voice
	getenv        func(string) string
	state, socket string
	typed         <-chan string
}

const about = `Answerback carries what your coding tools ask to your phone, and brings back
an answer that only your phone can sign and only that one call can use.

On a first day:  answerback up, then pair, then try, then doctor`

// root is the command tree. Commands stand in the order in which a person needs them.
func (a *app) root() *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:           "answerback",
		Long:          about,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(wrongFlag)
	root.SetUsageTemplate(usage)
	root.SetHelpTemplate("{{with (or .Long .Short)}}{{.}}\n\n{{end}}{{.UsageString}}")
	root.PersistentFlags().StringVar(&a.state, "state", "", "`DIR` that holds keys, devices, log and socket")
	root.PersistentFlags().StringVar(&a.socket, "socket", "", "`PATH` of the agent's socket")
	root.PersistentFlags().BoolP("help", "h", false, "show this help")
	root.AddCommand(a.upCommand(), a.pairCommand(), a.tryCommand(), a.installCommand(), a.doctorCommand(),
		a.pendingCommand(), a.denyCommand(), a.releaseCommand(), a.allowCommand(),
		a.devicesCommand(), a.logCommand(),
		a.agentCommand(), a.relayCommand(), a.serviceCommand(), a.uninstallCommand(), a.demoCommand(), a.versionCommand())
	root.SetHelpCommand(helpCommand(root))
	return root
}

const usage = `usage: {{if .HasAvailableSubCommands}}{{.CommandPath}}{{if .HasParent}} [COMMAND]{{else}} COMMAND{{end}}{{else}}{{.UseLine}}{{end}}
{{- if .HasAvailableSubCommands}}

commands
{{- range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{- end}}
{{- if .HasAvailableLocalFlags}}

flags
{{.LocalFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}
{{- end}}
{{- if .HasAvailableInheritedFlags}}

flags of every command
{{.InheritedFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}
{{- end}}
`

// helpCommand is cobra's, in our words.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "explain a command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return voice.Fail(voice.WrongUse, "there is no command %q to explain; the list: answerback help", args[0])
			}
			return c.Help()
		},
	}
}

// noSuchCommand refuses a word where a command was expected.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return voice.Fail(voice.WrongUse, "there is no command %q; did you mean %s %s", args[0], c.CommandPath(), near[0])
	}
	return voice.Fail(voice.WrongUse, "there is no command %q; the list: %s --help", args[0], c.CommandPath())
}

func wrongFlag(c *cobra.Command, err error) error {
	return voice.Fail(voice.WrongUse, "%w; the flags: %s --help", err, c.CommandPath())
}

// takes checks the number of words after a command; name is how the help calls them.
func takes(least, most int, name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return voice.Fail(voice.WrongUse, "%s is missing: %s", name, c.UseLine())
		case len(args) > most && most == 0:
			return voice.Fail(voice.WrongUse, "%q is one word too many: %s", args[0], c.UseLine())
		case len(args) > most:
			return voice.Fail(voice.WrongUse, "%q is one word too many: %s", args[most], c.UseLine())
		}
		return nil
	}
}

// nothing is the rule for commands that take no words.
var nothing = takes(0, 0, "")

// place finds state folder and socket for this run.
func (a *app) place() (place.Place, error) {
	home, _ := os.UserHomeDir()
	p, err := place.Find(place.Wanted{State: a.state, Socket: a.socket, StateHome: a.getenv("XDG_STATE_HOME"), Home: home,
		DefaultSocket: hook.Socket(os.Getuid())})
	if err != nil {
		return p, voice.Fail(voice.WrongUse, "%w", err)
	}
	return p, nil
}

// ask runs one verb on the running agent.
func (a *app) ask(ctx context.Context, req control.Request, each func(control.Reply)) error {
	p, err := a.place()
	if err != nil {
		return err
	}
	return notRunning(p, control.Ask(ctx, p.Socket, req, each))
}

// notRunning leaves out how the connection failed where the reason is plain: there is no socket, so there is no agent.
func notRunning(p place.Place, err error) error {
	if !errors.Is(err, control.ErrNotRunning) {
		return err
	}
	if _, missing := os.Lstat(p.Socket); errors.Is(missing, os.ErrNotExist) {
		err = control.ErrNotRunning
	}
	return &voice.Failure{Exit: voice.NotRunning, Text: err.Error(), Err: control.ErrNotRunning}
}

// status asks the running agent how it is.
func (a *app) status(ctx context.Context) (control.Status, error) {
	var got *control.Status
	err := a.ask(ctx, control.Request{Do: control.DoStatus}, func(r control.Reply) { got = r.Status })
	if err == nil && got == nil {
		err = errors.New("the agent did not say how it is; restart it: answerback up")
	}
	if err != nil {
		return control.Status{}, err
	}
	return *got, nil
}

// said gives errors of the other rooms the exit code that they stand for.
func said(err error) error {
	var refused *control.Error
	if errors.As(err, &refused) {
		return &voice.Failure{Exit: max(refused.Exit, voice.Failed), Text: refused.Text, Err: err}
	}
	return err
}
