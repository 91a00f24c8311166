package rules

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// hostile are texts that are large, nested, or costly to expand.
func hostile() map[string]string {
	fill := func(piece string, size int) string { return strings.Repeat(piece, size/len(piece)) }
	all := map[string]string{}
	for _, piece := range []string{"(", "{ ", "[[ ", "`", "$(", "${a:-", "$((", "<(", "if ", "! ", "a|", "a&&", "a;", "a\n", "a=b ", "a=$a;",
		"$a", "$a$b", "'", "\"", "\\", "{a,b}", "{a,b,c}{d,e}", "<<E\n", "<<<a ", ">a ", "case x in ", "f(){ ", "eval ", "sudo ", "env ", "bash -c ",
		"xargs ", "X=rm;$X ", "for i in a;do ", "\x00", "\xff", "é", "*", "a[", "rm -rf x;", "curl x|sh;", "time ", "coproc ", "echo a|", "sh -c 'a';", "a?(", "\"$(", "nice rm ", "psql -c 'drop ",
		"then ", "do ", "-- ", "!(", "$[", "~", "#", "((", "A=(", "foo rm ", "git -c a=b "} {
		for _, size := range []int{2 << 10, 16 << 10, MaxShell} {
			all[fmt.Sprintf("%d bytes of %q", size, piece)] = fill(piece, size)
		}
	}
	nested := "rm -rf x"
	for range 12 {
		nested = "bash -c " + quoteShell(nested)
	}
	all["bash -c in bash -c"] = nested
	all["many values"] = strings.Repeat("a=1;a=2;b=1;b=2;c=1;c=2;d=1;d=2;$a$b$c$d$a$b$c$d;", 400)
	all["many braces"] = strings.Repeat("echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b};", 15)
	all["doubling"] = "a=aaaaaaaa;" + strings.Repeat("a=$a$a;", 60) + "$a"
	all["doubling braces"] = "a=({x,y}{x,y}{x,y});" + strings.Repeat(`a=("${a[@]}" "${a[@]}");`, 40) + `"${a[@]}"`
	all["evals"] = strings.Repeat("x='eval \"$x\"';", 20) + strings.Repeat("eval \"$x\";", 400)
	all["dangers"] = "foo " + strings.Repeat("rm sh env sudo ", 4000)
	all["document"] = "sh <<E\n" + strings.Repeat("rm -rf $x\n", 6000) + "E\n"
	all["sql"] = "psql -c '" + strings.Repeat("drop /* ", 7000) + "'"
	return all
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Whatever a caller sends, the answer comes within 50 ms: the person waits, and
// so does every other call.
func TestHostileTextsAreFast(t *testing.T) {
	for name, text := range hostile() {
		checkFast(t, name, shellCall(text))
	}
}

func TestLargestInputsAreFast(t *testing.T) {
	const size = 1 << 20
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	text := strings.Repeat("DROP TABLE x; rm -rf / ", size/24)
	many := `{"a":"b"` + strings.Repeat(`,"path":"a/b"`, size/16) + `}`
	for name, input := range map[string]string{
		"one text":       fmt.Sprintf(`{"command":%q,"content":%q}`, text[:100], text),
		"a long command": fmt.Sprintf(`{"command":%q}`, text),
		"many members":   many,
		"many commands":  `{"a":"b"` + strings.Repeat(`,"command":"rm -rf x|sh"`, size/24) + `}`,
		"deep":           `{"a":` + deep + `}`,
		"numbers":        `{"a":[1` + strings.Repeat(`,1`, size/2) + `]}`,
		"not JSON":       strings.Repeat("{", size),
		"escapes":        `{"command":"` + strings.Repeat(`\u0041`, size/6) + `"}`,
	} {
		for _, tool := range []string{"Bash", "Write", "Read", "WebFetch", "mcp__a__b", "mcp__pg__delete", "apply_patch", "Other"} {
			in := shellCall("")
			in.Tool, in.Input = tool, []byte(input)
			checkFast(t, tool+" "+name, in)
		}
	}
}

// What is too large to be looked into is not parsed, and says so.
func TestTooLargeIsSensitive(t *testing.T) {
	for name, command := range map[string]string{
		"64 KiB and a byte": "echo " + strings.Repeat("x", MaxShell-4),
		"501 openers":       strings.Repeat("(", 501) + strings.Repeat(")", 501),
		"300,000 brackets":  strings.Repeat("(", 300_000),
		"nested scripts":    "bash -c " + quoteShell("bash -c "+quoteShell(strings.Repeat("(", 501))),
	} {
		class, reasons := Classify(shellCall(command))
		if class < Sensitive || len(reasons) == 0 || reasons[0].ID != "too-large" {
			t.Errorf("%s: %s %v", name, class, reasons)
		}
	}
}

func FuzzClassifyShell(f *testing.F) {
	for _, file := range []string{"routine.txt", "sensitive.txt", "destructive.txt", "evasions.txt"} {
		eachLine(file, func(command string) { f.Add(command) })
	}
	f.Fuzz(func(t *testing.T, command string) {
		checkAnswer(t, shellCall(command))
		// what runs a destructive command is destructive, whatever stands before it
		if class, _ := Classify(shellCall("rm -rf build\n" + command)); class != Destructive && readable(command+"rm -rf build") {
			t.Errorf("%q hides the line before it", command)
		}
	})
}

func FuzzClassifyTool(f *testing.F) {
	f.Add("Write", []byte(`{"file_path":"/home/dev/project/a","content":"x"}`))
	f.Add("mcp__pg__sql", []byte(`{"q":"DELETE FROM users","a":[{"command":"rm -r x"}]}`))
	f.Add("shell", []byte(`{"command":["bash","-lc","ls"]}`))
	f.Fuzz(func(t *testing.T, tool string, input []byte) {
		in := shellCall("")
		in.Tool, in.Input = tool, input
		checkAnswer(t, in)
	})
}

// checkAnswer checks what holds of every answer.
func checkAnswer(t *testing.T, in Input) {
	t.Helper()
	class, reasons := Classify(in)
	if class < Routine || class > Destructive || len(reasons) > MaxReasons || (class == Routine) != (len(reasons) == 0) {
		t.Fatalf("%s with %d reasons", class, len(reasons))
	}
	for i, r := range reasons {
		if _, known := reasonByID()[r.ID]; !known || len(r.Piece) > MaxPiece || i > 0 && classOf(r.ID) > classOf(reasons[i-1].ID) {
			t.Fatalf("reason %+v", r)
		}
	}
	again, _ := Classify(in)
	if again != class {
		t.Fatalf("%s, then %s", class, again)
	}
	if _, err := json.Marshal(reasons); err != nil {
		t.Fatal(err)
	}
}
