// Package law holds the project's policies as tests: which room may import which, and that every package says what it is for.
package law

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// root is the project's folder, seen from this package's own.
const root = "../.."

// skipped are folders without code of ours.
var skipped = map[string]bool{"node_modules": true, "testdata": true, "dist": true, "bin": true, ".git": true, ".cache": true}

// file is one parsed Go file: its package's path below the module, and what it imports.
type file struct {
	path, dir string
	test      bool
	ast       *ast.File
	imports   []string
}

// files reads the tree itself. A test that asked `go list` was seen to pass from the test cache.
func files(t *testing.T) []file {
	t.Helper()
	var all []file
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && skipped[d.Name()] {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, newFile(path, parsed))
		return nil
	})
	if err != nil {
		t.Fatalf("law: read the tree: %v", err)
	}
	if len(all) < 3 {
		t.Fatalf("law: only %d Go files were found below %s", len(all), root)
	}
	return all
}

func newFile(path string, parsed *ast.File) file {
	rel, _ := filepath.Rel(root, path)
	f := file{path: rel, dir: filepath.ToSlash(filepath.Dir(rel)), test: strings.HasSuffix(path, "_test.go"), ast: parsed}
	for _, spec := range parsed.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		f.imports = append(f.imports, name)
	}
	return f
}

// within reports whether dir is room or lies below it.
func within(dir, room string) bool { return dir == room || strings.HasPrefix(dir, room+"/") }

// ours returns the part of an import below the module, and whether it is ours at all.
func ours(name string) (string, bool) { return strings.CutPrefix(name, "answerback/") }

// isStd reports whether an import is of the standard library: its first element has no dot.
func isStd(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".") && first != "answerback"
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range files(t) {
		if f.test && !strings.HasPrefix(f.dir, "test/") {
			continue
		}
		has := f.ast.Doc != nil && len(f.ast.Doc.Text()) > 20
		documented[f.dir] = documented[f.dir] || has
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment: say in its main file what it is for", dir)
		}
	}
}

func TestNoPackageIsNamedForNothing(t *testing.T) {
	banned := map[string]bool{"util": true, "utils": true, "common": true, "types": true, "helpers": true, "models": true}
	for _, f := range files(t) {
		if banned[f.ast.Name.Name] || banned[filepath.Base(f.dir)] {
			t.Errorf("%s: a package named %s says nothing; name it for what it does", f.path, f.ast.Name.Name)
		}
	}
}
