package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/beside"
	"answerback/hook/install"
)

const build = "0123456789abcdef"

// app is a phone app as it lies in the program.
func app() fstest.MapFS {
	return fstest.MapFS{
		"index.html":    {Data: []byte("<!doctype html>")},
		"sw.js":         {Data: []byte("// worker")},
		"assets/app.js": {Data: []byte("// app")},
		"build.txt":     {Data: []byte(build + "\n")},
	}
}

// site is a relay as doctor sees one.
type site struct {
	health int
	info   string
	files  fs.FS
	date   time.Time
}

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.date.IsZero() {
		w.Header().Set("Date", s.date.UTC().Format(http.TimeFormat))
	}
	switch r.URL.Path {
	case "/healthz":
		w.WriteHeader(s.health)
	case "/v1/info":
		w.Write([]byte(s.info))
	default:
		http.FileServerFS(s.files).ServeHTTP(w, r)
	}
}

// well is a machine on which all is well; change says what is not.
func well(t *testing.T, change func(*Machine, *control.Status, *site)) Machine {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agent.key"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &site{health: http.StatusNoContent, info: `{"app":"` + build + `"}`, files: app()}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	status := control.Status{Name: "studio", Version: "1", Started: time.Now().Add(-3 * time.Hour).UnixMilli(), State: dir, Socket: "/run/x.sock",
		Relay: server.URL, AppOrigin: server.URL, Connected: true, MemoryBytes: 19_000_000}
	m := Machine{
		Status: func(context.Context) (control.Status, error) { return status, nil },
		Devices: func(context.Context) ([]control.Device, error) {
			return []control.Device{{ID: "d1", Name: "Pixel 9", Platform: "Android", Role: "approver", Active: true, Online: true}}, nil
		},
		State: dir, HTTP: server.Client(), App: app(), Build: build, Version: "1", Now: time.Now,
		Hook: func() (string, error) { return "/opt/answerback-hook", nil },
		Run:  reply(`{"decision":"deny","reason":"answerback doctor: this probe reached the agent"}`, 0),
		Installed: func() []install.Entry {
			return []install.Entry{{Caller: "claude", Scope: install.Local, Path: "/home/dev/project/.claude/settings.local.json", Words: []string{"/opt/answerback-hook"}}}
		},
	}
	if change != nil {
		change(&m, &status, s)
	}
	return m
}

func reply(stdout string, exit int) func(context.Context, string, []byte, ...string) (beside.Result, error) {
	return func(context.Context, string, []byte, ...string) (beside.Result, error) {
		return beside.Result{Exit: exit, Stdout: []byte(stdout), Took: 3 * time.Millisecond}, nil
	}
}

// find looks for a row of that level and name that says text.
func find(rows []Row, level Level, name, text string) bool {
	for _, r := range rows {
		if r.Level == level && r.Name == name && strings.Contains(r.Text, text) {
			return true
		}
	}
	return false
}

func TestAllIsWell(t *testing.T) {
	rows := well(t, nil).Examine(t.Context())
	for _, r := range rows {
		if r.Level != OK {
			t.Errorf("%+v", r)
		}
	}
	for name, text := range map[string]string{"agent": "studio, 3 h up, 19 MB", "relay": "(checked: app hash matches)", "device": "Pixel 9",
		"state": "yours alone", "hook": "/opt/answerback-hook", "probe": "was denied (probe)"} {
		if !find(rows, OK, name, text) {
			t.Errorf("no row %s says %q: %+v", name, text, rows)
		}
	}
}

func TestEachFaultIsSaid(t *testing.T) {
	type change = func(*Machine, *control.Status, *site)
	for name, tt := range map[string]struct {
		change     change
		level      Level
		part, text string
	}{
		"another version":  {func(_ *Machine, s *control.Status, _ *site) { s.Version = "0" }, Warn, "agent", "restart the agent"},
		"trouble":          {func(_ *Machine, s *control.Status, _ *site) { s.Trouble = "the disk is full" }, Warn, "agent", "the disk is full"},
		"clock trouble":    {func(_ *Machine, s *control.Status, _ *site) { s.ClockTrouble = "it jumped" }, Warn, "clock", "it jumped"},
		"relay away":       {func(_ *Machine, s *control.Status, _ *site) { s.Relay = "http://127.0.0.1:1" }, Fail, "relay", "is not reached"},
		"no relay of ours": {func(_ *Machine, _ *control.Status, r *site) { r.health = 404 }, Fail, "relay", "status 404"},
		"relay drains":     {func(_ *Machine, _ *control.Status, r *site) { r.health = 503 }, Warn, "relay", "about to stop"},
		"not connected":    {func(_ *Machine, s *control.Status, _ *site) { s.Connected, s.Devices = false, 1 }, Fail, "relay", "not connected"},
		"no info":          {func(_ *Machine, _ *control.Status, r *site) { r.info = "<html>" }, Warn, "relay", "does not say"},
		"older app":        {func(_ *Machine, _ *control.Status, r *site) { r.info = `{"app":"old"}` }, Warn, "relay", "app build old"},
		"no app":           {func(_ *Machine, _ *control.Status, r *site) { r.info = `{"app":""}` }, Warn, "relay", "app build none"},
		"changed app": {func(_ *Machine, _ *control.Status, r *site) {
			files := app()
			files["assets/app.js"] = &fstest.MapFile{Data: []byte("// sends your key away")}
			r.files = files
		}, Fail, "relay", "assets/app.js differs"},
		"app lost a file": {func(_ *Machine, _ *control.Status, r *site) {
			files := app()
			delete(files, "sw.js")
			r.files = files
		}, Fail, "relay", "sw.js differs"},
		"clock behind": {func(_ *Machine, _ *control.Status, r *site) { r.date = time.Now().Add(time.Hour) }, Warn, "clock", "behind the relay"},
		"clock ahead":  {func(_ *Machine, _ *control.Status, r *site) { r.date = time.Now().Add(-time.Hour) }, Warn, "clock", "ahead of the relay"},
		"no device":    {func(m *Machine, _ *control.Status, _ *site) { m.Devices = devices() }, Warn, "device", "answerback pair"},
		"same machine": {func(m *Machine, _ *control.Status, _ *site) {
			m.Devices = devices(control.Device{Name: "Firefox", Active: true, SameMachine: true})
		}, Note, "device", "on this machine"},
		"not finished": {func(m *Machine, _ *control.Status, _ *site) { m.Devices = devices(control.Device{ID: "d7", Name: "x"}) }, Warn, "device", "revoke d7"},
		"silent": {func(m *Machine, _ *control.Status, _ *site) {
			m.Devices = devices(control.Device{Name: "x", Active: true, LastSeen: time.Now().Add(-30 * 24 * time.Hour).UnixMilli()})
		}, Warn, "device", "30 days ago"},
		"devices unreadable": {func(m *Machine, _ *control.Status, _ *site) {
			m.Devices = func(context.Context) ([]control.Device, error) { return nil, errors.New("cut off") }
		}, Fail, "device", "cut off"},
		"no hook":          {func(m *Machine, _ *control.Status, _ *site) { m.Hook = noHook }, Fail, "hook", "install both binaries"},
		"probe silent":     {func(m *Machine, _ *control.Status, _ *site) { m.Run = reply("", 0) }, Fail, "probe", "no verdict"},
		"probe allowed":    {func(m *Machine, _ *control.Status, _ *site) { m.Run = reply(`{"decision":"allow"}`, 0) }, Fail, "probe", "not the agent's"},
		"another deny":     {func(m *Machine, _ *control.Status, _ *site) { m.Run = reply(`{"decision":"deny","reason":"x"}`, 0) }, Fail, "probe", "not the agent's"},
		"probe exits 1":    {func(m *Machine, _ *control.Status, _ *site) { m.Run = reply("", 1) }, Fail, "probe", "exit 1"},
		"probe junk":       {func(m *Machine, _ *control.Status, _ *site) { m.Run = reply("junk", 0) }, Fail, "probe", "not the agent's"},
		"hook not started": {func(m *Machine, _ *control.Status, _ *site) { m.Run = broken }, Fail, "probe", "did not run"},
	} {
		if rows := well(t, tt.change).Examine(t.Context()); !find(rows, tt.level, tt.part, tt.text) {
			t.Errorf("%s: no %s row %s says %q: %+v", name, tt.level, tt.part, tt.text, rows)
		}
	}
}

func devices(list ...control.Device) func(context.Context) ([]control.Device, error) {
	return func(context.Context) ([]control.Device, error) { return list, nil }
}

func noHook() (string, error) {
	return "", errors.New("there is no answerback-hook; install both binaries")
}

func broken(context.Context, string, []byte, ...string) (beside.Result, error) {
	return beside.Result{}, errors.New("/opt/answerback-hook did not run: exec format error")
}

func TestWithoutAgentTheRestIsStillLookedAt(t *testing.T) {
	m := well(t, func(m *Machine, _ *control.Status, _ *site) {
		m.Status = func(context.Context) (control.Status, error) { return control.Status{}, control.ErrNotRunning }
	})
	rows := m.Examine(t.Context())
	if !find(rows, Fail, "agent", "answerback up") || !find(rows, OK, "state", "yours") || !find(rows, OK, "hook", "/opt") || len(rows) != 3 {
		t.Errorf("%+v", rows)
	}
}

func TestStateOpenToOthers(t *testing.T) {
	m := well(t, nil)
	os.Chmod(filepath.Join(m.State, "agent.key"), 0o640)
	if rows := m.state(m.State); !find(rows, Fail, "state", "chmod go= ") {
		t.Errorf("%+v", rows)
	}
	os.Chmod(m.State, 0o755)
	if rows := m.state(m.State); !find(rows, Fail, "state", "chmod 700 ") {
		t.Errorf("%+v", rows)
	}
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	if rows := m.state(file); !find(rows, Fail, "state", "no folder") {
		t.Errorf("%+v", rows)
	}
	if rows := m.state(filepath.Join(t.TempDir(), "none")); !find(rows, Note, "state", "not there yet") {
		t.Errorf("%+v", rows)
	}
}

func TestTheProbeIsMarkedAsOne(t *testing.T) {
	var got []string
	m := well(t, func(m *Machine, _ *control.Status, _ *site) {
		m.Installed = func() []install.Entry { return nil }
		m.Run = func(_ context.Context, _ string, _ []byte, args ...string) (beside.Result, error) {
			got = args
			return beside.Result{}, nil
		}
	})
	m.Examine(t.Context())
	if line := strings.Join(got, " "); !strings.Contains(line, " --probe ") || !strings.Contains(line, "--socket /run/x.sock") {
		t.Errorf("the hook was started with %q", line)
	}
}

// TestB026_TheHookBinary: missing, moved and not executable each fail loudly, by the real look at the disk.
func TestB026_TheHookBinary(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, beside.Name)
	m := well(t, func(m *Machine, _ *control.Status, _ *site) {
		m.Hook = func() (string, error) { return beside.In(dir) }
		m.Run = beside.Run
	})
	if rows := m.Examine(t.Context()); !find(rows, Fail, "hook", "there is no answerback-hook") {
		t.Errorf("missing: %+v", rows)
	}
	os.WriteFile(path, []byte("#!/bin/sh\necho '{\"decision\":\"deny\",\"reason\":\"probe\"}'\n"), 0o644)
	if rows := m.Examine(t.Context()); !find(rows, Fail, "hook", "chmod +x") {
		t.Errorf("not executable: %+v", rows)
	}
	os.Chmod(path, 0o755)
	if rows := m.Examine(t.Context()); !find(rows, OK, "hook", path) || !find(rows, OK, "probe", "live call") {
		t.Errorf("in its place: %+v", rows)
	}
	os.Rename(path, path+".moved")
	if rows := m.Examine(t.Context()); !find(rows, Fail, "hook", "there is no answerback-hook") {
		t.Errorf("moved: %+v", rows)
	}
}

// Every entry in a caller's file is probed as the caller starts it; what does not reach the agent fails.
func TestCallers(t *testing.T) {
	entry := install.Entry{Caller: "codex", Scope: install.User, Path: "/home/dev/.codex/hooks.json", Words: []string{"/opt/answerback-hook", "--agent", "codex"}, Sample: []byte(`{}`)}
	denied := `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"answerback doctor: this probe reached the agent, which denied it."}}}`
	faulty := entry
	faulty.Fault = "it starts another hook"
	unread := install.Entry{Caller: "codex", Fault: "it cannot be read"}
	for what, c := range map[string]struct {
		entry install.Entry
		out   string
		exit  int
		want  Level
	}{
		"reaches the agent": {entry, denied, 0, OK}, "silence": {entry, "", 0, Fail}, "another's denial": {entry, `{"behavior":"deny"}`, 0, Fail},
		"an Allow with the mark": {entry, `{"decision":"allow","x":"answerback doctor: this probe reached the agent"}`, 0, Fail}, "exit 1": {entry, denied, 1, Fail}, "a fault": {faulty, denied, 0, Fail}, "a file that cannot be read": {unread, denied, 0, Warn},
	} {
		var args []string
		m := Machine{Installed: func() []install.Entry { return []install.Entry{c.entry} }}
		m.Run = func(_ context.Context, path string, stdin []byte, a ...string) (beside.Result, error) {
			args = append([]string{path}, a...)
			return beside.Result{Exit: c.exit, Stdout: []byte(c.out)}, nil
		}
		rows := m.callers(t.Context())
		if len(rows) != 1 || rows[0].Level != c.want || rows[0].Name != "codex" || rows[0].Text == "" {
			t.Errorf("%s: %+v", what, rows)
		}
		if c.entry.Fault != "" && args != nil {
			t.Errorf("%s: it was started all the same", what)
		}
		if c.entry.Fault == "" && strings.Join(args, " ") != "/opt/answerback-hook --agent codex --probe" {
			t.Errorf("%s: started as %q", what, args)
		}
	}
	m := Machine{Installed: func() []install.Entry { return nil }}
	if rows := m.callers(t.Context()); len(rows) != 1 || rows[0].Level != Note {
		t.Errorf("nothing installed: %+v", rows)
	}
}
