package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func localFile(o Options) string { return filepath.Join(o.Folder, ".claude", "settings.local.json") }

// A link to nothing is refused: a rename would put a file in its place.
func TestLinkToNothing(t *testing.T) {
	o := place(t)
	link := localFile(o)
	if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(filepath.Join(o.Home, "gone.json"), link)); err != nil {
		t.Fatal(err)
	}
	if _, err := Add("claude", Local, o); err == nil || !strings.Contains(err.Error(), "link to nothing") {
		t.Errorf("it was taken: %v", err)
	}
}

// Nesting that would use up the parser's stack is an error, in both shapes; the same brackets in strings and comments are text.
func TestDeepNesting(t *testing.T) {
	for what, text := range map[string]string{
		"open":   `{"a":` + strings.Repeat("[", maxFile-100),
		"closed": `{"a":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + "}",
		"behind": `{"s":"\\","a":` + strings.Repeat("[", maxFile-100),
	} {
		if _, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "nested deeper") {
			t.Errorf("%s: %v", what, err)
		}
	}
	brackets := strings.Repeat("[", 2*maxDepth)
	for what, text := range map[string]string{
		"string": `{"a":"\"` + brackets + `"}`, "line comment": "{ // " + brackets + "\n}", "comment": "{ /*/" + brackets + "*/ }",
		"deepest": `{"a":` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1) + "}",
	} {
		if _, err := parse([]byte(text)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Doctor starts what Look calls sound. A project's file can name any program, so nothing but this program's own hook, with the words that
// install writes, is sound; also where install itself could write nothing.
func TestNothingForeignIsSound(t *testing.T) {
	for _, hook := range []string{"/usr/local/bin/answerback-hook", "/opt/my tools/answerback-hook"} {
		for _, command := range []string{"./x/answerback-hook --agent qwen", hook + " --agent qwen", hook + " --agent qwen --socket /srv/x/agent.sock --peer-uid 1000 PermissionRequest"} {
			o := place(t)
			o.Hook = hook
			write(t, filepath.Join(o.Folder, ".qwen", "settings.json"), `{"hooks":{"PermissionRequest":[{"hooks":[{"type":"command","command":"`+command+`","timeout":300}]}]}}`, 0o644)
			for _, e := range Look(o) {
				if e.Fault == "" {
					t.Errorf("hook %q: %q is sound", hook, e.Words)
				}
			}
		}
	}
}

// One hook in two files of a caller is two hooks.
func TestTwoScopesAreTwice(t *testing.T) {
	o := place(t)
	added(t, "claude", Local, o)
	added(t, "claude", User, o)
	added(t, "codex", User, o)
	all := Look(o)
	if len(all) != 3 || !strings.Contains(all[0].Fault, "calls come twice") || !strings.Contains(all[1].Fault, "--scope user") || all[2].Fault != "" {
		t.Errorf("%+v", all)
	}
}

// An entry that does something else, too, is neither replaced nor removed.
func TestMixedEntry(t *testing.T) {
	for _, tail := range []string{" || /opt/notify", "; true", " > /dev/null", " $(x)"} {
		o := place(t)
		path := filepath.Join(o.Folder, ".qwen", "settings.json")
		text := `{"hooks":{"PermissionRequest":[{"hooks":[{"type":"command","command":"/x/answerback-hook --agent qwen` + tail + `"}]}]}}`
		write(t, path, text, 0o644)
		_, err := Add("qwen", Project, o)
		_, gone := Remove("qwen", Project, o)
		if !errors.Is(err, errMixed) || !errors.Is(gone, errMixed) || content(t, path) != text {
			t.Errorf("%q: %v, %v", tail, err, gone)
		}
	}
}

// Empty containers and an empty file that stood there before stay, though the file was edited meanwhile.
func TestEmptyContainersStay(t *testing.T) {
	for _, was := range []string{`{}`, `{"hooks":{}}`, `{"hooks":{"PermissionRequest":[]}}`} {
		o := place(t)
		path := localFile(o)
		write(t, path, was, 0o600)
		added(t, "claude", Local, o)
		write(t, path, content(t, path)+"\n", 0o600)
		removed(t, "claude", Local, o)
		got := content(t, path)
		if got = strings.Join(strings.Fields(got), ""); got != was {
			t.Errorf("was %s, is %s", was, got)
		}
	}
}

// A backup of an earlier time does not stand for a file that is newer.
func TestBackupIsOfTheTimeBefore(t *testing.T) {
	o := place(t)
	path := localFile(o)
	write(t, path, `{"a":1}`, 0o600)
	added(t, "claude", Local, o)
	write(t, path, `{"a":2}`, 0o600)
	added(t, "claude", Local, o)
	moved := o
	moved.Hook = "/opt/answerback-hook"
	added(t, "claude", Local, moved)
	if got := content(t, path+".before-answerback"); got != `{"a":2}` {
		t.Errorf("the backup holds %s", got)
	}
	removed(t, "claude", Local, moved)
	if got := content(t, path); got != `{"a":2}` {
		t.Errorf("afterwards it is %s", got)
	}
}
