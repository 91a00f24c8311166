package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"answerback/cmd/answerback/internal/beside"
	"answerback/cmd/answerback/internal/demo"
	"answerback/cmd/answerback/internal/voice"
)

const demoAbout = `Runs the whole trip on this machine without a phone: real relay, agent and hook
processes, and a device in this program. One line a scenario, with the hops and
their times. It uses a folder and a port of its own.`

func (a *app) demoCommand() *cobra.Command {
	var keep string
	c := &cobra.Command{
		Use:   "demo",
		Short: "run the whole trip here without a phone, hop by hop",
		Long:  demoAbout,
		Args:  nothing,
		RunE:  func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), keep) },
	}
	c.Flags().StringVar(&keep, "keep", "", "`DIR` that its state and logs stay in")
	return c
}

func (a *app) demo(ctx context.Context, keep string) error {
	dir, done, err := demoFolder(keep)
	if err != nil {
		return err
	}
	defer done()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	hook, err := beside.Hook()
	if err != nil {
		return voice.Fail(voice.Failed, "%w", err)
	}
	passed, err := demo.Run(ctx, demo.Options{Program: program, Hook: hook, Dir: dir}, a.showResult)
	switch {
	case ctx.Err() != nil:
		return voice.Fail(voice.Failed, "stopped; %d of %d scenarios had passed", passed, demo.Count())
	case err != nil:
		return voice.Fail(voice.Failed, "%w", err)
	}
	if keep != "" {
		a.Say("state and logs stay in %s", a.Path(dir))
	}
	a.Print("demo: %d of %d", passed, demo.Count())
	if passed < demo.Count() {
		return voice.Silent(voice.Failed)
	}
	return nil
}

// demoFolder is a new folder that goes at the end, or the empty one that the person named.
func demoFolder(keep string) (dir string, done func(), err error) {
	if keep == "" {
		dir, err = os.MkdirTemp("", "answerback-")
		return dir, func() { os.RemoveAll(dir) }, err
	}
	dir, err = filepath.Abs(keep)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", nil, voice.Fail(voice.Failed, "the folder for --keep cannot be made: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, voice.Fail(voice.Failed, "the folder for --keep cannot be read: %w", err)
	}
	if len(entries) > 0 {
		return "", nil, voice.Fail(voice.Failed, "the folder for --keep is not empty, and the demo touches nothing that it did not make; name a new one")
	}
	return dir, func() {}, nil
}

// showResult prints one scenario: its name, then its hops, wrapped in a column of their own on a terminal.
func (a *app) showResult(r demo.Result) {
	mark, text := "ok", strings.Join(r.Hops, ", ")
	if r.Err != nil {
		mark, text = "FAIL", text+": "+r.Err.Error()
	}
	a.printColumn(voice.Pad(mark, 4, false)+"  "+voice.Pad(r.Name, 36, false)+"  ", text)
}
