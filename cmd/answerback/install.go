package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"answerback/agent/card"
	"answerback/cmd/answerback/internal/beside"
	"answerback/cmd/answerback/internal/voice"
	"answerback/hook/install"
)

const installAbout = `Writes the hook into a coding tool's own configuration, shows what it changes,
and keeps the file as it was beside it. Without CALLER it lists the tools that
it finds here. The scopes: local (this project, you alone), project (this
project, everybody), user (every project of yours).`

func (a *app) installCommand() *cobra.Command {
	var scope string
	var dry bool
	c := &cobra.Command{
		Use:   "install [CALLER]",
		Short: "let a coding tool ask your devices",
		Long:  installAbout,
		Args:  takes(0, 1, "a caller"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.offerCallers()
			}
			return a.install(c.Context(), args[0], install.Scope(scope), dry)
		},
	}
	c.Flags().StringVar(&scope, "scope", "", "local, project or user (default: the narrowest that the tool has)")
	c.Flags().BoolVar(&dry, "dry-run", false, "show the change and write nothing")
	return c
}

// offerCallers lists the callers whose program is on the path.
func (a *app) offerCallers() error {
	var found []string
	for _, name := range install.Callers() {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		a.Say("none of %s is on your PATH; name the one that you use: answerback install CALLER", strings.Join(install.Callers(), ", "))
		return nil
	}
	for _, name := range found {
		a.Print("%s", name)
	}
	a.Say("next: answerback install %s", found[0])
	return nil
}

// hookOptions says where hook, socket and home lie.
func (a *app) hookOptions() (install.Options, error) {
	p, err := a.place()
	if err != nil {
		return install.Options{}, err
	}
	hook, err := beside.Hook()
	if err != nil {
		return install.Options{}, voice.Fail(voice.Failed, "%w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return install.Options{}, voice.Fail(voice.Failed, "your home folder is not known: %w", err)
	}
	folder, err := os.Getwd()
	if err != nil {
		return install.Options{}, voice.Fail(voice.Failed, "this folder is not known: %w", err)
	}
	return install.Options{Hook: hook, Socket: p.Socket, UID: os.Getuid(), Home: home, Folder: folder, Getenv: a.getenv}, nil
}

func (a *app) install(ctx context.Context, name string, scope install.Scope, dry bool) error {
	if scopes := install.Scopes(name); scope == "" && len(scopes) > 0 {
		scope = scopes[0]
	}
	o, err := a.hookOptions()
	if err != nil {
		return err
	}
	plan, err := install.Add(name, scope, o)
	if err != nil {
		return planFailed(err)
	}
	if !plan.Changed() {
		a.Print("%s asks your devices already: %s", name, a.Path(plan.Path))
		return nil
	}
	if dry {
		a.change(plan)
		return nil
	}
	if err := a.needDevice(ctx); err != nil {
		return err
	}
	a.change(plan)
	if err := plan.Apply(); err != nil {
		return voice.Fail(voice.Failed, "%w", err)
	}
	a.Say("wrote %s; take it out again: answerback uninstall %s", a.Path(plan.Path), name)
	for _, line := range voice.Wrap(plan.Note, 80) {
		a.Say("%s", line)
	}
	return nil
}

// change prints a plan's difference.
func (a *app) change(p install.Plan) {
	for line := range strings.Lines(p.Diff()) {
		a.Print("%s", voice.Line(strings.TrimRight(line, "\r\n")))
	}
}

// needDevice refuses to install what nobody could answer.
func (a *app) needDevice(ctx context.Context) error {
	devices, err := a.devices(ctx)
	if err != nil {
		return err
	}
	for _, d := range devices {
		if d.Active && d.Role == string(card.Approver) {
			return nil
		}
	}
	return voice.Fail(voice.Failed, "no device is paired that may answer, so nobody could; pair one first: answerback pair")
}

func planFailed(err error) error {
	if errors.Is(err, install.ErrScope) {
		return voice.Fail(voice.WrongUse, "%w", err)
	}
	return voice.Fail(voice.Failed, "%w", err)
}

// uninstallCaller takes the hook out of a caller's files: of one scope, or of all.
func (a *app) uninstallCaller(name string, scope install.Scope) error {
	scopes := []install.Scope{scope}
	if scope == "" {
		scopes = install.Scopes(name)
	}
	if len(scopes) == 0 {
		return voice.Fail(voice.Failed, "there is no installer for %s; there is one for %s", visible(name), strings.Join(install.Callers(), ", "))
	}
	found, err := a.takeOut(name, scopes)
	if err == nil && !found {
		a.Print("%s has no hook of answerback here", name)
	}
	return err
}

// takeOut reports whether there was a hook to take out.
func (a *app) takeOut(name string, scopes []install.Scope) (found bool, err error) {
	o, err := a.hookOptions()
	if err != nil {
		return false, err
	}
	for _, s := range scopes {
		plan, err := install.Remove(name, s, o)
		if err == nil {
			err = plan.Apply()
		}
		if err != nil {
			return found, planFailed(err)
		}
		if plan.Changed() {
			found = true
			a.Print("removed the hook of %s: %s", name, a.Path(plan.Path))
		}
	}
	return found, nil
}
