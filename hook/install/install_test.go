package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

// place is a home and a project of their own.
func place(t testing.TB) Options {
	dir := t.TempDir()
	return Options{Hook: "/usr/local/bin/answerback-hook", Socket: "/run/user/1000/answerback/agent.sock", UID: 1000,
		Home: filepath.Join(dir, "home"), Folder: filepath.Join(dir, "project"), Getenv: func(string) string { return "" }}
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func added(t testing.TB, name string, s Scope, o Options) Plan {
	t.Helper()
	p, err := Add(name, s, o)
	if err == nil {
		err = p.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func removed(t testing.TB, name string, s Scope, o Options) {
	t.Helper()
	p, err := Remove(name, s, o)
	if err == nil {
		err = p.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Each caller's new file, to the byte.
func TestNewFiles(t *testing.T) {
	const tail = ` --socket /run/user/1000/answerback/agent.sock --peer-uid 1000 `
	want := map[string]string{
		"claude": `{
  "hooks": {
    "PermissionRequest": [
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "/usr/local/bin/answerback-hook",
            "args": [
              "--agent",
              "claude",
              "--socket",
              "/run/user/1000/answerback/agent.sock",
              "--peer-uid",
              "1000",
              "PermissionRequest"
            ],
            "timeout": 600
          }
        ]
      }
    ]
  }
}
`,
		"codex": `{
  "hooks": {
    "PermissionRequest": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/local/bin/answerback-hook --agent codex` + tail + `PermissionRequest",
            "timeout": 300
          }
        ]
      }
    ]
  }
}
`,
		"copilot": `{
  "version": 1,
  "hooks": {
    "permissionRequest": [
      {
        "type": "command",
        "bash": "/usr/local/bin/answerback-hook --agent copilot` + tail + `permissionRequest",
        "timeoutSec": 300
      }
    ]
  }
}
`,
	}
	want["qwen"] = strings.Replace(want["codex"], "codex", "qwen", 1)
	if !reflect.DeepEqual(Callers(), []string{"claude", "codex", "copilot", "qwen"}) {
		t.Errorf("installers are %v", Callers())
	}
	for _, name := range Callers() {
		o := place(t)
		p := added(t, name, User, o)
		if got := content(t, p.Path); got != want[name] {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want[name])
		}
		if p.Note == "" || !strings.Contains(p.Diff(), "+") {
			t.Errorf("%s: note %q, diff %q", name, p.Note, p.Diff())
		}
		removed(t, name, User, o)
		if left, err := filepath.Glob(p.Path + "*"); err != nil || len(left) > 0 {
			t.Errorf("%s: of a file that was ours alone is left %v, %v", name, left, err)
		}
	}
}

// Configurations as people have them.
var found = map[string]string{
	"empty":          "",
	"empty object":   "{}",
	"foreign hooks":  `{"model":"x","hooks":{"PermissionRequest":[{"matcher":"Bash","hooks":[{"type":"command","command":"/opt/other --agent claude"}]}],"Stop":[{"hooks":[]}]},"z":1.50}`,
	"comments":       "// mine\n{\n\t// the model\n\t\"model\": \"x\", /* why */\n\t\"permissions\": {\"allow\": []},\n}\n",
	"last comma":     "{\n  \"hooks\": {\n    \"Stop\": [],\n  },\n}\n",
	"CRLF":           "{\r\n    \"a\": 1,\r\n    \"hooks\": {}\r\n}\r\n",
	"BOM":            "\ufeff{\n  \"a\": 1\n}\n",
	"odd group":      `{"hooks":{"PermissionRequest":["x",7,{"hooks":"no list"},{"matcher":"*"}]}}`,
	"big numbers":    `{"n":12345678901234567890123,"f":1e400,"s":"\u0041\/"}`,
	"no line at end": "{\n \"a\": [\n  1\n ]\n}",
}

func TestFoundFiles(t *testing.T) {
	for what, text := range found {
		t.Run(what, func(t *testing.T) {
			o := place(t)
			path := filepath.Join(o.Folder, ".claude", "settings.local.json")
			write(t, path, text, 0o600)
			added(t, "claude", Local, o)
			once := content(t, path)
			if p, err := Add("claude", Local, o); err != nil || p.Changed() {
				t.Errorf("a second time changes it: %v\n%s", err, p.Diff())
			}
			keeps(t, text, once)
			if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
				t.Errorf("its mode is %o", info.Mode().Perm())
			}
			removed(t, "claude", Local, o)
			if got := content(t, path); got != text {
				t.Errorf("afterwards it is %q, was %q", got, text)
			}
		})
	}
}

// keeps: what was there stands in the new text, in its order; only ours is new.
func keeps(t testing.TB, before, after string) {
	t.Helper()
	for _, piece := range []string{"\ufeff", "// mine", "/* why */", "\t// the model", `"z":1.50`, `12345678901234567890123`, `1e400`, `"\u0041\/"`, `/opt/other --agent claude`} {
		if strings.Contains(before, piece) && !strings.Contains(after, piece) {
			t.Errorf("%q is gone from %s", piece, after)
		}
	}
	if strings.Contains(before, "\r\n") && strings.Contains(strings.ReplaceAll(after, "\r\n", ""), "\n") {
		t.Errorf("ends of lines are mixed: %q", after)
	}
}

// Files that cannot be read are refused and stay as they are.
func TestRefused(t *testing.T) {
	for what, text := range map[string]string{
		"half": `{"hooks":`, "list": `[]`, "two values": `{} {}`, "text": "hooks = 1\n", "hooks is a list": `{"hooks":[]}`, "hooks is null": `{"hooks":null}`,
		"event is an object": `{"hooks":{"PermissionRequest":{}}}`, "hooks twice": `{"hooks":{},"hooks":{}}`, "hooks twice in a group": `{"hooks":{"PermissionRequest":[{"hooks":[],"hooks":[]}]}}`,
		"bad UTF-8": "{\"a\":\"\xff\"}", "too large": `{"a":"` + strings.Repeat("x", maxFile) + `"}`,
	} {
		t.Run(what, func(t *testing.T) {
			o := place(t)
			path := filepath.Join(o.Folder, ".claude", "settings.local.json")
			write(t, path, text, 0o644)
			if p, err := Add("claude", Local, o); err == nil {
				t.Errorf("it was taken:\n%s", p.Diff())
			}
			if got := content(t, path); got != text {
				t.Error("it was changed")
			}
		})
	}
	o := place(t)
	if err := os.MkdirAll(filepath.Join(o.Folder, ".claude", "settings.local.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Add("claude", Local, o); err == nil {
		t.Error("a folder was taken for a file")
	}
}

// A moved binary replaces its entry, a double one goes, and others stay.
func TestMovedAndDouble(t *testing.T) {
	o := place(t)
	p := added(t, "claude", Project, o)
	moved := o
	moved.Hook = "/opt/answerback/answerback-hook"
	added(t, "claude", Project, moved)
	if got := content(t, p.Path); strings.Contains(got, "/usr/local/bin") || strings.Count(got, "answerback-hook") != 1 {
		t.Errorf("after the move: %s", got)
	}
	double := strings.Replace(content(t, p.Path), `"PermissionRequest": [`, `"PermissionRequest": [{"hooks":[{"type":"command","command":"/x/answerback-hook --agent=claude"},{"type":"command","command":"other"}]},`, 1)
	write(t, p.Path, double, 0o644)
	added(t, "claude", Project, moved)
	if got := content(t, p.Path); strings.Count(got, "answerback-hook") != 1 || !strings.Contains(got, `"other"`) {
		t.Errorf("after the double: %s", got)
	}
}

// Look finds what stands there, and says what is wrong with it.
func TestLook(t *testing.T) {
	o := place(t)
	if got := Look(o); len(got) != 0 {
		t.Errorf("in an empty home: %+v", got)
	}
	for _, name := range Callers() {
		added(t, name, User, o)
	}
	all := Look(o)
	if len(all) != len(Callers()) {
		t.Fatalf("%+v", all)
	}
	for i, e := range all {
		if e.Caller != Callers()[i] || e.Fault != "" || e.Words[0] != o.Hook || e.Words[2] != e.Caller || len(e.Sample) == 0 {
			t.Errorf("%+v", e)
		}
	}
	moved := o
	moved.Hook = "/opt/answerback-hook"
	for _, e := range Look(moved) {
		if !strings.Contains(e.Fault, "run: answerback install "+e.Caller+" --scope user") {
			t.Errorf("after the move: %+v", e)
		}
	}
	path := all[0].Path
	write(t, path, strings.Replace(content(t, path), "600", "60", 1), 0o644)
	if got := Look(o)[0]; !strings.Contains(got.Fault, "timeout is not 600 s") {
		t.Errorf("a short timeout: %+v", got)
	}
	write(t, path, "{", 0o644)
	if got := Look(o)[0]; !strings.Contains(got.Fault, "cannot be read") || got.Words != nil {
		t.Errorf("a broken file: %+v", got)
	}
	write(t, path, `{"hooks":{"PermissionRequest":[{"hooks":[{"command":"/a/answerback-hook --agent claude"},{"command":"/a/answerback-hook --agent claude"}]}]}}`, 0o644)
	if got := Look(o); len(got) != 5 || !strings.Contains(got[0].Fault, "calls come twice") || !strings.Contains(got[1].Fault, "calls come twice") {
		t.Errorf("twice: %+v", got)
	}
}

// A link stays a link, and its file keeps its mode.
func TestLink(t *testing.T) {
	o := place(t)
	real := filepath.Join(o.Home, "dotfiles", "settings.json")
	write(t, real, "{}", 0o640)
	link := filepath.Join(o.Home, ".claude", "settings.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(real, link)); err != nil {
		t.Fatal(err)
	}
	added(t, "claude", User, o)
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.Contains(content(t, real), "answerback-hook") {
		t.Errorf("the link: %v, %v; the file: %s", info, err, content(t, real))
	}
	if info, _ := os.Stat(real); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %o", info.Mode().Perm())
	}
}

// A file that changed since the plan is not written.
func TestChangedMeanwhile(t *testing.T) {
	o := place(t)
	p, err := Add("qwen", User, o)
	if err != nil {
		t.Fatal(err)
	}
	write(t, p.Path, `{"mine":1}`, 0o644)
	if err := p.Apply(); err == nil || content(t, p.Path) != `{"mine":1}` {
		t.Errorf("%v: %s", err, content(t, p.Path))
	}
}

func TestScopesAndPaths(t *testing.T) {
	o := place(t)
	if _, err := Add("codex", Local, o); !errors.Is(err, ErrScope) {
		t.Errorf("a scope that codex does not have: %v", err)
	}
	if _, err := Add("gemini", User, o); err == nil {
		t.Error("a caller without an installer was taken")
	}
	o.Hook = "/opt/my tools/answerback-hook"
	if _, err := Add("codex", User, o); err == nil {
		t.Error("a shell would read this path as two words")
	}
	if _, err := Add("claude", User, o); err != nil {
		t.Errorf("without a shell the path is fine: %v", err)
	}
	o.Getenv = func(name string) string { return map[string]string{"CODEX_HOME": "/srv/codex"}[name] }
	if path, err := targets["codex"].path(User, o); err != nil || path != "/srv/codex/hooks.json" {
		t.Errorf("%s, %v", path, err)
	}
}

// Any JSON object: adding twice is adding once, what was there has its value, and removing gives the value back, though the file was edited
// meanwhile.
func TestAnyObject(t *testing.T) {
	c := targets["claude"]
	h, err := c.entry(Options{Hook: "/b/answerback-hook", Socket: "/s/agent.sock"})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		before := drawObject(t)
		once, err := withEntry([]byte(before), c, h)
		if err != nil {
			t.Fatalf("%s: %v", before, err)
		}
		twice, err := withEntry(once, c, h)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s\nonce %s\ntwice %s, %v", before, once, twice, err)
		}
		if !json.Valid(once) {
			t.Fatalf("%s became %s", before, once)
		}
		after, err := withoutEntry(once, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := value(after), value([]byte(before)); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nbecame %s\nand then %s", before, once, after)
		}
	})
}

// value is a document's value, without empty containers on the way to an entry: those cannot be told from ones that were made for it.
func value(b []byte) map[string]any {
	v := map[string]any{}
	json.Unmarshal(b, &v)
	if hooks, ok := v["hooks"].(map[string]any); ok {
		if list, ok := hooks["PermissionRequest"].([]any); ok && len(list) == 0 {
			delete(hooks, "PermissionRequest")
		}
		if len(hooks) == 0 {
			delete(v, "hooks")
		}
	}
	return v
}

func drawObject(t *rapid.T) string {
	space := rapid.SampledFrom([]string{"", " ", "\n", "\n\t", "\n    "})
	value := rapid.SampledFrom([]string{`1`, `"x"`, `null`, `[]`, `{}`, `[1,{"a":"answerback-hook"}]`, `1.0`, `true`})
	group := rapid.SampledFrom([]string{`{"hooks":[{"type":"command","command":"/opt/x"}]}`, `{"matcher":"Bash","hooks":[]}`, `"odd"`, `{"hooks":{}}`, `{"hooks":[{"command":"/b/answerback-hook --agent codex"}]}`})
	var members []string
	for i := range rapid.IntRange(0, 4).Draw(t, "members") {
		members = append(members, space.Draw(t, "before")+`"k`+string(rune('0'+i))+`":`+space.Draw(t, "behind")+value.Draw(t, "value"))
	}
	if rapid.Bool().Draw(t, "hooks") {
		events := rapid.SliceOfN(group, 0, 3).Draw(t, "groups")
		list := `"PermissionRequest":[` + strings.Join(events, ",") + space.Draw(t, "end") + `]`
		if rapid.Bool().Draw(t, "other") {
			list = `"Stop":[],` + list
		}
		at := rapid.IntRange(0, len(members)).Draw(t, "at")
		members = append(members[:at], append([]string{`"hooks":{` + list + `}`}, members[at:]...)...)
	}
	return "{" + strings.Join(members, ",") + space.Draw(t, "close") + "}"
}

// FuzzWithEntry: whatever is taken stays valid, and adding twice is adding once.
func FuzzWithEntry(f *testing.F) {
	for _, text := range found {
		f.Add([]byte(text))
	}
	c := targets["claude"]
	h, err := c.entry(Options{Hook: "/b/answerback-hook", Socket: "/s/agent.sock"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		once, err := withEntry(b, c, h)
		if err != nil {
			return
		}
		if _, err := hujson.Parse(bytes.TrimPrefix(once, bom)); err != nil {
			t.Fatalf("%q became %q: %v", b, once, err)
		}
		if twice, err := withEntry(once, c, h); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q\nonce %q\ntwice %q, %v", b, once, twice, err)
		}
		if after, err := withoutEntry(once, c, nil); err != nil || bytes.Contains(after, []byte("/b/answerback-hook")) && !bytes.Contains(b, []byte("answerback-hook")) {
			t.Fatalf("%q: %q, %v", once, after, err)
		}
	})
}
