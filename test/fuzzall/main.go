// Command fuzzall runs every fuzz target of the project for a while each and counts the inputs: `fuzzall -time 30s`.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is one fuzz function.
type target struct{ dir, name string }

func main() {
	each := flag.Duration("time", 30*time.Second, "how long each target runs")
	flag.Parse()
	targets, err := find(".")
	if err != nil || len(targets) == 0 {
		fmt.Fprintln(os.Stderr, "fuzzall: no fuzz target was found:", err)
		os.Exit(1)
	}
	good, inputs := 0, 0
	for _, t := range targets {
		n, err := run(t, *each)
		inputs += n
		if err != nil {
			fmt.Printf("%-24s %-32s %9d inputs  failed: %v\n", t.dir, t.name, n, err)
			continue
		}
		good++
		fmt.Printf("%-24s %-32s %9d inputs\n", t.dir, t.name, n)
	}
	fmt.Printf("%d inputs\nfuzz: %d of %d\n", inputs, good, len(targets))
	if good < len(targets) {
		os.Exit(1)
	}
}

// find reads the tree for functions called FuzzXxx.
func find(root string) (targets []target, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
				targets = append(targets, target{filepath.Dir(path), f.Name.Name})
			}
		}
		return nil
	})
	slices.SortFunc(targets, func(a, b target) int { return strings.Compare(a.dir+a.name, b.dir+b.name) })
	return targets, err
}

// execs is how `go test -fuzz` says how many inputs it has tried.
var execs = regexp.MustCompile(`execs: (\d+)`)

// run fuzzes one target and returns how many inputs it took.
func run(t target, each time.Duration) (inputs int, err error) {
	cmd := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", each.String(), "-parallel", "2", "./"+t.dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	var said strings.Builder
	lines := bufio.NewScanner(io.TeeReader(out, &said))
	for lines.Scan() {
		if m := execs.FindStringSubmatch(lines.Text()); m != nil {
			inputs, _ = strconv.Atoi(m[1])
		}
	}
	if err := cmd.Wait(); err != nil && !onlyOutOfTime(said.String()) {
		return inputs, fmt.Errorf("%w\n%s", err, said.String())
	}
	return inputs, nil
}

// onlyOutOfTime reports whether a run failed by nothing but its own end: when the time is up while a worker is busy, go's fuzzer can call
// that a failure, with no input to blame. A real finding always names the input that it wrote down, or a seed that failed.
func onlyOutOfTime(said string) bool {
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		known := line == "" || line == "context deadline exceeded" || line == "FAIL" || strings.HasPrefix(line, "exit status") ||
			strings.HasPrefix(line, "fuzz: elapsed:") || strings.HasPrefix(line, "--- FAIL: Fuzz") || strings.HasPrefix(line, "FAIL\t")
		if !known {
			return false
		}
	}
	return strings.Contains(said, "context deadline exceeded")
}
