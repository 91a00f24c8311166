package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"answerback/agent/control"
	"answerback/agent/device"
	abcrypto "answerback/crypto"
)

// B103: the first day at one machine, with one program and what it says itself: up, pair, try, allow, deny, hand back, look, doctor, revoke.
func TestB103_FirstDay(t *testing.T) {
	state, up, phone := upOnTerminal(t)

	out, errs, exit := try(t, state, phone, abcrypto.Allow, "")
	if exit != 0 || out != "{\"decision\":\"allow\"}\n" {
		t.Errorf("try exits %d and prints %q", exit, out)
	}
	wants(t, errs, `asking: Bash  echo hello from answerback`, `card on 1 device, `, ` s left`, `allowed by Pixel 9 in `, `next: answerback install`)

	out, errs, exit = try(t, state, phone, abcrypto.Deny, "not today")
	if exit != 0 || !strings.Contains(out, `"decision":"deny"`) || !strings.Contains(out, "not today") {
		t.Errorf("try exits %d and prints %q", exit, out)
	}
	wants(t, errs, `denied by Pixel 9 in `)

	denied(t, state)
	released(t, state)

	out, _, exit = run1(t, "--state", state, "devices")
	if exit != 0 {
		t.Errorf("devices exits %d", exit)
	}
	wants(t, out, `NAME`, `Pixel 9`, `Android, Chrome`, `approver`, `online`, `same machine`)
	out, _, _ = run1(t, "--state", state, "log", "show", "-n", "50")
	wants(t, out, `paired`, `allowed`, `denied`, `Pixel 9`, `the terminal`, `echo hello from answerback`)
	out, _, exit = run1(t, "--state", state, "doctor")
	if exit != 0 {
		t.Errorf("doctor exits %d: %s", exit, out)
	}
	wants(t, out, `note  device      Pixel 9`, `this machine`)

	installed(t, state)

	out, _, exit = run1(t, "--state", state, "devices", "revoke", "Pixel 9")
	if exit != 0 || out != "Pixel 9 is revoked: no answer of it counts from now on, on open cards too\n" {
		t.Errorf("revoke exits %d and prints %q", exit, out)
	}
	up.enter("\x03") // Ctrl-C
	up.ends(0)
}

// installed lets two coding tools of a project ask, has doctor send a call through each, and takes them out again.
func installed(t *testing.T, state string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"claude", "codex"} {
		out, errs, exit := run1(t, "--state", state, "install", name)
		if exit != 0 {
			t.Errorf("install %s exits %d: %s", name, exit, errs)
		}
		wants(t, out, "+++ ", `"PermissionRequest": [`)
		wants(t, errs, "take it out again: answerback uninstall "+name)
		if out, _, _ := run1(t, "--state", state, "install", name); !strings.Contains(out, name+" asks your devices already") {
			t.Errorf("a second time: %q", out)
		}
	}
	out, _, exit := run1(t, "--state", state, "doctor")
	if exit != 0 {
		t.Errorf("doctor exits %d: %s", exit, out)
	}
	wants(t, out, "ok    claude      asks by ", "ok    codex       asks by ", "a live call through it reached the agent and was denied in ")
	for _, name := range []string{"claude", "codex"} {
		if out, errs, exit := run1(t, "--state", state, "uninstall", name); exit != 0 || !strings.Contains(out, "removed the hook of "+name) {
			t.Errorf("uninstall %s exits %d: %s%s", name, exit, out, errs)
		}
	}
	left, err := filepath.Glob(".c*/*.json*")
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// try runs the sample call while the phone answers it.
func try(t *testing.T, state string, phone *device.Device, decision abcrypto.Decision, words string) (out, errs string, exit int) {
	t.Helper()
	answered := make(chan error, 1)
	go func() {
		v, err := phone.WaitCard(t.Context(), nil)
		if err == nil {
			waitOpen(t, state)
			time.Sleep(300 * time.Millisecond) // a person is slower than the line that says that the card is out
			_, err = phone.Answer(t.Context(), v.Card.Request, device.Reply{Decision: decision, Via: abcrypto.ViaApp, Words: words})
		}
		answered <- err
	}()
	out, errs, exit = run1(t, "--state", state, "try", "--wait", "20s")
	if err := <-answered; err != nil {
		t.Errorf("the phone did not answer: %v", err)
	}
	return out, errs, exit
}

// asks starts a sample call that nobody answers, and returns what it prints when it has ended.
func asks(t *testing.T, state string, args ...string) (open control.Pending, ended func() (out, errs string)) {
	t.Helper()
	cmd := exec.Command("answerback", append([]string{"--state", state, "try", "--agent", "deploy-bot", "--wait", "20s"}, args...)...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return waitOpen(t, state), func() (string, string) { cmd.Wait(); return out.String(), errs.String() }
}

func denied(t *testing.T, state string) {
	t.Helper()
	open, ended := asks(t, state)
	out, errs, exit := run1(t, "--state", state, "deny", open.ID, "--words", "wait for the backup")
	if exit != 0 || out != open.ID+" denied\n" {
		t.Errorf("deny exits %d and prints %q, %q", exit, out, errs)
	}
	out, errs = ended()
	wants(t, out, `"decision":"deny"`, `wait for the backup`)
	wants(t, errs, `denied by the terminal in `)
	if _, _, exit := run1(t, "--state", state, "deny", open.ID); exit != 3 {
		t.Errorf("a second deny exits %d", exit)
	}
}

func released(t *testing.T, state string) {
	t.Helper()
	open, ended := asks(t, state)
	out, _, exit := run1(t, "--state", state, "release", open.ID)
	if exit != 0 || out != open.ID+" handed back to deploy-bot: it asks in its own terminal\n" {
		t.Errorf("release exits %d and prints %q", exit, out)
	}
	out, errs := ended()
	if out != "" {
		t.Errorf("the hook prints %q", out)
	}
	wants(t, errs, `the call was handed back`)
}

func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

// TestB086_PendingShowsNoRawEscape: what a caller wrote cannot act on the terminal, in the list, whole, or as JSON, nor in the log.
func TestB086_PendingShowsNoRawEscape(t *testing.T) {
	state, _, _ := upOnTerminal(t)
	command := "ls \x1b]1337;SetColors=bg=000\a\x1b[2J\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\u009b31m\u202e\u200bdone\r\nrm -rf ~"
	open, ended := asks(t, state, "--", command)
	for _, args := range [][]string{{"pending"}, {"pending", open.ID}, {"pending", "--json"}, {"log", "show"}, {"log", "show", "--json"}, {"release", open.ID}} {
		out, errs, exit := run1(t, append([]string{"--state", state}, args...)...)
		if exit != 0 {
			t.Errorf("%v exits %d: %s", args, exit, errs)
		}
		harmless(t, strings.Join(args, " "), out+errs)
	}
	var back struct{ Command string }
	if err := json.Unmarshal([]byte(open.Input), &back); err != nil || back.Command != command {
		t.Errorf("the call that is shown is not the call that was asked: %q, %v", back.Command, err)
	}
	_, errs := ended()
	harmless(t, "try", errs)
}

// harmless wants nothing in a text that a terminal acts on but line ends.
func harmless(t *testing.T, where, text string) {
	t.Helper()
	for _, r := range text {
		if r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u200b' {
			t.Errorf("%s: a raw %U in %q", where, r, text)
			return
		}
	}
}

// TestPendingLooks: the list fits 80 columns, and the whole call is one command away.
func TestPendingLooks(t *testing.T) {
	state, _, _ := upOnTerminal(t)
	open, ended := asks(t, state, "--", "rm -rf build && rsync -a --delete dist/ host:/srv/www/example.org/ && echo "+strings.Repeat("x", 300))
	out, errs, _ := run1(t, "--state", state, "pending")
	for line := range strings.Lines(out) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	wants(t, out, "ID ", "LEFT", "CALLER", "FOLDER", "CLASS", "CALL", open.ID, "deploy-bot", "Bash")
	wants(t, errs, "a whole call: answerback pending ID")
	out, _, _ = run1(t, "--state", state, "pending", open.ID)
	wants(t, out, strings.Repeat("x", 300), "card on 1 device", open.RequestID)
	run1(t, "--state", state, "deny", open.ID)
	ended()
}

// TestWrongDigits: two tries are left after the first, nothing that is no six digits costs a try, and after three the code is used up.
func TestWrongDigits(t *testing.T) {
	state := stateFolder(t)
	s := onTerminal(t, nil, "--state", state, "up", "--listen", "localhost:0")
	link := s.see(`(http://localhost:\d+/p#[A-Z2-7]+)`)[1]
	ctx := t.Context()
	digits := make(chan string, 1)
	go device.Pair(ctx, link, device.PairOptions{Name: "Pixel\x1b[2J 9", Platform: "Android", OnDigits: func(d string) { digits <- d }}, device.Options{})
	s.see(`locked by "Pixel⟦U\+001B⟧\[2J 9" \(Android\)\.  digits: `)
	wrong := "000000"
	if <-digits == wrong {
		wrong = "111111"
	}
	s.enter("yes")
	s.see(`six digits, as the device shows them, are wanted\.  digits: `)
	s.enter(wrong)
	s.see(`wrong, 2 tries left\.  digits: `)
	s.enter(wrong)
	s.see(`wrong, 1 try left\.  digits: `)
	s.enter(wrong)
	s.see(`wrong three times`)
	s.see(`Enter for a new code`)
	s.enter("")
	if again := s.see(`(http://localhost:\d+/p#[A-Z2-7]+)`)[1]; again == link {
		t.Error("the same code is offered again")
	}
	s.enter("\x03")
	s.ends(0)
}

// TestPairIsCancelled: Ctrl-C says what holds now, and the agent can begin another one.
func TestPairIsCancelled(t *testing.T) {
	state, _, _ := upOnTerminal(t)
	for range 2 {
		s := onTerminal(t, nil, "--state", state, "pair")
		s.see(`type the six digits`)
		s.enter("\x03")
		s.see(`cancelled; the code is used up and nothing was paired`)
		s.ends(1)
		time.Sleep(50 * time.Millisecond)
	}
}

// TestCodeAndPromptFitTheTerminal: --qr draws the code that a loopback relay's link would have; with the prompt it takes 24 rows at most.
func TestCodeAndPromptFitTheTerminal(t *testing.T) {
	state, _, _ := upOnTerminal(t)
	s := onTerminal(t, nil, "--state", state, "pair", "--qr")
	s.see(`type the six digits that the device shows`)
	_, below, _ := strings.Cut(s.all(), "/p#")
	rows := strings.Split(below, "\n")[1:] // behind the link's own line
	if len(rows) > 24 {
		t.Errorf("code and prompt take %d rows", len(rows))
	}
	for _, row := range rows[:len(rows)-1] {
		if !strings.HasPrefix(row, "\x1b[38;5;16;48;5;231m") || !strings.HasSuffix(row, "\x1b[0m") {
			t.Errorf("a row does not force its colours: %q", row)
		}
	}
	s.enter("\x03")
	s.ends(1)
}
