package install

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"answerback/hook/caller"
)

// Scope says for whom a caller's file counts.
type Scope string

// The scopes. Not every caller has each.
const (
	Local   Scope = "local"   // this project, this person; not for version control
	Project Scope = "project" // this project, everybody
	User    Scope = "user"    // every project of this person
)

// target is one caller's configuration: the file by scope, and the shape of an entry.
type target struct {
	name  string
	event string // as the file spells it
	note  string
	files map[Scope]func(Options) string
	whole bool // the file holds the hook's entry only, and has to say "version": 1
	flat  bool // the entry stands in the event's list itself, and in no group with a matcher
	make  func(words []string, seconds int) handler
}

// handler is one entry as its caller reads it.
type handler struct {
	Type       string   `json:"type"`
	Command    string   `json:"command,omitempty"`
	Bash       string   `json:"bash,omitempty"`
	Args       []string `json:"args,omitempty"`
	Timeout    int      `json:"timeout,omitempty"`    // seconds
	TimeoutSec int      `json:"timeoutSec,omitempty"` // seconds, Copilot CLI's word
}

// group is what Claude Code, Codex and qwen-code keep handlers in.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

var targets = map[string]target{
	"claude": {
		name: "claude", event: "PermissionRequest",
		note: "Claude Code asks hooks in its manual mode only: in auto mode no call reaches your phone.",
		files: map[Scope]func(Options) string{
			Local:   func(o Options) string { return filepath.Join(o.Folder, ".claude", "settings.local.json") },
			Project: func(o Options) string { return filepath.Join(o.Folder, ".claude", "settings.json") },
			User:    func(o Options) string { return filepath.Join(home(o, "CLAUDE_CONFIG_DIR", ".claude"), "settings.json") },
		},
		// With args it runs without a shell.
		make: func(words []string, seconds int) handler {
			return handler{Type: "command", Command: words[0], Args: words[1:], Timeout: seconds}
		},
	},
	"codex": {
		name: "codex", event: "PermissionRequest",
		note: "Codex runs a hook only after you have reviewed it: start codex, and choose Review where it says that hooks need review. `codex exec` never asks.",
		files: map[Scope]func(Options) string{
			Project: func(o Options) string { return filepath.Join(o.Folder, ".codex", "hooks.json") },
			User:    func(o Options) string { return filepath.Join(home(o, "CODEX_HOME", ".codex"), "hooks.json") },
		},
		make: shellHandler,
	},
	"qwen": {
		name: "qwen", event: "PermissionRequest",
		note: "In its default mode qwen-code denies shell commands by a rule of its own before any hook is asked.",
		files: map[Scope]func(Options) string{
			Project: func(o Options) string { return filepath.Join(o.Folder, ".qwen", "settings.json") },
			User:    func(o Options) string { return filepath.Join(o.Home, ".qwen", "settings.json") },
		},
		make: shellHandler,
	},
	"copilot": {
		name: "copilot", event: "permissionRequest", whole: true, flat: true,
		note: "Copilot CLI asks hooks before its own rules: calls that it would allow by itself are asked too.",
		files: map[Scope]func(Options) string{
			User: func(o Options) string {
				return filepath.Join(home(o, "COPILOT_HOME", ".copilot"), "hooks", "answerback.json")
			},
		},
		make: func(words []string, seconds int) handler {
			return handler{Type: "command", Bash: strings.Join(words, " "), TimeoutSec: seconds}
		},
	},
}

// shellHandler is an entry whose command is read by a shell.
func shellHandler(words []string, seconds int) handler {
	return handler{Type: "command", Command: strings.Join(words, " "), Timeout: seconds}
}

// home is the caller's own folder: where its variable says, else below the person's home.
func home(o Options, variable, name string) string {
	if o.Getenv != nil {
		if dir := o.Getenv(variable); filepath.IsAbs(dir) {
			return dir
		}
	}
	return filepath.Join(o.Home, name)
}

// Scopes lists a caller's scopes, the narrowest first.
func Scopes(name string) []Scope {
	var list []Scope
	for _, s := range []Scope{Local, Project, User} {
		if targets[name].files[s] != nil {
			list = append(list, s)
		}
	}
	return list
}

func (t target) path(scope Scope, o Options) (string, error) {
	file := t.files[scope]
	if file == nil {
		return "", fmt.Errorf("%w: %s has no configuration of the scope %q; say --scope %s", ErrScope, t.name, scope, Scopes(t.name)[0])
	}
	return file(o), nil
}

// entry is the hook's entry. Its timeout is longer than the agent ever waits, so that the agent speaks first.
func (t target) entry(o Options) (handler, error) {
	a, err := caller.For(t.name, "")
	if err != nil {
		return handler{}, err
	}
	event, ok := a.Event(t.event)
	if !ok || event.WaitMax >= event.Limit {
		return handler{}, fmt.Errorf("%s would end the hook before the agent has answered", t.name)
	}
	words := []string{o.Hook, "--agent", t.name, "--socket", o.Socket, "--peer-uid", strconv.Itoa(o.UID), t.event}
	for _, path := range []string{o.Hook, o.Socket} {
		if !filepath.IsAbs(path) || t.name != "claude" && !plain(path) {
			return handler{}, fmt.Errorf("%q cannot stand in a configuration that a shell reads: use a full path of letters, digits and . _ - / @ +", path)
		}
	}
	return t.make(words, int(event.Limit.Seconds())), nil
}

// plain says whether a shell reads a path as it stands.
func plain(path string) bool {
	for _, r := range path {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-/@+", r) {
			return false
		}
	}
	return true
}

// errMixed says that an entry does more than start the hook, so it cannot be edited as ours.
var errMixed = errors.New("an entry there starts answerback-hook together with something else; take it out by hand")

// shellMarks are the characters by which a shell does more than split words.
const shellMarks = "|&;<>()$`\\\"'\n"

// mixed says whether a shell would do more with an entry than start our hook with its words.
func mixed(h handler) bool {
	return len(h.Args) == 0 && strings.ContainsAny(h.Command+h.Bash, shellMarks)
}

// ours says whether an entry starts our hook for this caller.
func (t target) ours(h handler) bool {
	words := h.words()
	if len(words) == 0 || filepath.Base(words[0]) != "answerback-hook" {
		return false
	}
	for i, w := range words {
		words[i] = strings.TrimRight(w, shellMarks)
	}
	for i, w := range words {
		if w == "--agent="+t.name || w == "--agent" && i+1 < len(words) && words[i+1] == t.name {
			return true
		}
	}
	return false
}
