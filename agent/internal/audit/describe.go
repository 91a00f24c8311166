package audit

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Subject is what a call is described from.
type Subject struct {
	Host   string // this machine's name
	Home   string // the person's home folder; it never stands in the log
	Folder string // the session's folder
	Tool   string
	Input  []byte // the tool's input, JSON as the caller sent it
}

// Description is what the log says of a call.
type Description struct {
	Kind, Name, Folder string
	Targets            []string
	Params             map[string]string
}

// Describe names a call by the map that all callers share, its targets as paths
// relative to the session's folder, URLs, `host:NAME` for a shell, `mcp:SERVER`,
// and a shell's command, redacted, as a parameter. No tool is dropped: an
// unmapped one is custom, tool.NAME. Input that cannot be read has no targets
// but the fallback of its kind.
func Describe(s Subject) Description {
	d := Description{Folder: s.hideHome(s.Folder)}
	d.Kind, d.Name = kindOf(s.Tool)
	var input map[string]any
	if json.Unmarshal(s.Input, &input) != nil {
		input = nil
	}
	switch {
	case d.Kind == "shell":
		d.Targets = []string{"host:" + s.Host}
		d.param("command", commandOf(input))
	case d.Name == "web.search":
		d.param("query", text(input, "query"))
	default:
		d.Targets = s.targets(input)
	}
	if server, ok := strings.CutPrefix(s.Tool, "mcp__"); ok && len(d.Targets) == 0 {
		server, _, _ = strings.Cut(server, "__")
		d.Targets = []string{"mcp:" + server}
	}
	return d
}

func (d *Description) param(name, value string) {
	if value != "" {
		d.Params = map[string]string{name: Redact(value)}
	}
}

// kinds is the map of tool names: Claude Code's, then those of the other
// callers for the same tools.
var kinds = map[string][2]string{
	"Bash": {"shell", "shell.bash"}, "bash": {"shell", "shell.bash"}, "shell": {"shell", "shell.bash"},
	"run_shell_command": {"shell", "shell.bash"}, "exec_command": {"shell", "shell.bash"}, "local_shell": {"shell", "shell.bash"},
	"Edit": {"custom", "fs.write"}, "MultiEdit": {"custom", "fs.write"}, "Write": {"custom", "fs.write"}, "NotebookEdit": {"custom", "fs.write"},
	"edit": {"custom", "fs.write"}, "write": {"custom", "fs.write"}, "create": {"custom", "fs.write"}, "apply_patch": {"custom", "fs.write"},
	"write_file": {"custom", "fs.write"}, "replace": {"custom", "fs.write"},
	"Read": {"custom", "fs.read"}, "Glob": {"custom", "fs.read"}, "Grep": {"custom", "fs.read"}, "LS": {"custom", "fs.read"},
	"read": {"custom", "fs.read"}, "view": {"custom", "fs.read"}, "read_file": {"custom", "fs.read"}, "read_many_files": {"custom", "fs.read"},
	"list_directory": {"custom", "fs.read"}, "glob": {"custom", "fs.read"}, "grep": {"custom", "fs.read"}, "search_file_content": {"custom", "fs.read"},
	"Skill":    {"skill", "skill"},
	"WebFetch": {"http", "web.fetch"}, "web_fetch": {"http", "web.fetch"}, "webfetch": {"http", "web.fetch"},
	"WebSearch": {"http", "web.search"}, "google_web_search": {"http", "web.search"}, "web_search": {"http", "web.search"},
	"Task": {"custom", "agent.spawn"}, "task": {"custom", "agent.spawn"}, "Agent": {"custom", "agent.spawn"},
}

func kindOf(tool string) (kind, name string) {
	if k, ok := kinds[tool]; ok {
		return k[0], k[1]
	}
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok {
		if server, name, ok := strings.Cut(rest, "__"); ok && server != "" && name != "" {
			return "mcp_tool", server + "." + name
		}
	}
	return "custom", "tool." + tool
}

// targetFields are the names under which callers send a path or an address.
var targetFields = []string{"file_path", "notebook_path", "path", "filePath", "absolute_path", "dir_path", "directory", "url", "uri"}

func (s Subject) targets(input map[string]any) []string {
	var found []string
	for _, field := range targetFields {
		if t := text(input, field); t != "" {
			found = append(found, s.target(t))
		}
	}
	for _, line := range strings.Split(patchOf(input), "\n") {
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if file, ok := strings.CutPrefix(line, mark); ok {
				found = append(found, s.target(strings.TrimSpace(file)))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// target is a URL as itself, a path relative to the session's folder when under
// it, and any other path with the home folder as ~.
func (s Subject) target(t string) string {
	if u, err := url.Parse(t); err == nil && u.Host != "" {
		return Redact(t)
	}
	t = strings.TrimPrefix(t, "file://")
	if !path.IsAbs(t) {
		return Redact(path.Clean(t))
	}
	clean, folder := path.Clean(t), path.Clean(s.Folder)
	if clean == folder {
		return "."
	}
	if under, ok := strings.CutPrefix(clean, strings.TrimSuffix(folder, "/")+"/"); ok && path.IsAbs(folder) {
		return Redact(under)
	}
	return Redact(s.hideHome(clean))
}

func (s Subject) hideHome(p string) string {
	home := path.Clean(s.Home)
	if !path.IsAbs(home) || home == "/" {
		return p
	}
	if p == home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(p, home+"/"); ok {
		return "~/" + rest
	}
	return p
}

func text(input map[string]any, field string) string {
	t, _ := input[field].(string)
	return t
}

// commandOf is the command of a shell tool: a string, or a list of words.
func commandOf(input map[string]any) string {
	for _, field := range []string{"command", "cmd", "script"} {
		switch c := input[field].(type) {
		case string:
			return c
		case []any:
			var words []string
			for _, w := range c {
				if word, ok := w.(string); ok {
					words = append(words, word)
				}
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}

func patchOf(input map[string]any) string {
	for _, field := range []string{"command", "input", "patch"} {
		if t := text(input, field); strings.HasPrefix(strings.TrimSpace(t), "*** Begin Patch") {
			return t
		}
	}
	return ""
}
