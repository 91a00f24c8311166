package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// call is what a home-made tool would ask.
const call = `{"session_id":"s","cwd":"/home/dev/project","tool_name":"Bash","tool_input":{"command":"npm test"}}`

// numbered is a call like no other: equal ones in quick succession are one call seen twice.
func numbered(i int) string {
	return strings.Replace(call, "npm test", fmt.Sprintf("npm test %d", i), 1)
}

// start runs a program to its exit and checks what it printed.
func start(stdin, want, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdin = bytes.NewReader([]byte(stdin))
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	if !bytes.Contains(out, []byte(want)) || want == "" && len(out) > 0 {
		return fmt.Errorf("%s printed %q, want %q", filepath.Base(name), out, want)
	}
	return nil
}

// hookAlone is the hook with nobody there, and its size.
func (b *bench) hookAlone() ([]figure, error) {
	nobody := filepath.Join(b.dir, "nobody.sock")
	hooks, empties, err := pairs(b.rounds,
		func() error {
			return start(call, "", b.hook, "--agent", "my-tool", "--reply", "answerback", "--socket", nobody, "PermissionRequest")
		},
		func() error { return start(call, "", b.empty) })
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(b.hook)
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: "hook, no agent", value: ratio(hooks, empties), goal: 1.3, baseline: "an empty Go program", detail: detail(hooks, empties)},
		{name: "hook binary", value: float64(info.Size()) / 1e6, unit: " MB", goal: 2.5, baseline: "size on disk"},
	}, nil
}
