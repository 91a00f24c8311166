// Command empty does nothing: the baseline of every process that is started.
package main

func main() {}
