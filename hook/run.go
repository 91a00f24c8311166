package hook

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// armAfter is how long the process runs before it takes signals into its own
// hands. Most calls without an agent are over by then, and asking the kernel
// for signals costs a fifth of a millisecond.
const armAfter = 5 * time.Millisecond

// Run is the whole hook process: args without the program's name, and the code
// to exit with, which is never 1.
//
//	--agent NAME             who asks, 1-24 of [a-z0-9-]; has to be there
//	--reply answerback       a tool of your own that reads the open reply
//	--socket PATH            the agent's socket, absolute, at most 100 bytes
//	--peer-uid N             the user that the agent runs as; else our own
//	--wait SECONDS           how long to wait, 1-3600, or a duration such as 500ms
//	--fail-mode open|closed  what a gate does when nobody answers
//	--probe                  a self-test, which the agent denies by itself
//	EVENT                    the caller's name for what happened
//
// A command line with anything else in it has no opinion. Run returns when the
// reply is written; a reader of stdin that is still blocked is left behind for
// the exit to end.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) (exit int) {
	start := time.Now()
	o := parseArgs(args)
	var silence Verdict
	silence.Exit, silence.Stdout, silence.Stderr = Fallback(o.caller, o.event, o.flags&FlagClosed != 0)
	done := make(chan Verdict, 1)
	go work(start, o, stdin, silence, done)
	r := wait(done, silence)
	r.print(stdout, stderr)
	return r.Exit
}

// work finds the reply. A panic in it is one more way to have no opinion.
func work(start time.Time, o options, stdin io.Reader, silence Verdict, done chan<- Verdict) {
	r := silence
	defer func() {
		if recover() != nil {
			r = silence
		}
		done <- r
	}()
	if v, ok := verdict(start, o, stdin); ok {
		r = v
	}
}

// verdict asks the agent, or says why not by ok = false. Standard input is
// read to its end in every case, for the caller's sake.
func verdict(start time.Time, o options, stdin io.Reader) (v Verdict, ok bool) {
	us := os.Getuid()
	if o.owner < 0 {
		o.owner = us
	}
	if o.socket == "" {
		o.socket = Socket(us)
	}
	until := start.Add(stdinWithin)
	if o.bad || CheckSocket(o.socket, o.owner) != nil {
		o.bad = true
		until = start.Add(drainWithin)
	}
	data, err := readStdin(stdin, until)
	if err != nil || o.bad {
		return Verdict{}, false
	}
	c, err := dial(o.socket, o.owner)
	if err != nil {
		return Verdict{}, false
	}
	return ask(start, o, data, c)
}

// wait waits for the reply or for a signal that would end the process, and
// then has no opinion.
func wait(done <-chan Verdict, silence Verdict) Verdict {
	timer := time.NewTimer(armAfter)
	select {
	case r := <-done:
		timer.Stop()
		return r
	case <-timer.C:
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(end)
	select {
	case r := <-done:
		return r
	case <-end:
		return silence
	}
}

// print writes the reply, each stream in one call. After a failed write it
// writes nothing more: a caller that got half of it has to refuse it.
func (r Verdict) print(stdout, stderr io.Writer) {
	if len(r.Stdout)+len(r.Stderr) == 0 {
		return
	}
	signal.Ignore(syscall.SIGPIPE)
	if len(r.Stdout) > 0 {
		if _, err := stdout.Write(r.Stdout); err != nil {
			return
		}
	}
	if len(r.Stderr) > 0 {
		_, _ = stderr.Write(r.Stderr)
	}
}
