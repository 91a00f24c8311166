package agent

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	peerdevice "answerback/agent/device"
)

func TestOneCommand(t *testing.T) {
	for line, want := range map[string]bool{
		"sh|-c|answerback-hook":               true,
		"/bin/bash|-c|answerback-hook":        true,
		"bash|-lc|answerback-hook":            true,
		"bash|-l|-c|answerback-hook":          true,
		"bash|--noprofile|--norc|-c|x":        true,
		"bash|-ec|x":                          true,
		"zsh|-o|errexit|-c|x":                 false, // a word of an option: rather two cards than one too few
		"busybox|sh|-c|x":                     true,
		"fish|--command=x":                    true,
		"-bash":                               false,
		"bash":                                false,
		"bash|--norc":                         false,
		"bash|--rcfile|/tmp/rc":               false,
		"bash|-i":                             false,
		"sh|my-agent.sh|-c|x":                 false,
		"bash|/usr/local/bin/my-agent|--exec": false,
		"bash|-s|c":                           false,
		"busybox":                             false,
		"busybox|ls|-c":                       false,
		"node|-c|x":                           false,
		"/opt/sh/agent|-c|x":                  false,
		"":                                    false,
		"sh|":                                 false,
		"sh|-":                                false,
	} {
		if got := oneCommand(strings.Split(line, "|")); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

// processes starts hooks as a caller would: each by the shell command given, all at once, from this process.
func (tr *trip) processes(t *testing.T, stdin string, commands ...[]string) []chan string {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	words := "--agent my-tool --reply answerback --socket " + tr.opts.Socket + " --wait 8s PermissionRequest"
	start := t.TempDir()
	var outputs []chan string
	for _, command := range commands {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), hookWords+"="+words, hookStart+"="+start, "SELF="+self)
		cmd.Stdin = strings.NewReader(stdin)
		out := make(chan string, 1)
		go func() {
			got, err := cmd.Output()
			out <- fmt.Sprint(string(got), err)
		}()
		outputs = append(outputs, out)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if list, _ := os.ReadDir(start); len(list) == len(commands) || time.Now().After(end) {
			break
		}
	}
	must(t, os.WriteFile(filepath.Join(start, "all"), nil, 0o600))
	return outputs
}

func call(command string) string {
	return fmt.Sprintf(`{"session_id":"s","cwd":"/home/dev/project","tool_name":"Bash","tool_input":{"command":%q}}`, command)
}

// B035, H9: a hook that is configured twice is started twice by one caller, each through a shell of its own: one card, and one Allow.
func TestB035_HookConfiguredTwice(t *testing.T) {
	throughShell := []string{"sh", "-c", `"$SELF"; exit $?`} // the last word keeps the shell: no exec in its place
	for name, commands := range map[string][][]string{
		"through shells": {throughShell, throughShell},
		"through bash":   {{"bash", "-c", `"$SELF"; exit $?`}, {"bash", "-ec", `"$SELF"; exit $?`}},
		"nested shells":  {throughShell, {"sh", "-c", `sh -c '"$SELF"; exit $?'; exit $?`}},
		"by itself":      {{os.Args[0]}, {os.Args[0]}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTrip(t)
			phone := tr.pair("Pixel 9")
			outputs := tr.processes(t, call("npm test"), commands...)
			v := tr.card(phone, "npm test")
			time.Sleep(500 * time.Millisecond) // for a second card, if there were one
			if n := len(tr.agent.pending.all()); n != 1 {
				t.Errorf("%d cards of one call", n)
			}
			tr.answer(phone, v, allow())
			got := <-outputs[0] + "|" + <-outputs[1]
			if strings.Count(got, allowed) != 1 || strings.Count(got, "<nil>") != 2 {
				t.Errorf("the two hooks printed %q, want one Allow", got)
			}
		})
	}
}

// A Deny goes to both: each of the two would else ask again.
func TestHookConfiguredTwiceIsDeniedTwice(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	throughShell := []string{"sh", "-c", `"$SELF"; exit $?`}
	outputs := tr.processes(t, call("npm test"), throughShell, throughShell)
	v := tr.card(phone, "npm test")
	time.Sleep(300 * time.Millisecond)
	tr.answer(phone, v, deny("not now"))
	for i, out := range outputs {
		if got := <-out; !strings.HasPrefix(got, `{"decision":"deny","reason":"not now`) {
			t.Errorf("hook %d printed %q", i, got)
		}
	}
}

// Two callers that ask the same at the same time are two calls, though both start their hooks by a shell.
func TestTwoCallersAreTwoCalls(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	dir := t.TempDir()
	script := filepath.Join(dir, "my-agent.sh")
	must(t, os.WriteFile(script, []byte("sh -c '\"$SELF\"; exit $?'\nexit $?\n"), 0o700))
	outputs := tr.processes(t, call("npm test"), []string{"sh", script, "-c", "one"}, []string{"sh", script, "-c", "two"})
	for end := time.Now().Add(5 * time.Second); len(tr.agent.pending.all()) != 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d cards of two calls", len(tr.agent.pending.all()))
		}
	}
	for _, e := range tr.agent.pending.all() {
		v, err := phone.WaitCard(tr.within(), func(v peerdevice.View) bool { return v.Card.Request == e.id })
		must(t, err)
		tr.answer(phone, v, allow())
	}
	for i, out := range outputs {
		if got := <-out; got != allowed+"<nil>" {
			t.Errorf("caller %d got %q", i, got)
		}
	}
}

// The parent is found through names that hold spaces and brackets, and 0 is what cannot be read.
func TestParentOf(t *testing.T) {
	if got := parentOf(os.Getpid()); got != os.Getppid() {
		t.Errorf("our parent is %d, want %d", got, os.Getppid())
	}
	for _, pid := range []int{0, -1, 1 << 30} {
		if got := parentOf(pid); got != 0 {
			t.Errorf("the parent of %d is %d", pid, got)
		}
		if got := asker(pid); got != 0 {
			t.Errorf("who asked through %d is %d", pid, got)
		}
	}
	sleep, err := exec.LookPath("sleep")
	must(t, err)
	odd := filepath.Join(t.TempDir(), "a ) S 1 (b")
	must(t, os.Symlink(sleep, odd))
	cmd := exec.Command(odd, "60")
	must(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if got := parentOf(cmd.Process.Pid); got != os.Getpid() {
		t.Errorf("the parent of a process with an odd name is %d, want %d", got, os.Getpid())
	}
}

// asker looks past shells with -c, however many, and stops at everything else.
func TestAskerLooksPastShells(t *testing.T) {
	for _, command := range []string{`echo $$; read x`, `sh -c 'echo $$; read x'; exit`, `bash -c "sh -c 'echo \$\$; read x'; exit"; exit`} {
		cmd := exec.Command("sh", "-c", command)
		in, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		must(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		must(t, err)
		if got := asker(pid); got != os.Getpid() {
			t.Errorf("%s: %d asked, want %d", command, got, os.Getpid())
		}
		io.WriteString(in, "\n")
		must(t, cmd.Wait())
	}
}
