package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/place"
	"answerback/cmd/answerback/internal/voice"
	"answerback/hook/install"
)

const uninstallAbout = `Takes the hook out of a coding tool's configuration, as it was before where
nothing else has changed since. With --all it takes answerback off this user's
account: the hooks in the user's and in this folder's configurations, the
service and the socket. Keys, devices and log stay, so that it can come back as
it was; --purge removes them too, and then every device must pair anew. The two
programs stay where they are.`

func (a *app) uninstallCommand() *cobra.Command {
	var all, purge bool
	var scope string
	c := &cobra.Command{
		Use:   "uninstall CALLER | --all [--purge]",
		Short: "take a coding tool's hook out, or answerback off this account",
		Long:  uninstallAbout,
		Args:  takes(0, 1, "a caller"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && (all || purge):
				return voice.Fail(voice.WrongUse, "name a caller, or say --all; both is too much")
			case len(args) == 1:
				return a.uninstallCaller(args[0], install.Scope(scope))
			case !all:
				return voice.Fail(voice.WrongUse, "name a caller, or say --all to remove hooks, service and socket, and --purge for keys, devices and log as well")
			}
			return a.uninstall(c.Context(), purge)
		},
	}
	c.Flags().StringVar(&scope, "scope", "", "local, project or user (default: all of them)")
	c.Flags().BoolVar(&all, "all", false, "remove the hooks, the service and the socket")
	c.Flags().BoolVar(&purge, "purge", false, "remove keys, devices and log, too")
	return c
}

func (a *app) uninstall(ctx context.Context, purge bool) error {
	p, err := a.place()
	if err != nil {
		return err
	}
	stays := a.takeOutAll()
	if err := a.removeRest(ctx, p, purge); err != nil {
		return err
	}
	return stays
}

// removeRest removes service and socket, and with purge the state.
func (a *app) removeRest(ctx context.Context, p place.Place, purge bool) error {
	m := a.manager()
	if removed, err := m.Uninstall(ctx); err != nil {
		return voice.Fail(voice.Failed, "%w", err)
	} else if removed {
		a.Print("removed the service: %s", a.Path(m.Path()))
	}
	if s, err := a.status(ctx); err == nil {
		return voice.Fail(voice.Failed, "the agent still runs (pid %d); end it (Ctrl-C where it runs), then again", s.PID)
	} else if !errors.Is(err, control.ErrNotRunning) {
		return err
	}
	if removeSocket(p.Socket) {
		a.Print("removed the socket: %s", a.Path(p.Socket))
	}
	if !purge {
		a.Say("keys, devices and log stay in %s; remove them too: answerback uninstall --all --purge", a.Path(p.State))
		return nil
	}
	return a.purge(p)
}

// takeOutAll takes the hook out of every caller's files. A file that cannot be edited stops nothing else, but
// the command fails in the end.
func (a *app) takeOutAll() error {
	var all error
	for _, name := range install.Callers() {
		_, err := a.takeOut(name, install.Scopes(name))
		all = errors.Join(all, err)
	}
	if all != nil {
		return voice.Fail(voice.Failed, "not every hook could be taken out: %w", all)
	}
	return nil
}

// removeSocket removes what a killed agent left, and its folder when that is empty.
func removeSocket(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeSocket {
		return false
	}
	if os.Remove(path) != nil {
		return false
	}
	if filepath.Base(filepath.Dir(path)) == "answerback" {
		os.Remove(filepath.Dir(path)) // stays when something else lies in it
	}
	return true
}

// ours reports whether a name in the state folder is one that answerback makes. Nothing else is ever removed.
func ours(name string) bool {
	switch name {
	case "lock", "agent.key", "agent.key.new", "chains", "chains.new", "db", "agent.log", "agent.log.1", "service.log", "certs":
		return true
	}
	return strings.HasPrefix(name, "db.v")
}

// purge removes our files from the state folder, and the folder when nothing else is in it. The key goes last: as long as it is there, the
// folder is known for ours.
func (a *app) purge(p place.Place) error {
	key := filepath.Join(p.State, "agent.key")
	if _, err := os.Lstat(key); errors.Is(err, fs.ErrNotExist) {
		a.Say("there is no agent's key in %s, so nothing in it is removed", a.Path(p.State))
		return nil
	}
	unlock, err := lockState(p.State)
	if err != nil {
		return voice.Fail(voice.Failed, "an agent uses %s; end it, then again", a.Path(p.State))
	}
	defer unlock()
	if err := removeOurs(p.State, key); err != nil {
		return voice.Fail(voice.Failed, "not everything could be removed: %w", err)
	}
	if err := os.Remove(p.State); err != nil {
		a.Say("%s stays: something else lies in it", a.Path(p.State))
	}
	a.Print("removed keys, devices and log: %s", a.Path(p.State))
	return nil
}

func removeOurs(dir, last string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !ours(e.Name()) || path == last {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return os.Remove(last)
}
