package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"answerback/agent"
	"answerback/cmd/answerback/internal/voice"
)

// agentFlags are what `up` and `agent` have in common.
type agentFlags struct {
	relay, tokenFile, appOrigin, name, human string
}

func (f *agentFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.relay, "relay", "", "`URL` of a relay elsewhere, like https://relay.example.org")
	flags.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the access token of a private relay")
	flags.StringVar(&f.appOrigin, "app-origin", "", "`ORIGIN` that serves the phone app, where it is not the relay")
	flags.StringVar(&f.name, "name", "", "what devices call this agent (default: the host's `NAME`)")
	flags.StringVar(&f.human, "human", "", "`WHO` the calls are asked for (default: git's user.email)")
}

// options makes the agent's options; relay is used where no --relay was given.
func (a *app) options(ctx context.Context, f agentFlags, relay string, log *slog.Logger) (agent.Options, error) {
	p, err := a.place()
	if err != nil {
		return agent.Options{}, err
	}
	o := agent.Options{State: p.State, Socket: p.Socket, Name: f.name, RelayURL: relay, AppOrigin: f.appOrigin, Human: f.human, Version: version, Log: log}
	if f.relay != "" {
		o.RelayURL = f.relay
	}
	if f.tokenFile != "" {
		if o.RelayToken, err = readToken(f.tokenFile); err != nil {
			return o, err
		}
	}
	if o.Human == "" {
		o.Human = gitEmail(ctx)
	}
	return o, nil
}

// gitEmail is who commits here, if git knows.
func gitEmail(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", "config", "--global", "--get", "user.email").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// leastToken is the shortest token that is no invitation to guess.
const leastToken = 16

// readToken reads an access token from a file that nobody else can read.
func readToken(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", voice.Fail(voice.Failed, "there is no token file %s; make one: (umask 077; head -c 24 /dev/urandom | base64 > %s)", path, path)
	}
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", voice.Fail(voice.Refused, "%s is open to others (mode %04o); run: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if len(token) < leastToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", voice.Fail(voice.Refused, "the token in %s is too short or not one word; make one: head -c 24 /dev/urandom | base64", path)
	}
	return token, nil
}

// openAgent takes the state folder; its errors are sentences.
func openAgent(o agent.Options) (*agent.Agent, error) {
	ag, err := agent.Open(o)
	if err != nil {
		return nil, voice.Fail(voice.Failed, "%w", err)
	}
	return ag, nil
}

// endWithin is how long an agent may take to end: its store waits without end for a disk that is full or gone.
const endWithin = 15 * time.Second

// runAgent runs until ctx ends, and a little longer for a clean end.
func runAgent(ctx context.Context, ag *agent.Agent) error {
	ended := make(chan error, 1)
	go func() { ended <- ag.Run(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(endWithin):
		return voice.Fail(voice.Failed, "the agent did not end in time and was cut off; what it wrote before is safe. is the disk of its state folder full?")
	}
}

// logTo writes the agent's own lines.
func logTo(w interface{ Write([]byte) (int, error) }) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelInfo}))
}
