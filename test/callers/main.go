// Command callers runs the real coding tools, offline, against a small model of ours on loopback, with the configuration that `answerback install`
// writes, the real hook, agent and relay, and a paired device in Go. It prints a table of program and outcome; the last line is
// `callers: N of N`. The programs come from npm, at the versions of package.json, into a cache folder outside of the checkout.
//
//	go run ./test/callers -bin bin
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// outcome is one line of the table.
type outcome struct {
	program, story string
	err            error
}

func main() {
	bin := flag.String("bin", "bin", "the `FOLDER` of answerback and answerback-hook")
	cache := flag.String("cache", defaultCache(), "the `FOLDER` that keeps the programs")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	all, err := run(ctx, *bin, *cache)
	if err != nil {
		fmt.Fprintln(os.Stderr, "callers:", err)
		os.Exit(1)
	}
	good := 0
	for _, o := range all {
		word := "ok"
		if o.err != nil {
			word = "FAIL  " + o.err.Error()
		} else {
			good++
		}
		fmt.Printf("%-20s  %-44s  %s\n", o.program, o.story, word)
	}
	fmt.Printf("callers: %d of %d\n", good, len(all))
	if good < len(all) {
		os.Exit(1)
	}
}

func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "answerback-callers")
}

// run sets the stage and tells every story.
func run(ctx context.Context, bin, cache string) ([]outcome, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	if err := fetch(ctx, cache); err != nil {
		return nil, err
	}
	w, err := newWorld(ctx, bin)
	if err != nil {
		return nil, err
	}
	defer w.end()
	c := &claude{world: w, program: filepath.Join(cache, "node_modules/@anthropic-ai/claude-code-linux-x64/claude")}
	version, err := c.version(ctx)
	if err != nil {
		return nil, err
	}
	var all []outcome
	for _, s := range c.stories() {
		all = append(all, outcome{"Claude Code " + version, s.name, s.tell(ctx)})
	}
	return all, nil
}

// story is one thing that has to come out.
type story struct {
	name string
	tell func(context.Context) error
}
