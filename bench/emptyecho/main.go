// Command emptyecho sends its stdin to the unix socket named in its first argument and waits for as many bytes back: the least that a
// process can do that asks another one.
package main

import (
	"io"
	"net"
	"os"
)

func main() {
	b, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(2)
	}
	c, err := net.Dial("unix", os.Args[1])
	if err != nil {
		os.Exit(2)
	}
	if _, err := c.Write(b); err != nil {
		os.Exit(2)
	}
	if _, err := io.ReadFull(c, b); err != nil {
		os.Exit(2)
	}
}
