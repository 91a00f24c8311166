package law

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// caseRow is one row of test/cases.md.
var caseRow = regexp.MustCompile(`(?m)^\| ([BM]\d{3}) \| ([^|]+) \| ([^|]+) \|$`)

// caseTest is the name of a test that is named after a report.
var caseTest = regexp.MustCompile(`^Test([BM]\d{3})_[A-Z]`)

// mustHave are the reports about binding, endurance, pairing, and what was measured on others: each has a test, always.
const mustHave = `B001 B003 B006 B007 B008 B009 B013 B015 B016 B037 B039 B041 B042 B090 B092 B093 B094 B096 B097 B099 B100 B102 B103 B105 B106
	M001 M002 M006 M007 M008 M009 M011 M012 M013 M014 M015 M016`

func TestEveryReportHasItsTests(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(root, "test", "cases.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	rows := map[string]bool{}
	for _, row := range caseRow.FindAllStringSubmatch(string(table), -1) {
		id, named := row[1], strings.Split(row[3], ", ")
		if rows[id] {
			t.Errorf("%s has two rows", id)
		}
		rows[id] = true
		for _, name := range named {
			if !strings.HasPrefix(filepath.Base(strings.ToUpper(name)), id) && !strings.Contains(name, ".Test"+id+"_") {
				t.Errorf("%s: %s is not named after it", id, name)
			}
			if _, err := os.Stat(filepath.Join(root, name)); !tests[name] && (err != nil || !strings.HasSuffix(name, ".txtar")) {
				t.Errorf("%s: there is no test %s", id, name)
			}
		}
	}
	for _, id := range strings.Fields(mustHave) {
		if !rows[id] {
			t.Errorf("%s has no row in test/cases.md", id)
		}
	}
	for name := range tests {
		_, fn, _ := strings.Cut(name, ".")
		if m := caseTest.FindStringSubmatch(fn); m != nil && !rows[m[1]] {
			t.Errorf("%s: %s has no row in test/cases.md: say there what kind of fault it is", name, m[1])
		}
	}
}

// testNames are all tests of the tree, as folder.TestName.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, f := range files(t) {
		if !f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				names[f.dir+"."+fn.Name.Name] = true
			}
		}
	}
	return names
}
