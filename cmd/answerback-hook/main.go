// Command answerback-hook is what a caller starts to ask: the caller's hook
// JSON on standard input, the answer in the caller's own form on standard
// output. Its flags are listed at hook.Run; an unknown one means no opinion.
package main

import (
	"os"

	"answerback/hook"
)

func main() {
	os.Exit(hook.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
