package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	realagent "answerback/agent"
	"answerback/agent/card"
	"answerback/agent/control"
	"answerback/hook"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
	"answerback/test/browser"
)

// machine is the product's own agent on its own socket.
type machine struct {
	t      *testing.T
	socket string
}

func startMachine(t *testing.T, url string) *machine {
	t.Helper()
	dir := t.TempDir()
	m := &machine{t: t, socket: filepath.Join(dir, "k", "agent.sock")}
	a, err := realagent.Open(realagent.Options{State: filepath.Join(dir, "s"), Socket: m.socket, Name: "studio", Host: "studio", RelayURL: url, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the agent ended with: %v", err)
		}
	})
	return m
}

// pair types into the terminal what the page shows.
func (m *machine) pair(p browser.Page) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := control.Dial(ctx, m.socket, control.Request{Do: control.DoPair})
	for err != nil && ctx.Err() == nil { // the socket opens a moment after the start
		time.Sleep(20 * time.Millisecond)
		conn, err = control.Dial(ctx, m.socket, control.Request{Do: control.DoPair})
	}
	if err != nil {
		m.t.Fatal(err)
	}
	defer conn.Close()
	for {
		reply, err := conn.Next()
		switch {
		case err == io.EOF:
			return
		case err != nil:
			m.t.Fatal(err)
		case reply.Pair == nil:
		case reply.Pair.Event == "code":
			s := browser.Eval[step](m.t, p, "pair("+strconv.Quote(reply.Pair.Link)+", 'digits')")
			if err := conn.Say(control.PairInput{Digits: s.Digits}); err != nil {
				m.t.Fatalf("%+v: %v", s, err)
			}
		}
	}
}

// call runs the hook's own code as a home-made tool would, and gives what it printed.
func (m *machine) call(command string) <-chan string { return m.callTool("run", command) }

func (m *machine) callTool(tool, command string) <-chan string {
	printed := make(chan string, 1)
	go func() {
		var out, errs bytes.Buffer
		in := fmt.Sprintf(`{"session_id":"s","cwd":"/home/dev/project","tool_name":%q,"tool_input":{"command":%q}}`, tool, command)
		exit := hook.Run([]string{"--agent", "my-tool", "--reply", "answerback", "--socket", m.socket, "--wait", "30", "PermissionRequest"}, strings.NewReader(in), &out, &errs)
		printed <- fmt.Sprintf("%d %s", exit, strings.TrimSpace(out.String()))
	}()
	return printed
}

// The whole trip with the product's own parts: the hook asks, the page allows, the hook prints it, the page says so only then.
func TestMachineAndPhone(t *testing.T) {
	r := relaytest.New(t, relayserver.Options{App: appFS(t)})
	p := chromium.Page(t)
	openCore(t, p, r.URL)
	m := startMachine(t, r.URL)
	m.pair(p)
	browser.Eval[any](t, p, `until(() => core.machines(), (m) => m[0]?.online)`)
	for decision, want := range map[string]string{"allow": `{"decision":"allow"}`, "deny": `{"decision":"deny","reason":`} {
		printed := m.call("echo " + decision)
		w := browser.Eval[struct {
			Card struct {
				RequestID string `json:"request_id"`
				Input     string
			}
			NoAllow string `json:"noAllow"`
		}](t, p, `until(() => core.waiting().find((w) => w.progress.at === "open"), Boolean)`)
		if w.NoAllow != "" {
			t.Fatalf("%s: the card offers no Allow: %s", w.Card.Input, w.NoAllow)
		}
		browser.Eval[bool](t, p, fmt.Sprintf(`core.answer(core.machines()[0].id, %q, %q, {words: %q}).then(() => true)`, w.Card.RequestID, decision, map[string]string{"deny": "Not on a Friday."}[decision]))
		select {
		case got := <-printed:
			if !strings.HasPrefix(got, "0 "+want) {
				t.Errorf("%s: the hook printed %q", decision, got)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: the hook waits in vain", decision)
		}
		end := browser.Eval[struct {
			At      string
			Receipt struct{ Outcome card.Outcome }
		}](t, p, fmt.Sprintf(`until(() => core.waiting().find((w) => w.card.request_id === %q).progress, (p) => p.at === "receipt")`, w.Card.RequestID))
		if end.Receipt.Outcome != card.Accepted {
			t.Errorf("%s: outcome %q", decision, end.Receipt.Outcome)
		}
	}
}

// Calls that come at once, and a page that opens only then, give no false alarm about the log: every card offers its Allow.
func TestManyCallsAtOnce(t *testing.T) {
	r := relaytest.New(t, relayserver.Options{App: appFS(t)})
	p := chromium.Page(t)
	openCore(t, p, r.URL)
	m := startMachine(t, r.URL)
	m.pair(p)
	var printed []<-chan string
	for i := range 12 {
		printed = append(printed, m.call(fmt.Sprint("echo ", i)))
	}
	open := `core.waiting().filter((w) => w.progress.at === "open")`
	for _, when := range []string{"as they come", "after a reload"} {
		why := browser.Eval[[]string](t, p, `until(() => `+open+`, (all) => all.length === 12).then((all) => all.flatMap((w) => w.noAllow ?? []))`)
		if len(why) > 0 {
			t.Errorf("%s: cards without Allow: %q", when, why)
		}
		if when == "as they come" {
			openCore(t, p, r.URL)
		}
	}
	browser.Eval[any](t, p, `Promise.all(`+open+`.map((w) => core.answer(w.machine, w.card.request_id, "allow")))`)
	for _, c := range printed {
		if got := <-c; got != `0 {"decision":"allow"}` {
			t.Errorf("a hook printed %q", got)
		}
	}
}
