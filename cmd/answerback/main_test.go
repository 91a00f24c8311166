package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"answerback/hook"
)

// TestMain makes this test binary both programs, side by side in one folder of PATH, as an installation is.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"answerback":      main,
		"answerback-hook": func() { os.Exit(hook.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}
