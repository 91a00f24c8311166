package doctor

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"answerback/cmd/answerback/internal/voice"
)

// state looks at who can read the keys.
func (m Machine) state(dir string) []Row {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Row{{Note, "state", dir + " is not there yet; answerback up makes it"}}
	case err != nil:
		return []Row{{Fail, "state", err.Error()}}
	case !info.IsDir():
		return []Row{{Fail, "state", dir + " is no folder.  give --state another"}}
	case info.Mode().Perm()&0o077 != 0:
		return []Row{{Fail, "state", fmt.Sprintf("%s is open to others (mode %04o).  run: chmod 700 %s", dir, info.Mode().Perm(), dir)}}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []Row{{Fail, "state", err.Error()}}
	}
	var rows []Row
	for _, e := range entries {
		rows = append(rows, openToOthers(dir, e)...)
	}
	if rows == nil {
		rows = []Row{{OK, "state", dir + ", yours alone"}}
	}
	return rows
}

func openToOthers(dir string, e os.DirEntry) []Row {
	info, err := e.Info()
	if err != nil || info.Mode()&os.ModeSymlink != 0 || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	path := filepath.Join(dir, e.Name())
	return []Row{{Fail, "state", fmt.Sprintf("%s is open to others (mode %04o).  run: chmod go= %s", path, info.Mode().Perm(), path)}}
}

// hook looks at the binary that callers start. path is empty when there is none to start.
func (m Machine) hook() (path string, rows []Row) {
	path, err := m.Hook()
	if err != nil {
		return "", []Row{{Fail, "hook", err.Error()}}
	}
	if commit := commitOf(path); commit != "" && m.Commit != "" && !strings.HasPrefix(commit, m.Commit) {
		return path, []Row{{Warn, "hook", fmt.Sprintf("%s was built from %.12s, and this program from %s.  install both of one release", path, commit, m.Commit)}}
	}
	return path, []Row{{OK, "hook", path}}
}

// commitOf reads what the Go tool wrote into a binary; empty when it wrote nothing.
func commitOf(path string) string {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

// probeCall is what the probe asks; a person never sees it.
const probeCall = `{"session_id":"doctor","cwd":"/","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"true"}}`

// probe sends a call the whole way. The agent denies it by itself and says so in its words.
func (m Machine) probe(ctx context.Context, path, socket string) Row {
	r, err := m.Run(ctx, path, []byte(probeCall), "--agent", "doctor", "--reply", "answerback", "--socket", socket, "--wait", "3s", "--probe", "PermissionRequest")
	if err != nil {
		return Row{Fail, "probe", err.Error()}
	}
	var reply struct{ Decision, Reason string }
	err = json.Unmarshal(r.Stdout, &reply)
	switch {
	case len(bytes.TrimSpace(r.Stdout)) == 0 && r.Exit == 0:
		return Row{Fail, "probe", "the hook ran and got no verdict from the agent, so every call is left to its caller's own prompt.  look at the agent's log, and restart it: answerback up"}
	case r.Exit != 0 || err != nil || reply.Decision != "deny" || !strings.Contains(reply.Reason, "probe"):
		return Row{Fail, "probe", fmt.Sprintf("the hook's reply to the probe is not the agent's (exit %d).  install both binaries again, and restart the agent", r.Exit)}
	}
	return Row{OK, "probe", fmt.Sprintf("hook runs in %s, live call reached the agent and was denied (probe)", voice.For(r.Took))}
}
