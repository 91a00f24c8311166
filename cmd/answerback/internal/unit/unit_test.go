package unit

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var up = Service{Program: "/home/dev/bin/answerback", Args: []string{"up"}, Log: "/home/dev/.local/state/answerback/agent.log"}

func TestSystemdUnit(t *testing.T) {
	got, err := Systemd(up)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# " + Mark + "\n", "ExecStart=\"/home/dev/bin/answerback\" \"up\"\n", "Restart=on-failure\n", "WantedBy=default.target\n", "UMask=0077\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the unit lacks %q:\n%s", want, got)
		}
	}
}

func TestSystemdQuoting(t *testing.T) {
	got, err := Systemd(Service{Program: `/home/dev/my "tools"/100%/answer$back`, Args: []string{"up", "--state", `/a b\c`}})
	if err != nil {
		t.Fatal(err)
	}
	want := `ExecStart="/home/dev/my \"tools\"/100%%/answer$$back" "up" "--state" "/a b\\c"`
	if !strings.Contains(got, want+"\n") {
		t.Errorf("got\n%s\nwant %s", got, want)
	}
}

func TestNoLineCanBeAddedToAUnit(t *testing.T) {
	for _, bad := range []string{"/tmp/a\nExecStartPre=/bin/sh", "/tmp/\x1b[2J", "/tmp/a\rb", "/tmp/\x00"} {
		if text, err := Systemd(Service{Program: bad}); err == nil {
			t.Errorf("%q was written: %s", bad, text)
		}
		if text, err := Systemd(Service{Program: "/bin/x", Args: []string{bad}}); err == nil {
			t.Errorf("%q was written: %s", bad, text)
		}
	}
}

func TestLaunchdListIsXML(t *testing.T) {
	s := Service{Program: "/Users/dev/a&b/<answerback>", Args: []string{"agent", "--relay", "https://relay.example.org/?a=\"b\""}, Log: "/Users/dev/log"}
	text, err := Launchd(s)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = true
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not XML: %v\n%s", err, text)
		}
		if data, ok := token.(xml.CharData); ok && strings.TrimSpace(string(data)) != "" {
			values = append(values, string(data))
		}
	}
	all := strings.Join(values, "\n")
	for _, want := range append([]string{Label, s.Program, s.Log}, s.Args...) {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not a value of the list: %q", want, values)
		}
	}
}

// system plays the machine's commands.
type system struct {
	ran   []string
	fails map[string]string // first words -> what it prints
	says  map[string]string
}

func (s *system) run(_ context.Context, name string, args ...string) (string, error) {
	line := strings.Join(append([]string{name}, args...), " ")
	s.ran = append(s.ran, line)
	for start, output := range s.fails {
		if strings.HasPrefix(line, start) {
			return output, errors.New("exit status 1")
		}
	}
	for start, output := range s.says {
		if strings.HasPrefix(line, start) {
			return output, nil
		}
	}
	return "", nil
}

func manager(t *testing.T, system *system, os string) Manager {
	return Manager{OS: os, Home: t.TempDir(), UID: 1000, Run: system.run}
}

func TestInstallOnLinux(t *testing.T) {
	s := &system{}
	m := manager(t, s, "linux")
	if m.Installed() {
		t.Error("it is installed before")
	}
	if err := m.Install(t.Context(), up); err != nil {
		t.Fatal(err)
	}
	want := []string{"systemctl --user show-environment", "systemctl --user daemon-reload", "systemctl --user enable answerback.service", "systemctl --user restart answerback.service"}
	if strings.Join(s.ran, "\n") != strings.Join(want, "\n") {
		t.Errorf("ran %q", s.ran)
	}
	if b, _ := os.ReadFile(filepath.Join(m.Home, ".config/systemd/user/answerback.service")); !strings.Contains(string(b), "ExecStart=") || !m.Installed() {
		t.Errorf("the unit holds %q", b)
	}
	if err := m.Install(t.Context(), up); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestInstallOnMacOS(t *testing.T) {
	s := &system{fails: map[string]string{"launchctl bootout": "Boot-out failed: 3: No such process"}}
	m := manager(t, s, "darwin")
	if err := m.Install(t.Context(), up); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(m.Home, "Library/LaunchAgents/answerback.agent.plist")
	if last := s.ran[len(s.ran)-1]; last != "launchctl bootstrap gui/1000 "+path {
		t.Errorf("ran %q", s.ran)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestNothingIsWrittenWithoutAManager(t *testing.T) {
	for _, goos := range []string{"linux", "darwin"} {
		s := &system{fails: map[string]string{"systemctl": "Failed to connect to bus: No medium found\nmore", "launchctl": "Could not find domain"}}
		m := manager(t, s, goos)
		err := m.Install(t.Context(), up)
		if !errors.Is(err, ErrNone) || strings.Contains(err.Error(), "more") {
			t.Errorf("%s: %v", goos, err)
		}
		if _, err := os.Stat(m.Path()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a file was written", goos)
		}
	}
}

func TestAForeignFileIsLeftAlone(t *testing.T) {
	s := &system{}
	m := manager(t, s, "linux")
	os.MkdirAll(filepath.Dir(m.Path()), 0o755)
	os.WriteFile(m.Path(), []byte("[Service]\nExecStart=/mine\n"), 0o644)
	if err := m.Install(t.Context(), up); !errors.Is(err, ErrForeign) {
		t.Errorf("install: %v", err)
	}
	if removed, err := m.Uninstall(t.Context()); removed || !errors.Is(err, ErrForeign) {
		t.Errorf("uninstall: %v, %v", removed, err)
	}
	if b, _ := os.ReadFile(m.Path()); !strings.Contains(string(b), "/mine") || m.Installed() {
		t.Errorf("it now holds %q", b)
	}
}

func TestAFailedStartIsSaid(t *testing.T) {
	s := &system{fails: map[string]string{"systemctl --user restart": "Job failed."}}
	err := manager(t, s, "linux").Install(t.Context(), up)
	if err == nil || !strings.Contains(err.Error(), "systemctl --user restart answerback.service: Job failed.") {
		t.Errorf("got %v", err)
	}
}

func TestUninstall(t *testing.T) {
	for _, goos := range []string{"linux", "darwin"} {
		m := manager(t, &system{}, goos)
		if removed, err := m.Uninstall(t.Context()); removed || err != nil {
			t.Errorf("%s: nothing was there, and %v, %v", goos, removed, err)
		}
		if err := m.Install(t.Context(), up); err != nil {
			t.Fatal(err)
		}
		if removed, err := m.Uninstall(t.Context()); !removed || err != nil {
			t.Errorf("%s: %v, %v", goos, removed, err)
		}
		if _, err := os.Stat(m.Path()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the file is still there", goos)
		}
	}
}

func TestState(t *testing.T) {
	s := &system{says: map[string]string{"systemctl --user is-active": "active\n", "launchctl print": "x = {\n\tstate = running\n}"}}
	if got := manager(t, s, "linux").State(t.Context()); got != "active" {
		t.Errorf("linux: %q", got)
	}
	if got := manager(t, s, "darwin").State(t.Context()); got != "running" {
		t.Errorf("macOS: %q", got)
	}
	down := &system{fails: map[string]string{"systemctl": "inactive", "launchctl": "no such"}}
	if got := manager(t, down, "linux").State(t.Context()); got != "inactive" {
		t.Errorf("linux: %q", got)
	}
	if got := manager(t, down, "darwin").State(t.Context()); got != "not loaded" {
		t.Errorf("macOS: %q", got)
	}
}

func TestLingers(t *testing.T) {
	for output, want := range map[string][2]bool{"Linger=yes\n": {true, true}, "Linger=no\n": {false, true}, "": {false, false}} {
		s := &system{says: map[string]string{"loginctl": output}}
		if lingers, known := manager(t, s, "linux").Lingers(t.Context()); lingers != want[0] || known != want[1] {
			t.Errorf("%q: %v, %v", output, lingers, known)
		}
	}
	if _, known := manager(t, &system{}, "darwin").Lingers(t.Context()); known {
		t.Error("macOS has no lingering")
	}
}
