// Package docs keeps the pages true: their links lead somewhere, the byte values, limits and flags that they name are those of the code,
// the commands that they show exist, and the worked example of the protocol is what its own formulas give.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the project's folder, seen from this package's own.
const root = "../.."

// skipped are folders whose pages are not ours, or are made.
var skipped = map[string]bool{"node_modules": true, "dist": true, "bin": true, ".git": true, ".cache": true}

// pages are all pages of the project, by their path below it.
func pages(t *testing.T) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && skipped[d.Name()] {
			return fs.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(path, ".md") {
			name, _ := filepath.Rel(root, path)
			list = append(list, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 10 {
		t.Fatalf("only %d pages were found below %s", len(list), root)
	}
	return list
}

func page(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// section is the text below a heading, up to the next one of the same or a higher level.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	level := strings.IndexByte(heading, ' ')
	var out []string
	inside := false
	for _, line := range strings.Split(text, "\n") {
		if inside && strings.HasPrefix(line, "#") && strings.IndexByte(line, ' ') <= level {
			break
		}
		if inside {
			out = append(out, line)
		}
		inside = inside || line == heading
	}
	if !inside {
		t.Fatalf("there is no heading %q", heading)
	}
	return strings.Join(out, "\n")
}

func hasLine(text, line string) bool {
	return strings.Contains("\n"+text+"\n", "\n"+line+"\n")
}

// rows are the cells of every table row of a text, but for headings and rules.
func rows(text string) [][]string {
	var out [][]string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|--") || i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|--") {
			continue
		}
		var cells []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.Trim(strings.TrimSpace(cell), "`"))
		}
		out = append(out, cells)
	}
	return out
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```")
	other   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks: every relative link leads to a file or folder of the project, and every mark behind # to a heading there.
func TestLinks(t *testing.T) {
	seen := 0
	for _, name := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(page(t, name), ""), -1) {
			target, mark, marked := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			seen++
			path := name
			if target != "" {
				path = filepath.Join(filepath.Dir(name), target)
			}
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", name, m[1])
				continue
			}
			if marked && !anchors(page(t, path))[mark] {
				t.Errorf("%s: the link %s names no heading of %s", name, m[1], path)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d links were found", seen)
	}
}

// anchors are the marks that a page's headings have where it is shown.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		all[strings.ReplaceAll(strings.ToLower(other.ReplaceAllString(m[1], "")), " ", "-")] = true
	}
	return all
}

// TestNamedPagesExist: where code or a page names another page by its path, it is there.
func TestNamedPagesExist(t *testing.T) {
	named := regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.md\b`)
	seen := 0
	for _, name := range append(pages(t), goFiles(t)...) {
		for _, m := range named.FindAllString(page(t, name), -1) {
			seen++
			if _, err := os.Stat(filepath.Join(root, m)); err != nil {
				t.Errorf("%s names %s, which does not exist", name, m)
			}
		}
	}
	if seen == 0 {
		t.Error("no page is named anywhere")
	}
}

// TestNamedSectionsExist: code that points at a section of the protocol points at one that is there.
func TestNamedSectionsExist(t *testing.T) {
	named := regexp.MustCompile(`protocol\.md\)?, "([^"]+)"`)
	headings := anchors(page(t, "docs/protocol.md"))
	seen := 0
	for _, name := range append(pages(t), goFiles(t)...) {
		for _, m := range named.FindAllStringSubmatch(page(t, name), -1) {
			seen++
			if !headings[strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")] {
				t.Errorf("%s points at the section %q of docs/protocol.md, which does not exist", name, m[1])
			}
		}
	}
	if seen == 0 {
		t.Error("no section is named anywhere")
	}
}

// TestNoMachineInThePages: no page tells where it was written.
func TestNoMachineInThePages(t *testing.T) {
	place := regexp.MustCompile(`(^|[\s"'(=` + "`" + `])/(work|root|tmp/[a-z]+\.[A-Za-z0-9]+|Users)/|/home/(?:[^d\s]|d[^e\s]|de[^v\s])`)
	for _, name := range pages(t) {
		for i, line := range strings.Split(page(t, name), "\n") {
			if place.MatchString(line) {
				t.Errorf("%s:%d names a folder of some machine: %s", name, i+1, line)
			}
			if len([]rune(line)) > 160 && !strings.HasPrefix(line, "|") && strings.HasPrefix(name, "docs/") {
				t.Errorf("%s:%d has %d characters", name, i+1, len([]rune(line)))
			}
		}
	}
}

// goFiles are the project's Go files.
func goFiles(t *testing.T) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (skipped[d.Name()] || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.Contains(path, "test/docs/") {
			name, _ := filepath.Rel(root, path)
			list = append(list, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
