// Command answerback is the agent, the relay, and what a person says to them from a terminal. Flags and the terminal's voice live here and in
// the packages below it; what is done lies in the other rooms.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"answerback/cmd/answerback/internal/voice"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)) }

// run is the program: the exit code of one command line.
func run(args []string, in, out, errs *os.File, getenv func(string) string) int {
	ctx, stop := signal.NotifyContext(context.Background(), ends()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends it at once
	a := &app{Voice: voice.New(in, out, errs, getenv), getenv: getenv}
	root := a.root()
	root.SetArgs(args)
	return a.End(said(root.ExecuteContext(ctx)))
}

// ends are the signals that end a run cleanly. A hang-up that nohup has turned off stays off.
func ends() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}
