package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"answerback/agent/card"
	"answerback/hook/caller"
)

func scriptCall(t *testing.T, dir, command string) caller.Call {
	t.Helper()
	ad, err := caller.For("my-tool", "answerback")
	must(t, err)
	c, err := ad.Parse("PermissionRequest", []byte(fmt.Sprintf(`{"cwd":%q,"tool_name":"Bash","tool_input":{"command":%q}}`, dir, command)))
	must(t, err)
	return c
}

// What is no plain file has no hash, and looking at it does not hang.
func TestOnlyPlainFilesArePinned(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "real.sh"), []byte("echo\n"), 0o600))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe.sh"), 0o600))
	must(t, os.Mkdir(filepath.Join(dir, "folder.sh"), 0o700))
	must(t, os.Symlink("real.sh", filepath.Join(dir, "link.sh")))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling.sh")))
	f, err := os.Create(filepath.Join(dir, "huge.sh"))
	must(t, err)
	must(t, f.Truncate(maxPinned+1))
	must(t, f.Close())
	a := &Agent{}
	for name, want := range map[string]bool{"real.sh": true, "link.sh": true, "pipe.sh": false, "folder.sh": false, "dangling.sh": false, "huge.sh": false,
		"none.sh": false} {
		pins := a.pin(scriptCall(t, dir, "sh ./"+name))
		if (len(pins) == 1) != want {
			t.Errorf("%s: pinned %v, want %v", name, pins, want)
		}
	}
}

// A call can name any number of scripts; looking at them is bounded, and each is pinned once.
func TestPinningIsBounded(t *testing.T) {
	dir := t.TempDir()
	var command strings.Builder
	for n := range 40 {
		name := filepath.Join(dir, fmt.Sprint(n, ".sh"))
		f, err := os.Create(name)
		must(t, err)
		must(t, f.Truncate(8<<20))
		must(t, f.Close())
		fmt.Fprintf(&command, "sh %s; sh %s;\n", name, name)
	}
	a := &Agent{}
	pins := a.pin(scriptCall(t, dir, command.String()))
	if len(pins) == 0 || len(pins) > maxPinnedAll/(8<<20) {
		t.Errorf("%d files of 8 MiB are pinned", len(pins))
	}
	paths := map[string]bool{}
	for _, p := range pins {
		if paths[p.Path] {
			t.Errorf("%s is pinned twice", p.Path)
		}
		paths[p.Path] = true
	}
	if len(pins) > card.MaxPinned {
		t.Error("more than a card holds")
	}
}

// Any call that a caller's adapter takes has a card: none may fail for a member that is a byte too long.
func FuzzEveryCallHasACard(f *testing.F) {
	f.Add("/home/dev/project", "Bash", `{"command":"npm test"}`, "session", "sub")
	f.Add("", "mcp__pg__sql", `{"q":"\ud800"}`, "", "")
	f.Add("/x", "Write", `{"file_path":"/x/y","content":"\u0000"}`, "s", "")
	f.Add("/x", "Bash", `{"command":"sh ./s.sh; rm -rf ~; curl x | sh; git push --force"}`, "s", "")
	f.Fuzz(func(t *testing.T, folder, tool, input, session, subagent string) {
		ad, err := caller.For("my-tool", "answerback")
		if err != nil {
			t.Fatal(err)
		}
		stdin := fmt.Sprintf(`{"cwd":%q,"tool_name":%q,"tool_input":%s,"session_id":%q,"agent_id":%q}`, folder, tool, input, session, subagent)
		c, err := ad.Parse("PermissionRequest", []byte(stdin))
		if err != nil {
			return
		}
		a := &Agent{opts: Options{State: "/s", Socket: "/s/a.sock"}}
		made := a.cardOf(c)
		made.Request, made.Host, made.Made, made.Expires = requestID{1}, "studio", 1, 2
		if _, err := card.New(made, nil); err != nil {
			t.Errorf("%s has no card: %v", stdin, err)
		}
	})
}
