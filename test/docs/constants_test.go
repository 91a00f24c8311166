package docs

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dirs are the packages whose constants the pages name, by the name that the pages use.
var dirs = map[string]string{
	"crypto": "crypto", "pairing": "pairing", "relay": "relay", "hook": "hook", "card": "agent/card", "caller": "hook/caller",
	"agent": "agent", "passkey": "agent/internal/passkey", "audit": "agent/internal/audit",
}

// constants are all constants of those packages with their expressions.
type constants map[string]ast.Expr

// kinds are the types of those that are declared with one.
var kinds = map[string]string{}

// readConstants parses the packages: the values come from the source, not from what this test was built with.
func readConstants(t *testing.T) constants {
	t.Helper()
	all := constants{}
	for name, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", dir, err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				all.read(t, name, file)
			}
		}
	}
	return all
}

func (all constants) read(t *testing.T, name, file string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range parsed.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			s := spec.(*ast.ValueSpec)
			for i, id := range s.Names {
				if i < len(s.Values) {
					all[name+"."+id.Name] = s.Values[i]
				}
				if typ, ok := s.Type.(*ast.Ident); ok {
					kinds[name+"."+id.Name] = name + "." + typ.Name
				}
			}
		}
	}
}

// durations are package time's constants in milliseconds, the unit in which the pages give times.
var durations = map[string]int64{"Millisecond": 1, "Second": 1000, "Minute": 60_000, "Hour": 3_600_000}

// value evaluates a constant: a number in decimal, a string as it is. Times come in milliseconds.
func (all constants) value(name string) (string, error) {
	e, ok := all[name]
	if !ok {
		return "", fmt.Errorf("there is no constant %s", name)
	}
	v, err := all.eval(e, name[:strings.IndexByte(name, '.')])
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if v.Kind() == constant.String {
		return constant.StringVal(v), nil
	}
	return v.ExactString(), nil
}

func (all constants) eval(e ast.Expr, in string) (constant.Value, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0), nil
	case *ast.ParenExpr:
		return all.eval(e.X, in)
	case *ast.Ident:
		return all.named(in + "." + e.Name)
	case *ast.SelectorExpr:
		return all.selected(e)
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "len" {
			v, err := all.eval(e.Args[0], in)
			if err != nil {
				return nil, err
			}
			return constant.MakeInt64(int64(len(constant.StringVal(v)))), nil
		}
		return all.eval(e.Args[0], in) // a conversion
	case *ast.BinaryExpr:
		return all.binary(e, in)
	}
	return nil, fmt.Errorf("an expression that this test cannot read: %T", e)
}

func (all constants) named(name string) (constant.Value, error) {
	e, ok := all[name]
	if !ok {
		return nil, fmt.Errorf("there is no constant %s", name)
	}
	return all.eval(e, name[:strings.IndexByte(name, '.')])
}

func (all constants) selected(e *ast.SelectorExpr) (constant.Value, error) {
	pkg, ok := e.X.(*ast.Ident)
	if !ok {
		return nil, fmt.Errorf("an expression that this test cannot read")
	}
	if ms, ok := durations[e.Sel.Name]; ok && pkg.Name == "time" {
		return constant.MakeInt64(ms), nil
	}
	return all.named(strings.TrimPrefix(pkg.Name, "ab") + "." + e.Sel.Name)
}

func (all constants) binary(e *ast.BinaryExpr, in string) (constant.Value, error) {
	x, err := all.eval(e.X, in)
	if err != nil {
		return nil, err
	}
	y, err := all.eval(e.Y, in)
	if err != nil {
		return nil, err
	}
	if e.Op == token.SHL {
		n, _ := constant.Uint64Val(y)
		return constant.Shift(x, e.Op, uint(n)), nil
	}
	return constant.BinaryOp(x, e.Op, y), nil
}

// listed are the constants that a table of the appendix lists: its rows begin with the value and end with the constant.
func listed(t *testing.T, text string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, cells := range rows(text) {
		name := cells[len(cells)-1]
		if !strings.Contains(name, ".") || strings.ContainsAny(name, " /") {
			t.Errorf("a row of a table of values does not end with a constant: %q", cells)
			continue
		}
		if _, twice := out[name]; twice {
			t.Errorf("%s is listed twice", name)
		}
		said := strings.ReplaceAll(cells[0], ",", "")
		if said == "(empty)" {
			said = ""
		}
		out[name] = said
	}
	return out
}

// TestAppendixA: every byte value, word and limit of the page is the constant of the code.
func TestAppendixA(t *testing.T) {
	all := readConstants(t)
	rows := listed(t, section(t, page(t, "docs/protocol.md"), "## Appendix A: byte values, words and limits"))
	for name, said := range rows {
		got, err := all.value(name)
		if err != nil {
			t.Errorf("docs/protocol.md, Appendix A: %v", err)
		} else if got != said {
			t.Errorf("docs/protocol.md, Appendix A: %s is %q in the code, the page says %q", name, got, said)
		}
	}
	if len(rows) < 100 {
		t.Errorf("the appendix lists only %d values", len(rows))
	}
}

// groups are the beginnings of the names of constants that all have to stand in the appendix, and whole the types of such constants.
var (
	groups = []string{"crypto.Type", "crypto.Flag", "pairing.type", "hook.Flag"}
	whole  = []string{
		"crypto.Decision", "crypto.Via", "crypto.Direction", "pairing.Reason", "relay.Type", "relay.UnsentReason", "relay.ByeReason", "relay.Urgency",
		"hook.FrameType", "card.Kind", "card.Class", "card.Need", "card.Outcome", "card.End", "card.Word", "card.Role", "card.Action", "card.Verb",
		"card.LockScreen", "card.NoAllow",
	}
)

// TestAppendixAIsWhole: a byte value that is new in the code needs a row.
func TestAppendixAIsWhole(t *testing.T) {
	all := readConstants(t)
	rows := listed(t, section(t, page(t, "docs/protocol.md"), "## Appendix A: byte values, words and limits"))
	for _, kind := range whole {
		if !slices.Contains(slices.Collect(maps.Values(kinds)), kind) {
			t.Errorf("no constant is of the type %s any more: mend this test", kind)
		}
	}
	for name := range all {
		in := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if _, ok := rows[name]; !ok && (slices.ContainsFunc(groups, in) || slices.Contains(whole, kinds[name])) {
			t.Errorf("docs/protocol.md, Appendix A does not list %s", name)
		}
	}
}

// TestLabels: the table of labels is crypto/label.go and relay/box.go, no more and no less.
func TestLabels(t *testing.T) {
	all := readConstants(t)
	want := map[string]bool{}
	for name := range all {
		if strings.HasPrefix(name, "crypto.Word") {
			word, err := all.value(name)
			if err != nil {
				t.Fatal(err)
			}
			want[word] = true
		}
		if strings.HasPrefix(name, "relay.label") {
			label, err := all.value(name)
			if err != nil {
				t.Fatal(err)
			}
			want[strings.TrimSuffix(strings.TrimPrefix(label, "answerback/1 "), "\x00")] = true
		}
	}
	got := map[string]bool{}
	for _, cells := range rows(section(t, page(t, "docs/protocol.md"), "### Labels")) {
		for _, word := range strings.Split(cells[0], "`, `") {
			got[word] = true
		}
	}
	for word := range want {
		if !got[word] {
			t.Errorf("docs/protocol.md, Labels: %q is missing", word)
		}
	}
	for word := range got {
		if !want[word] {
			t.Errorf("docs/protocol.md, Labels: the code has no label %q", word)
		}
	}
}

// TestRelayLimits: the defaults that docs/relay.md tells are those of relayserver.
func TestRelayLimits(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root, "relay/relayserver/options.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := constants{}
	said := map[string]string{}
	for _, cells := range rows(section(t, page(t, "docs/relay.md"), "## Limits")) {
		said[cells[len(cells)-1]] = strings.ReplaceAll(cells[0], ",", "")
	}
	n := 0
	for _, line := range strings.Split(string(source), "\n") {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "set(&l.")
		if !ok {
			continue
		}
		n++
		field, text, _ := strings.Cut(strings.TrimSuffix(rest, ")"), ", ")
		e, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		v, err := all.eval(e, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := said["Limits."+field]; got != v.ExactString() {
			t.Errorf("docs/relay.md, Limits: Limits.%s is %s in the code, the page says %q", field, v.ExactString(), got)
		}
	}
	if n < 10 {
		t.Errorf("only %d defaults were found in relayserver/options.go", n)
	}
}
