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

	"answerback/agent"
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
			if f.relay != "" && c.Flags().Changed("listen") {
				return voice.Fail(voice.WrongUse, "--relay uses a relay elsewhere, so there is nothing to --listen on; give one of them")
			}
			return a.up(c.Context(), f)
		},
	}
	f.add(c.Flags())
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
	o, err := a.options(ctx, f.agentFlags, url, log)
	if err == nil {
		var ag *agent.Agent
		if ag, err = openAgent(o); err == nil {
			a.start(ctx, start, log, ag, listeners)
			go a.welcome(ctx, ag)
		}
	}
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

func (a *app) start(ctx context.Context, start func(func() error), log *slog.Logger, ag *agent.Agent, listeners []net.Listener) {
	if listeners != nil {
		phoneApp, _ := mobileweb.Files()
		relay := relayserver.New(relayserver.Options{App: phoneApp, Version: version, Log: log})
		start(func() error { return relay.Serve(ctx, listeners...) })
	}
	start(func() error { return runAgent(ctx, ag) })
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
