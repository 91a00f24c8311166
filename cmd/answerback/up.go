package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/logfile"
	"answerback/cmd/answerback/internal/ports"
	"answerback/cmd/answerback/internal/voice"
	mobileweb "answerback/mobile-web"
	"answerback/relay/relayserver"
)

const upAbout = `Starts relay and agent on this machine, in one process, and shows how to pair.
The relay listens on localhost, port 7380, and on no other port by itself: a
device's keys belong to the address that it was paired from. With --relay URL
it uses a relay elsewhere, and a phone can reach it. Ctrl-C ends it.`

// upFlags are what `up` alone has.
type upFlags struct {
	agentFlags
	pushFlags
	listen string
}

func (a *app) upCommand() *cobra.Command {
	var f upFlags
	c := &cobra.Command{
		Use:   "up [--relay URL]",
		Short: "start relay and agent here, and pair",
		Long:  upAbout,
		Args:  nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, own := range []string{"listen", "contact", "push-host"} {
				if f.relay != "" && c.Flags().Changed(own) {
					return voice.Fail(voice.WrongUse, "--relay uses a relay elsewhere, and --%s is for a relay here; give one of them", own)
				}
			}
			if _, err := f.subject(nil); err != nil {
				return err
			}
			return a.up(c.Context(), f)
		},
	}
	f.agentFlags.add(c.Flags())
	f.pushFlags.add(c.Flags())
	c.Flags().StringVar(&f.listen, "listen", "localhost:7380", "`ADDR` that the relay of this machine listens on")
	return c
}

func (a *app) up(ctx context.Context, f upFlags) error {
	running, err := a.status(ctx)
	switch {
	case err == nil:
		a.showRunning(running)
		return nil
	case !errors.Is(err, control.ErrNotRunning):
		return err
	}
	var listeners []net.Listener
	var url string
	if f.relay == "" {
		if listeners, err = ports.Listen(f.listen); err != nil {
			return portTrouble(ctx, f.listen, err)
		}
		url = ports.URL(f.listen, listeners)
	}
	return a.serve(ctx, f, url, listeners)
}

// serve runs agent and, with listeners, relay until ctx ends or one of them fails.
func (a *app) serve(ctx context.Context, f upFlags, url string, listeners []net.Listener) error {
	// The relay answers before the agent dials it.
	ctx, end := context.WithCancel(ctx)
	defer end()
	log, closeLog, err := a.ownLog()
	if err != nil {
		return err
	}
	defer closeLog()
	parts := make(chan error, 2)
	running := 0
	start := func(run func() error) {
		running++
		go func() { parts <- run() }()
	}
	err = a.start(ctx, f, url, listeners, log, start)
	if running == 0 {
		for _, l := range listeners {
			l.Close()
		}
		return err
	}
	for ; running > 0; running-- {
		err = errors.Join(err, <-parts)
		end() // the first part that ends, ends the other
	}
	return err
}

// start opens agent and relay, and then starts both.
func (a *app) start(ctx context.Context, f upFlags, url string, listeners []net.Listener, log *slog.Logger, start func(func() error)) error {
	o, err := a.options(ctx, f.agentFlags, url, log)
	if err != nil {
		return err
	}
	var own *relayserver.Server
	if listeners != nil {
		if own, err = a.ownRelay(f.pushFlags, log); err != nil {
			return err
		}
	}
	ag, err := openAgent(o)
	if err != nil {
		return err
	}
	if own != nil {
		start(func() error { return own.Serve(ctx, listeners...) })
	}
	start(func() error { return runAgent(ctx, ag) })
	go a.welcome(ctx, ag)
	return nil
}

// ownRelay is the relay of this machine. Its pushes reach the browsers of this machine, too.
func (a *app) ownRelay(f pushFlags, log *slog.Logger) (*relayserver.Server, error) {
	push, err := a.pusher(f, nil, log)
	if err != nil {
		return nil, err
	}
	phoneApp, _ := mobileweb.Files()
	return relayserver.New(relayserver.Options{App: phoneApp, Push: push, Version: version, Log: log}), nil
}

// ownLog opens DIR/agent.log: nobody watches stderr of a program that greets and pairs there.
func (a *app) ownLog() (*slog.Logger, func() error, error) {
	p, err := a.place()
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		return nil, nil, fmt.Errorf("the state folder cannot be made: %w", err)
	}
	file, err := logfile.Open(filepath.Join(p.State, "agent.log"))
	if err != nil {
		return nil, nil, err
	}
	return logTo(file), file.Close, nil
}

// portTrouble says who has the port.
func portTrouble(ctx context.Context, address string, err error) error {
	var used ports.InUse
	if !errors.As(err, &used) {
		return voice.Fail(voice.Failed, "%w", err)
	}
	who := "another program"
	if isRelay(ctx, "http://"+used.Address, time.Second) {
		who = "a relay of answerback (another user's, or of another state folder)"
	}
	return voice.Fail(voice.Failed, "%s listens on %s; stop it, or use it: answerback up --relay http://%s, or take another port for good: answerback up --listen localhost:7381",
		who, used.Address, address)
}

// isRelay asks what listens there whether it is a relay of ours.
func isRelay(ctx context.Context, url string, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/healthz", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusServiceUnavailable
}
