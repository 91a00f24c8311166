package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"answerback/cmd/answerback/internal/unit"
	"answerback/cmd/answerback/internal/voice"
)

const serviceAbout = `Keeps answerback running for this user: a systemd user unit on Linux, a launchd
agent on macOS. It needs no root. With --relay URL the service runs the agent
alone; without, it runs answerback up.`

func (a *app) serviceCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "service",
		Short: "keep it running: install, uninstall, status",
		Long:  serviceAbout,
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.serviceInstallCommand(), a.serviceUninstallCommand(), a.serviceStatusCommand())
	return c
}

// manager is this user's service manager.
func (a *app) manager() unit.Manager {
	home, _ := os.UserHomeDir()
	return unit.Manager{OS: runtime.GOOS, Home: home, ConfigHome: a.getenv("XDG_CONFIG_HOME"), UID: os.Getuid(), Run: runTool}
}

// runTool runs a program of the system, briefly.
func runTool(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return "not found", err
	}
	return string(out), err
}

func (a *app) serviceInstallCommand() *cobra.Command {
	var f agentFlags
	var linger bool
	c := &cobra.Command{
		Use:   "install [--relay URL]",
		Short: "write the service, start it, and start it at every login",
		Long:  serviceAbout,
		Args:  nothing,
		RunE:  func(c *cobra.Command, _ []string) error { return a.installService(c.Context(), f, linger) },
	}
	f.add(c.Flags())
	c.Flags().BoolVar(&linger, "linger", false, "let it run while you are not logged in, too, without asking")
	return c
}

func (a *app) installService(ctx context.Context, f agentFlags, linger bool) error {
	s, err := a.service(f)
	if err != nil {
		return err
	}
	m := a.manager()
	if err := a.onlyOne(ctx, m); err != nil {
		return err
	}
	err = m.Install(ctx, s)
	switch {
	case errors.Is(err, unit.ErrNone):
		return voice.Fail(voice.Failed, "%w; nothing was written. log in as this user itself (not by su or sudo), or run answerback up in a terminal that stays open (tmux)", err)
	case err != nil:
		return voice.Fail(voice.Failed, "%w", err)
	}
	a.Print("the service runs: %s", strings.Join(append([]string{a.Path(s.Program)}, s.Args...), " "))
	a.Say("its file: %s", a.Path(m.Path()))
	a.linger(ctx, m, linger)
	a.Say("next: answerback pair")
	return nil
}

// onlyOne refuses while an agent runs that is not the service: the service could not take the state folder.
func (a *app) onlyOne(ctx context.Context, m unit.Manager) error {
	s, err := a.status(ctx)
	if err != nil || m.Installed() {
		return nil
	}
	return voice.Fail(voice.Failed, "an agent runs already (pid %d), and two cannot share a state folder; end it (Ctrl-C where it runs), then install", s.PID)
}

// service is what the unit starts: this very program, with flags that do not depend on where it starts.
func (a *app) service(f agentFlags) (unit.Service, error) {
	program, err := os.Executable()
	if err != nil {
		return unit.Service{}, err
	}
	p, err := a.place()
	if err != nil {
		return unit.Service{}, err
	}
	s := unit.Service{Program: program, Args: []string{"up"}, Log: filepath.Join(p.State, "service.log")}
	if f.relay != "" {
		s.Args = []string{"agent", "--relay", f.relay}
	}
	add := func(flag, value string) {
		if value != "" {
			s.Args = append(s.Args, flag, value)
		}
	}
	if a.state != "" {
		add("--state", p.State)
	}
	if a.socket != "" {
		add("--socket", p.Socket)
	}
	if f.tokenFile != "" {
		if f.tokenFile, err = filepath.Abs(f.tokenFile); err != nil {
			return s, err
		}
	}
	add("--token-file", f.tokenFile)
	add("--app-origin", f.appOrigin)
	add("--name", f.name)
	add("--human", f.human)
	return s, nil
}

// linger asks once whether the service may run without a login: on a machine that one reaches by SSH it must.
func (a *app) linger(ctx context.Context, m unit.Manager, yes bool) {
	lingers, known := m.Lingers(ctx)
	if lingers || !known {
		return
	}
	if !yes && a.InTTY && a.ErrTTY {
		a.Ask("it ends when you log out.  keep it running (loginctl enable-linger)?  y or n: ")
		select {
		case line := <-a.lines():
			yes = strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y")
		case <-ctx.Done():
			a.Say("")
		}
	}
	if !yes {
		a.Say("it ends when you log out; to keep it running: loginctl enable-linger")
		return
	}
	if err := m.Linger(ctx); err != nil {
		a.Say("%s", voice.Line(err.Error()))
		return
	}
	a.Say("it keeps running when you log out")
}

func (a *app) serviceUninstallCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "stop the service and remove its file",
		Args:  nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			m := a.manager()
			removed, err := m.Uninstall(c.Context())
			switch {
			case err != nil:
				return voice.Fail(voice.Failed, "%w", err)
			case !removed:
				return voice.Fail(voice.NoSuch, "there is no service to remove: %s does not exist", a.Path(m.Path()))
			}
			a.Print("the service is stopped and its file removed; the state stays")
			return nil
		},
	}
}

func (a *app) serviceStatusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "say whether the service is installed and runs",
		Args:  nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			m := a.manager()
			if !m.Installed() {
				return voice.Fail(voice.NoSuch, "no service is installed; install it: answerback service install")
			}
			state := m.State(c.Context())
			if asJSON {
				return a.JSON(map[string]string{"file": m.Path(), "state": state})
			}
			a.Print("service  %s     %s", voice.Line(state), a.Path(m.Path()))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one object")
	return c
}
