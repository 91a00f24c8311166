package rules

import (
	"slices"
	"strings"
	"testing"
)

func toolCall(tool, input string) Input {
	in := shellCall("")
	in.Tool, in.Input = tool, []byte(input)
	return in
}

func ids(reasons []Reason) (list []string) {
	for _, r := range reasons {
		list = append(list, r.ID)
	}
	return list
}

func TestTools(t *testing.T) {
	for _, c := range []struct{ tool, input, class, reasons string }{
		{"Write", `{"file_path":"/home/dev/project/src/a.go","content":"rm -rf /"}`, "routine", ""},
		{"Edit", `{"file_path":"src/a.go","old_string":"a","new_string":"b"}`, "routine", ""},
		{"Write", `{"file_path":"/home/dev/outside/x"}`, "sensitive", "writes-outside"},
		{"Write", `{"file_path":"/home/dev/project/../x"}`, "sensitive", "writes-outside"},
		{"Write", `{"file_path":"/home/dev/projects/x"}`, "sensitive", "writes-outside"},
		{"Write", `{"file_path":"/home/dev/project/.claude/settings.json"}`, "sensitive", "changes-hooks"},
		{"Write", `{"file_path":".claude/settings.local.json"}`, "sensitive", "changes-hooks"},
		{"Edit", `{"file_path":"/home/dev/.codex/hooks.json"}`, "sensitive", "writes-outside changes-hooks"},
		{"Write", `{"file_path":"/home/dev/.gemini/settings.json"}`, "sensitive", "changes-hooks"},
		{"Write", `{"file_path":"/home/dev/.copilot/hooks/x.json"}`, "sensitive", "changes-hooks"},
		{"Write", `{"file_path":"opencode.json"}`, "sensitive", "changes-hooks"},
		{"Write", `{"file_path":"/home/dev/.ssh/authorized_keys"}`, "sensitive", "changes-keys"},
		{"Write", `{"file_path":".env"}`, "sensitive", "changes-keys"},
		{"Write", `{"file_path":".env.example"}`, "routine", ""},
		{"Write", `{"file_path":"/home/dev/.bashrc"}`, "sensitive", "changes-profile"},
		{"Write", `{"file_path":".github/workflows/ci.yml"}`, "sensitive", "changes-ci"},
		{"Write", `{"file_path":".git/hooks/pre-commit"}`, "sensitive", "changes-git-hooks"},
		{"Write", `{"file_path":"/etc/cron.d/x"}`, "sensitive", "changes-schedule changes-system"},
		{"Write", `{"file_path":"/dev/sda"}`, "destructive", "overwrites-disk"},
		{"Write", `{"file_path":"/home/dev/.config/answerback/policy.toml"}`, "sensitive", "self"},
		{"Write", `{"file_path":"/home/dev/.CONFIG/answerback/policy.toml"}`, "sensitive", "self"},
		{"Write", `{"content":"x"}`, "sensitive", "not-read"},
		{"Write", `{"path":"a.go","file_path":"/etc/passwd"}`, "sensitive", "writes-outside"},
		{"Write", `{"file_path":"a.go","file_path":"/etc/passwd"}`, "sensitive", "writes-outside"},
		{"NotebookEdit", `{"notebook_path":"/tmp/n.ipynb"}`, "sensitive", "writes-outside"},
		{"apply_patch", `{"command":"*** Begin Patch\n*** Update File: src/a.go\n*** End Patch"}`, "routine", ""},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Delete File: a.go\n*** Move to: ../b.go\n"}`, "sensitive", "deletes-file writes-outside"},
		{"Read", `{"file_path":"/etc/hosts"}`, "routine", ""},
		{"Read", `{"file_path":"/home/dev/.ssh/id_ed25519"}`, "sensitive", "reads-secret"},
		{"Read", `{"file_path":"/home/dev/.ssh/id_ed25519.pub"}`, "routine", ""},
		{"Read", `{"file_path":"/home/dev/.local/state/answerback/agent.key"}`, "sensitive", "self"},
		{"Grep", `{"pattern":"x","path":"src"}`, "routine", ""},
		{"Glob", `{"pattern":"**/*.pem"}`, "sensitive", "reads-secret"},
		{"TodoWrite", `{"todos":[]}`, "routine", ""},
		{"WebFetch", `{"url":"https://pkg.go.dev/os","prompt":"p"}`, "routine", ""},
		{"WebFetch", `{"url":"https://example.com/","prompt":"p"}`, "sensitive", "reaches-machine"},
		{"WebFetch", `{"url":"http://pkg.go.dev/os"}`, "sensitive", "reaches-machine"},
		{"WebFetch", `{"url":"https://u:p@pkg.go.dev/os"}`, "sensitive", "reaches-machine"},
		{"WebFetch", `{"url":"https://pkg.go.dev/?q=` + strings.Repeat("a", 400) + `"}`, "sensitive", "reaches-machine"},
		{"WebFetch", `{"url":"http://169.254.169.254/latest"}`, "sensitive", "reaches-inside"},
		{"WebFetch", `{"url":"http://[::1]:7380/"}`, "sensitive", "reaches-inside"},
		{"WebFetch", `{"url":"http://router.lan"}`, "sensitive", "reaches-inside"},
		{"WebFetch", `{"url":"file:///home/dev/.ssh/id_rsa"}`, "sensitive", "reads-secret"},
		{"WebFetch", `{"url":"HTTPS://PKG.GO.DEV.evil.example/os"}`, "sensitive", "reaches-machine"},
		{"WebFetch", `{"url":""}`, "sensitive", "not-read"},
		{"mcp__gh__get_issue", `{"n":1}`, "routine", ""},
		{"mcp__gh__create_issue", `{"title":"x"}`, "sensitive", "tool-changes"},
		{"mcp__gh__deleteRepo", `{"name":"x"}`, "destructive", "tool-deletes"},
		{"mcp__perm__danger", `{"what":"z"}`, "sensitive", "unknown-tool"},
		{"mcp__pg__list_tables", `{"q":"DELETE FROM users"}`, "destructive", "drops-data"},
		{"mcp__pg__query", `{"q":{"a":[["drop/* x */table users"]]}}`, "destructive", "drops-data"},
		{"mcp__sh__get", `{"a":{"command":"rm -rf build"}}`, "destructive", "deletes-folder"},
		{"mcp__fs__write_file", `{"path":"/etc/passwd"}`, "sensitive", "tool-changes writes-outside changes-system"},
		{"mcp__fs__read_file", `{"path":"/home/dev/.aws/credentials"}`, "sensitive", "reads-secret"},
		{"mcp__fs__move_files", `{"paths":["a","/home/dev/.ssh"]}`, "sensitive", "changes-keys"},
		{"mcp__x__eval", `{"code":"require('child_process').exec('rm -rf x')"}`, "destructive", "runs-inline-code deletes-folder"},
		{"deploy", `{"env":"prod"}`, "sensitive", "tool-changes"},
		{"frobnicate", `{}`, "sensitive", "unknown-tool"},
		{"run_shell_command", `{"command":"rm -r x","directory":"src"}`, "destructive", "deletes-folder"},
		{"run_shell_command", `{"command":"ls","directory":"/tmp"}`, "sensitive", "runs-outside"},
		{"shell", `{"command":["bash","-lc","rm -rf x"]}`, "destructive", "deletes-folder"},
		{"shell", `{"command":["ls","-la"]}`, "routine", ""},
		{"shell", `{"command":["echo","$(rm -rf x)"]}`, "routine", ""},
		{"Bash", `{"command":"ls","command":"rm -rf x"}`, "destructive", "deletes-folder"},
		{"Bash", `{"Command":"rm -rf x"}`, "destructive", "deletes-folder"},
		{"Bash", `{"command":"r\u006d -rf x"}`, "destructive", "deletes-folder"},
		{"Bash", `{"command":""}`, "sensitive", "not-read"},
		{"Bash", `{"command":null}`, "sensitive", "not-read"},
		{"Bash", `{}`, "sensitive", "not-read"},
		{"Bash", `null`, "sensitive", "not-read"},
		{"Bash", `"ls"`, "sensitive", "not-read"},
		{"Bash", `{"command":"ls"} x`, "sensitive", "not-read"},
		{"Bash", ``, "sensitive", "not-read"},
		{"", `{}`, "sensitive", "unknown-tool"},
		{"Write", `{"file_path":"a.go"` + strings.Repeat(`,"b":1`, 300) + `,"path":"/etc/x"}`, "sensitive", "too-large"},
		{"mcp__fs__read", `{"a":"` + strings.Repeat(`","b":"[x/*/`, 9000) + `"}`, "sensitive", "too-large"},
	} {
		class, reasons := Classify(toolCall(c.tool, c.input))
		if class.String() != c.class {
			t.Errorf("%s %.80s is %s %v, want %s", c.tool, c.input, class, reasons, c.class)
		}
		for _, id := range strings.Fields(c.reasons) {
			if !slices.Contains(ids(reasons), id) {
				t.Errorf("%s %.80s has reasons %v, want %s", c.tool, c.input, reasons, id)
			}
		}
	}
}

// Without a folder every write counts as outside, and without Own the usual
// places are still Answerback's.
func TestLittleIsKnown(t *testing.T) {
	for _, c := range []struct{ tool, input, reason string }{
		{"Write", `{"file_path":"a.go"}`, "writes-outside"},
		{"Bash", `{"command":"echo x > a"}`, "writes-outside"},
		{"Bash", `{"command":"cat ~/.local/state/answerback/agent.key"}`, "self"},
		{"Bash", `{"command":"ls /tmp/answerback-1000/agent.sock"}`, "self"},
	} {
		class, reasons := Classify(Input{Tool: c.tool, Input: []byte(c.input)})
		if class != Sensitive || !slices.Contains(ids(reasons), c.reason) {
			t.Errorf("%s %s: %s %v", c.tool, c.input, class, reasons)
		}
	}
}

func TestZeroClassIsDestructive(t *testing.T) {
	if Class(0).String() != "destructive" || Class(9).String() != "destructive" {
		t.Error("an unknown class reads as harmless")
	}
}

func TestNeverByRule(t *testing.T) {
	for command, want := range map[string]bool{
		"ls": false, "rm -rf x": false, "answerback devices": true, "sudo answerback agent": true, "cat ~/.config/answerback/policy.toml": true,
		"echo '{}' > .claude/settings.json": true,
	} {
		if _, reasons := Classify(shellCall(command)); NeverByRule(reasons) != want {
			t.Errorf("%q: %v, want %v", command, !want, want)
		}
	}
}

// However many reasons there are, those that matter most are kept.
func TestReasonsAreBounded(t *testing.T) {
	var all []string
	for _, file := range []string{"sensitive.txt", "destructive.txt"} {
		eachLine(file, func(command string) {
			if len(all) < 150 && !strings.ContainsAny(command, "\n") && !strings.Contains(command, "<<") && !strings.Contains(command, "unclosed") && !strings.HasPrefix(command, "if") {
				all = append(all, command)
			}
		})
	}
	class, reasons := Classify(shellCall(strings.Join(append(all, "answerback devices"), "\n")))
	if class != Destructive || len(reasons) != MaxReasons || classOf(reasons[0].ID) != Destructive {
		t.Errorf("%s with %d reasons", class, len(reasons))
	}
	if !NeverByRule(reasons) {
		t.Errorf("the reason self was dropped: %v", ids(reasons))
	}
}

// A piece is a part of the command as it was sent, so that it can be pointed at.
func TestPiecesStandInTheCommand(t *testing.T) {
	for _, file := range []string{"sensitive.txt", "destructive.txt", "evasions.txt"} {
		eachLine(file, func(command string) {
			_, reasons := Classify(shellCall(command))
			for _, r := range reasons {
				if !strings.Contains(command, r.Piece) {
					t.Errorf("%q: reason %s points to %q", command, r.ID, r.Piece)
				}
			}
		})
	}
}
