package unit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Run starts a program of the system and returns what it printed, both streams together.
type Run func(ctx context.Context, name string, args ...string) (output string, err error)

// Manager is the user's service manager.
type Manager struct {
	// OS is "linux" or "darwin", as runtime.GOOS.
	OS string
	// Home is the person's folder, ConfigHome $XDG_CONFIG_HOME (may be empty), UID the user's number.
	Home, ConfigHome string
	UID              int
	Run              Run
}

// ErrForeign says that a file of that name exists and that it is not ours.
var ErrForeign = errors.New("is not ours; move it away first")

// ErrNone says that no service manager answers for this user.
var ErrNone = errors.New("no service manager answers for this user")

// Path is where the unit or the property list lies.
func (m Manager) Path() string {
	if m.OS == "darwin" {
		return filepath.Join(m.Home, "Library", "LaunchAgents", Label+".plist")
	}
	config := m.ConfigHome
	if !filepath.IsAbs(config) {
		config = filepath.Join(m.Home, ".config")
	}
	return filepath.Join(config, "systemd", "user", "answerback.service")
}

// Text is what Path is to hold.
func (m Manager) Text(s Service) (string, error) {
	if m.OS == "darwin" {
		return Launchd(s)
	}
	return Systemd(s)
}

// Check reports ErrNone when services of this user cannot be run here.
func (m Manager) Check(ctx context.Context) error {
	probe := []string{"systemctl", "--user", "show-environment"}
	if m.OS == "darwin" {
		probe = []string{"launchctl", "print", m.domain()}
	}
	if output, err := m.Run(ctx, probe[0], probe[1:]...); err != nil {
		return fmt.Errorf("%w (%s: %s)", ErrNone, probe[0], firstLine(output, err))
	}
	return nil
}

// Install writes the file and starts the service, anew if it runs.
func (m Manager) Install(ctx context.Context, s Service) error {
	text, err := m.Text(s)
	if err != nil {
		return err
	}
	if err := m.Check(ctx); err != nil {
		return err
	}
	if err := write(m.Path(), text); err != nil {
		return err
	}
	if m.OS == "darwin" {
		m.Run(ctx, "launchctl", "bootout", m.domain()+"/"+Label) // fails when it does not run
		return m.each(ctx, []string{"launchctl", "bootstrap", m.domain(), m.Path()})
	}
	return m.each(ctx,
		[]string{"systemctl", "--user", "daemon-reload"},
		[]string{"systemctl", "--user", "enable", "answerback.service"},
		[]string{"systemctl", "--user", "restart", "answerback.service"})
}

// Uninstall stops the service and removes the file. It reports false when there was nothing to remove.
func (m Manager) Uninstall(ctx context.Context) (bool, error) {
	mine, err := ours(m.Path())
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !mine {
		return false, fmt.Errorf("unit: remove service: %s %w", m.Path(), ErrForeign)
	}
	if m.OS == "darwin" {
		m.Run(ctx, "launchctl", "bootout", m.domain()+"/"+Label)
		return true, os.Remove(m.Path())
	}
	// Without a manager there is nothing that runs; the file goes all the same.
	m.Run(ctx, "systemctl", "--user", "disable", "--now", "answerback.service")
	if err := os.Remove(m.Path()); err != nil {
		return false, fmt.Errorf("unit: remove service: %w", err)
	}
	m.Run(ctx, "systemctl", "--user", "daemon-reload")
	return true, nil
}

// Installed reports whether our file is in its place.
func (m Manager) Installed() bool {
	mine, err := ours(m.Path())
	return err == nil && mine
}

// State says in the manager's own word whether the service runs: "active", "failed", "not running" ...
func (m Manager) State(ctx context.Context) string {
	if m.OS == "darwin" {
		output, err := m.Run(ctx, "launchctl", "print", m.domain()+"/"+Label)
		if err != nil {
			return "not loaded"
		}
		for line := range strings.Lines(output) {
			if state, ok := strings.CutPrefix(strings.TrimSpace(line), "state = "); ok {
				return state
			}
		}
		return "loaded"
	}
	output, err := m.Run(ctx, "systemctl", "--user", "is-active", "answerback.service")
	return firstLine(output, err)
}

// Lingers reports whether the user's services run while the user is not logged in; known is false where nothing can tell.
func (m Manager) Lingers(ctx context.Context) (lingers, known bool) {
	if m.OS == "darwin" {
		return false, false
	}
	output, err := m.Run(ctx, "loginctl", "show-user", strconv.Itoa(m.UID), "--property=Linger")
	value, ok := strings.CutPrefix(strings.TrimSpace(output), "Linger=")
	return value == "yes", err == nil && ok
}

// Linger lets the user's services run from boot on.
func (m Manager) Linger(ctx context.Context) error {
	return m.each(ctx, []string{"loginctl", "enable-linger"})
}

func (m Manager) domain() string { return "gui/" + strconv.Itoa(m.UID) }

func (m Manager) each(ctx context.Context, commands ...[]string) error {
	for _, c := range commands {
		if output, err := m.Run(ctx, c[0], c[1:]...); err != nil {
			return fmt.Errorf("unit: run %s: %s", strings.Join(c, " "), firstLine(output, err))
		}
	}
	return nil
}

func firstLine(output string, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	if line == "" && err != nil {
		return err.Error()
	}
	return line
}

func ours(path string) (bool, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	return strings.Contains(string(b), Mark), nil
}

// write replaces our own file whole, and nobody else's.
func write(path, text string) error {
	mine, err := ours(path)
	if err == nil && !mine {
		return fmt.Errorf("unit: write service: %s %w", path, ErrForeign)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("unit: write service: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("unit: write service: %w", err)
	}
	temp := path + ".new"
	if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
		return fmt.Errorf("unit: write service: %w", err)
	}
	return os.Rename(temp, path)
}
