package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"answerback/agent/device"
	abcrypto "answerback/crypto"
)

// claude is Claude Code in print mode: a permission that nobody gives is denied by Claude Code itself.
type claude struct {
	*world
	program string
}

func (c *claude) version(ctx context.Context) (string, error) {
	out, err := c.command(ctx, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("claude --version: %w", err)
	}
	return strings.Fields(string(out) + " ?")[0], nil
}

func (c *claude) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.program, args...)
	cmd.Dir = c.project
	cmd.Env = append(c.environ(), "ANTHROPIC_BASE_URL="+c.model.url, "ANTHROPIC_API_KEY=none",
		"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
	return cmd
}

func (c *claude) stories() []story {
	const words = "Not there. Use the scratch folder."
	return []story{
		{"doctor reaches the agent through the entry", func(ctx context.Context) error {
			if err := c.answerback(ctx, "install", "claude"); err != nil {
				return err
			}
			return c.answerback(ctx, "doctor")
		}},
		{"an Allow runs the call", func(ctx context.Context) error {
			return c.asks(ctx, true, "", c.taps(device.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaApp}))
		}},
		{"a Deny with words reaches the model", func(ctx context.Context) error {
			return c.asks(ctx, false, words, c.taps(device.Reply{Decision: abcrypto.Deny, Via: abcrypto.ViaApp, Words: words}))
		}},
		{"handed back: Claude Code denies by itself", func(ctx context.Context) error {
			return c.asks(ctx, false, "", c.taps(device.Reply{Decision: abcrypto.HandBack, Via: abcrypto.ViaApp}))
		}},
		{"nobody answers: Claude Code denies by itself", func(ctx context.Context) error {
			if err := c.waits("3s"); err != nil {
				return err
			}
			return c.asks(ctx, false, "", func(context.Context, device.View) error { return nil })
		}},
		{"the agent is killed while it waits: the same", func(ctx context.Context) error {
			err := c.asks(ctx, false, "", func(context.Context, device.View) error { c.killAgent(); return nil })
			return errors.Join(err, c.startAgent(ctx))
		}},
		{"uninstalled: nobody is asked", func(ctx context.Context) error {
			if err := c.answerback(ctx, "uninstall", "claude"); err != nil {
				return err
			}
			return c.asks(ctx, false, "", nil)
		}},
	}
}

// taps answers a card.
func (c *claude) taps(r device.Reply) func(context.Context, device.View) error {
	return func(ctx context.Context, v device.View) error {
		_, err := c.device.Answer(ctx, v.Card.Request, r)
		return err
	}
}

// waits shortens the wait of the entry that the installer wrote.
func (c *claude) waits(d string) error {
	path := filepath.Join(c.project, ".claude", "settings.local.json")
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Replace(string(b), `"--agent"`, `"--wait", "`+d+`", "--agent"`, 1)), 0o644)
}

// asks lets Claude Code make one call, and checks whether it ran and what the model was told. on is what happens when the card is there; nil: no
// card may come.
func (c *claude) asks(ctx context.Context, runs bool, told string, on func(context.Context, device.View) error) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	mark := filepath.Join(c.dir, "made")
	os.Remove(mark)
	c.model.asks("Bash", map[string]string{"command": "touch " + mark, "description": "make a file"})
	cmd := c.command(ctx, "-p", "make the file", "--model", "claude-sonnet-5")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if on == nil {
		return errors.Join(c.nobodyIsAsked(ctx, ended), c.check(mark, runs, told))
	}
	v, err := c.card(ctx)
	if err == nil && !strings.Contains(v.Card.Input, mark) {
		err = fmt.Errorf("the card shows %s", v.Card.Input)
	}
	if err == nil {
		err = on(ctx, v)
	}
	if err != nil {
		cancel()
		return errors.Join(err, <-ended, errors.New(out.String()))
	}
	if err := <-ended; err != nil {
		return fmt.Errorf("it ended with %w: %s", err, out.String())
	}
	return c.check(mark, runs, told)
}

// nobodyIsAsked waits for the end of the program, and wants no card until then.
func (c *claude) nobodyIsAsked(ctx context.Context, ended <-chan error) error {
	watch, stop := context.WithCancel(ctx)
	defer stop()
	came := make(chan bool, 1)
	go func() {
		_, err := c.device.WaitCard(watch, nil)
		came <- err == nil
	}()
	err := <-ended
	stop()
	if <-came {
		err = errors.Join(err, errors.New("a card came"))
	}
	return err
}

func (c *claude) check(mark string, runs bool, told string) error {
	_, err := os.Stat(mark)
	switch ran := err == nil; {
	case ran != runs:
		return fmt.Errorf("the call ran: %v; the model was told %q", ran, c.model.result())
	case !strings.Contains(c.model.result(), told):
		return fmt.Errorf("the model was told %q", c.model.result())
	case c.model.result() == "":
		return errors.New("the model was told nothing")
	case len(openCards(c.device)) > 0:
		return errors.New("a card is still open on the device")
	}
	return nil
}

// openCards waits a little for the cards of a device to end, and returns those that have not.
func openCards(d *device.Device) (open []device.View) {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		open = nil
		for _, v := range d.Cards() {
			if v.Open() {
				open = append(open, v)
			}
		}
		if len(open) == 0 {
			return nil
		}
	}
	return open
}
