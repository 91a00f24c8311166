package rules

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// shellCall is a Bash call of Claude Code's in /home/dev/project.
func shellCall(command string) Input {
	input, err := json.Marshal(map[string]string{"command": command, "description": "a test"})
	if err != nil {
		panic(err)
	}
	return Input{Caller: "claude", Folder: "/home/dev/project", Home: "/home/dev", Tool: "Bash", Input: input,
		Own: []string{"/home/dev/.local/state/answerback", "/home/dev/.config/answerback", "/run/user/1000/answerback"}}
}

// A line of testdata/*.txt is CLASS [REASON,..] :: COMMAND, where a line break in
// the command is written as the symbol for newline.
func eachCommand(t *testing.T, file string, check func(t *testing.T, class string, reasons []string, command string)) int {
	t.Helper()
	content, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(content)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		head, command, ok := strings.Cut(line, " :: ")
		class, reasons, _ := strings.Cut(strings.TrimSpace(head), " ")
		if !ok {
			t.Fatalf("%s: line without ' :: ': %q", file, line)
		}
		n++
		check(t, class, strings.FieldsFunc(reasons, func(r rune) bool { return r == ',' || r == ' ' }), strings.ReplaceAll(command, "␤", "\n"))
	}
	return n
}

func TestCommands(t *testing.T) {
	total := 0
	for file, least := range map[string]int{"routine.txt": 60, "sensitive.txt": 80, "destructive.txt": 80, "evasions.txt": 100} {
		n := eachCommand(t, file, func(t *testing.T, want string, ids []string, command string) {
			class, reasons := Classify(shellCall(command))
			if class.String() != want {
				t.Errorf("%s: %q is %s %v, want %s", file, command, class, reasons, want)
			}
			for _, id := range ids {
				if !slices.ContainsFunc(reasons, func(r Reason) bool { return r.ID == id }) {
					t.Errorf("%s: %q has reasons %v, want %s", file, command, reasons, id)
				}
			}
		})
		if n < least {
			t.Errorf("%s: %d commands, want %d", file, n, least)
		}
		total += n
	}
	if total < 320 {
		t.Errorf("%d commands, want 320", total)
	}
}

// eachLine gives the commands of a table alone, as seeds.
func eachLine(file string, use func(command string)) {
	content, err := os.ReadFile("testdata/" + file)
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(content)) {
		if _, command, ok := strings.Cut(strings.TrimRight(line, "\n"), " :: "); ok {
			use(strings.ReplaceAll(command, "␤", "\n"))
		}
	}
}
