package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// code is what a page shows as code: spans, fences and indented blocks. Words in a sentence are no commands.
func code(text string) []string {
	var out []string
	inFence := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			inFence = !inFence
			continue
		}
		if inFence || strings.HasPrefix(line, "    ") {
			out = append(out, strings.TrimSpace(line))
			continue
		}
		spans := strings.Split(line, "`")
		for i := 1; i < len(spans); i += 2 {
			out = append(out, spans[i])
		}
	}
	return out
}

// words finds what stands behind a command's name at the front of a piece of code, prompts and a path before it left aside.
func words(pieces []string, name string) [][]string {
	front := regexp.MustCompile(`(?:^|[$(;|&]\s*|bin/)` + regexp.QuoteMeta(name) + ` ([a-z][^#|;&)]*)`)
	var all [][]string
	for _, piece := range pieces {
		for _, m := range front.FindAllStringSubmatch(piece, -1) {
			all = append(all, strings.Fields(m[1]))
		}
	}
	return all
}

// TestMakeTargets: every `make X` that a page shows is a target.
func TestMakeTargets(t *testing.T) {
	target := regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`)
	known := map[string]bool{}
	for _, m := range target.FindAllStringSubmatch(page(t, "Makefile"), -1) {
		known[m[1]] = true
	}
	seen := 0
	for _, name := range pages(t) {
		for _, args := range words(code(page(t, name)), "make") {
			seen++
			if !known[args[0]] {
				t.Errorf("%s: there is no target %q in the Makefile", name, args[0])
			}
		}
	}
	if seen < 3 {
		t.Errorf("only %d targets are shown", seen)
	}
}

// commands are the words that the command line knows, from its own source: the first word of every Use.
func commands(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	use := regexp.MustCompile(`Use:\s*"([a-z-]+)`)
	files, err := filepath.Glob(filepath.Join(root, "cmd/answerback/*.go"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files in cmd/answerback: %v", len(files), err)
	}
	for _, file := range files {
		name, _ := filepath.Rel(root, file)
		for _, m := range use.FindAllStringSubmatch(page(t, name), -1) {
			known[m[1]] = true
		}
	}
	return known
}

// TestCommands: every `answerback X` that a page shows is a command, and so is a second word that is no value.
func TestCommands(t *testing.T) {
	known := commands(t)
	second := map[string]bool{"devices": true, "log": true, "service": true, "help": true}
	seen := 0
	for _, name := range pages(t) {
		for _, args := range words(code(page(t, name)), "answerback") {
			seen++
			if !known[args[0]] {
				t.Errorf("%s: there is no command answerback %s", name, args[0])
			}
			if len(args) > 1 && second[args[0]] && regexp.MustCompile(`^[a-z]+$`).MatchString(args[1]) && !known[args[1]] {
				t.Errorf("%s: there is no command answerback %s %s", name, args[0], args[1])
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d commands are shown", seen)
	}
}

// flags are the flags that a file of cmd/answerback registers, with their defaults as they are written.
func flags(t *testing.T, file string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 4 {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		name, literal := call.Args[1].(*ast.BasicLit)
		if !ok || !literal || !strings.HasSuffix(method.Sel.Name, "Var") {
			return true
		}
		value := "" // nil, or an empty text
		if lit, ok := call.Args[2].(*ast.BasicLit); ok {
			value, _ = strconv.Unquote(lit.Value)
		}
		flag, _ := strconv.Unquote(name.Value)
		all["--"+flag] = value
		return true
	})
	if len(all) == 0 {
		t.Fatalf("%s registers no flag", file)
	}
	return all
}

// TestRelayFlags: the table of docs/relay.md is the command line of `answerback relay`.
func TestRelayFlags(t *testing.T) {
	known := flags(t, "cmd/answerback/relay.go")
	maps.Copy(known, flags(t, "cmd/answerback/push.go"))
	for _, cells := range rows(section(t, page(t, "docs/relay.md"), "## Flags")) {
		name, _, _ := strings.Cut(cells[0], " ")
		value, ok := known[name]
		if !ok {
			t.Errorf("docs/relay.md: answerback relay has no flag %s", name)
		}
		if said := strings.TrimPrefix(cells[1], "none"); said != value {
			t.Errorf("docs/relay.md: the default of %s is %q, the page says %q", name, value, cells[1])
		}
		delete(known, name)
	}
	for name := range known {
		t.Errorf("docs/relay.md does not list %s", name)
	}
}

// TestReservedNames: the names of docs/hook-reply.md are those that hook/caller keeps.
func TestReservedNames(t *testing.T) {
	m := regexp.MustCompile(`const reserved = "([^"]+)"`).FindStringSubmatch(page(t, "hook/caller/for.go"))
	if m == nil {
		t.Fatal("hook/caller/for.go has no list of reserved names")
	}
	text := section(t, page(t, "docs/hook-reply.md"), "## Names")
	for _, name := range strings.Fields(m[1]) {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/hook-reply.md, Names: %s is missing", name)
		}
	}
}

// TestCallersHaveARow: an adapter without a row in docs/callers.md would be one that nobody knows the limits of.
func TestCallersHaveARow(t *testing.T) {
	m := regexp.MustCompile(`func Names\(\) \[\]string \{ return \[\]string\{([^}]*)\} \}`).FindStringSubmatch(page(t, "hook/caller/for.go"))
	if m == nil {
		t.Fatal("hook/caller/for.go has no list of adapters")
	}
	text := page(t, "docs/callers.md")
	for _, id := range strings.Split(m[1], ",") {
		if name := strings.TrimSuffix(strings.TrimSpace(id), "Name"); !strings.Contains(text, "`--agent "+name+"`") {
			t.Errorf("docs/callers.md has no row for --agent %s", name)
		}
	}
}
