package audit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func describe(tool, input string) Description {
	return Describe(Subject{Host: "studio", Home: "/home/dev", Folder: "/home/dev/project", Tool: tool, Input: []byte(input)})
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		tool, input, kind, name string
		targets                 []string
		param                   string
	}{
		{"Bash", `{"command":"API_KEY=abc ls"}`, "shell", "shell.bash", []string{"host:studio"}, "API_KEY=*** ls"},
		{"shell", `{"command":["bash","-lc","ls"]}`, "shell", "shell.bash", []string{"host:studio"}, "bash -lc ls"},
		{"run_shell_command", `{"command":"ls"}`, "shell", "shell.bash", []string{"host:studio"}, "ls"},
		{"Edit", `{"file_path":"/home/dev/project/a/b.go"}`, "custom", "fs.write", []string{"a/b.go"}, ""},
		{"Write", `{"file_path":"/home/dev/outside/x"}`, "custom", "fs.write", []string{"~/outside/x"}, ""},
		{"NotebookEdit", `{"notebook_path":"/home/dev/project/n.ipynb"}`, "custom", "fs.write", []string{"n.ipynb"}, ""},
		{"Write", `{"file_path":"/home/dev/project/../.ssh/x"}`, "custom", "fs.write", []string{"~/.ssh/x"}, ""},
		{"Write", `{"file_path":"/home/dev/projects/x"}`, "custom", "fs.write", []string{"~/projects/x"}, ""},
		{"Read", `{"file_path":"/etc/hosts"}`, "custom", "fs.read", []string{"/etc/hosts"}, ""},
		{"Glob", `{"pattern":"*.go","path":"/home/dev/project"}`, "custom", "fs.read", []string{"."}, ""},
		{"Grep", `{"pattern":"x","path":"src"}`, "custom", "fs.read", []string{"src"}, ""},
		{"Skill", `{"skill":"pdf"}`, "skill", "skill", nil, ""},
		{"WebFetch", `{"url":"https://u:pw@example.com/a?b=1","prompt":"p"}`, "http", "web.fetch", []string{"https://u:***@example.com/a?b=1"}, ""},
		{"WebSearch", `{"query":"go badger"}`, "http", "web.search", nil, "go badger"},
		{"Task", `{"description":"d"}`, "custom", "agent.spawn", nil, ""},
		{"mcp__perm__danger", `{"what":"z"}`, "mcp_tool", "perm.danger", []string{"mcp:perm"}, ""},
		{"mcp__fs__write_it", `{"path":"/home/dev/project/x"}`, "mcp_tool", "fs.write_it", []string{"x"}, ""},
		{"mcp__odd", `{}`, "custom", "tool.mcp__odd", []string{"mcp:odd"}, ""},
		{"apply_patch", `{"command":"*** Begin Patch\n*** Update File: a.go\n*** Delete File: b.go\n*** End Patch"}`, "custom", "fs.write", []string{"a.go", "b.go"}, ""},
		{"Frobnicate", `{"x":1}`, "custom", "tool.Frobnicate", nil, ""},
		{"Bash", `not json`, "shell", "shell.bash", []string{"host:studio"}, ""},
		{"Write", `[1]`, "custom", "fs.write", nil, ""},
	} {
		d := describe(c.tool, c.input)
		param := ""
		for _, v := range d.Params {
			param = v
		}
		if d.Kind != c.kind || d.Name != c.name || !slices.Equal(d.Targets, c.targets) || param != c.param || d.Folder != "~/project" {
			t.Errorf("%s %s: %+v", c.tool, c.input, d)
		}
	}
}

// No recorded payload's home path reaches its description.
func TestDescribeHidesHome(t *testing.T) {
	for tool, input := range map[string]string{
		"Write": `{"file_path":"/home/dev/project/a","content":"/home/dev"}`, "Read": `{"file_path":"/home/dev"}`,
		"mcp__a__b": `{"path":"/home/dev/x","uri":"file:///home/dev/y"}`, "Task": `{"path":"/home/dev/"}`,
	} {
		d := describe(tool, input)
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "/home/dev") {
			t.Errorf("%s: %s", tool, text)
		}
	}
	folder := filepath.Join(os.TempDir(), "x")
	if d := Describe(Subject{Home: "/", Folder: folder, Tool: "Read", Input: []byte(`{"path":"/etc/x"}`)}); d.Folder != folder {
		t.Errorf("a home of / hid %q", d.Folder)
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add("Bash", []byte(`{"command":["a",1,null]}`), "/home/dev/project")
	f.Add("apply_patch", []byte(`{"input":"*** Begin Patch\n*** Move to: x"}`), "")
	f.Fuzz(func(t *testing.T, tool string, input []byte, folder string) {
		d := Describe(Subject{Host: "h", Home: "/home/dev", Folder: folder, Tool: tool, Input: input})
		if d.Kind == "" || d.Name == "" {
			t.Fatalf("%q is dropped", tool)
		}
	})
}
