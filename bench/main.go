// Command bench prints what Answerback costs, as ratios to a baseline that is measured in the same run, in turns: so the machine's other
// work hits both. It starts the real binaries.
//
//	go run . -answerback ../bin/answerback -hook ../bin/answerback-hook
//
// A line a figure: `<name> <figure> goal <goal> ok|short`, with the baseline named; last `bench: N of N`, and exit 1 if a goal was missed.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// bench is one run: the binaries and a folder of its own.
type bench struct {
	answerback, hook, dir string
	empty, echo           string
	rounds                int
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "hop" {
		hop()
		return
	}
	b := bench{}
	flag.StringVar(&b.answerback, "answerback", "../bin/answerback", "the `FILE` to measure")
	flag.StringVar(&b.hook, "hook", "../bin/answerback-hook", "the hook's `FILE`")
	flag.IntVar(&b.rounds, "rounds", 200, "how often each pair is measured")
	flag.Parse()
	good, all, err := b.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	fmt.Printf("bench: %d of %d\n", good, all)
	if good < all {
		os.Exit(1)
	}
}

// run measures every figure and prints it as soon as it is known.
func (b *bench) run() (good, all int, err error) {
	if b.dir, err = os.MkdirTemp("", "answerback-bench"); err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(b.dir)
	if err := b.build(); err != nil {
		return 0, 0, err
	}
	for _, measure := range []func() ([]figure, error){b.hookAlone, b.relayHop, b.trip} {
		figures, err := measure()
		if err != nil {
			return good, all, err
		}
		for _, f := range figures {
			fmt.Println(f)
			all++
			if f.ok() {
				good++
			}
		}
	}
	return good, all, nil
}

// build makes the two baseline programs.
func (b *bench) build() (err error) {
	b.empty, b.echo = filepath.Join(b.dir, "empty"), filepath.Join(b.dir, "emptyecho")
	for out, pkg := range map[string]string{b.empty: "./empty", b.echo: "./emptyecho"} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("build %s: %w", pkg, err)
		}
	}
	for _, file := range []*string{&b.answerback, &b.hook} {
		if *file, err = filepath.Abs(*file); err != nil {
			return err
		}
	}
	return nil
}
