package agent

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	peerdevice "answerback/agent/device"
	"answerback/agent/internal/audit"
	abcrypto "answerback/crypto"
)

// lines runs one verb to its end, as the command line does.
func (tr *trip) lines(t *testing.T, req control.Request) (all []control.Reply, err error) {
	t.Helper()
	err = control.Ask(tr.within(), tr.opts.Socket, req, func(r control.Reply) { all = append(all, r) })
	return all, err
}

// told is the agent's own error, with its exit code.
func told(t *testing.T, err error) control.Error {
	t.Helper()
	var e *control.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no word of the agent", err)
	}
	return *e
}

func TestStatusSaysHowItIs(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test")
	tr.card(phone, "npm test")
	all, err := tr.lines(t, control.Request{Do: control.DoStatus})
	must(t, err)
	s := all[0].Status
	if len(all) != 1 || s == nil || s.Devices != 1 || s.SameMachine != 1 || s.Open != 1 || !s.Connected || s.Host != "studio" || s.LogSize == 0 || s.MemoryBytes == 0 {
		t.Errorf("%+v", s)
	}
	_, err = tr.lines(t, control.Request{Do: control.DoRelease, ID: short4(tr.agent.pending.all()[0].id)})
	must(t, err)
	h.wait(t)
}

// Revoking by name or id, whole or begun; what fits none or several devices revokes none.
func TestRevokeAtTheTerminal(t *testing.T) {
	tr := newTrip(t)
	one, two, other := tr.pair("Pixel 9"), tr.pair("Pixel 9"), tr.pair("tablet\u202e")
	for name, exit := range map[string]int{"Pixel 9": 2, "nobody": 3, "": 3, one.State().Device.String()[:3]: 3} {
		_, err := tr.lines(t, control.Request{Do: control.DoRevoke, Device: name})
		if e := told(t, err); e.Exit != exit || !strings.Contains(e.Text, "answerback devices") {
			t.Errorf("%q: exit %d: %s", name, e.Exit, e.Text)
		}
	}
	if n := len(tr.agent.allPeers()); n != 3 {
		t.Fatalf("%d devices are left of 3", n)
	}
	for _, name := range []string{one.State().Device.String()[:8], two.State().Device.String(), card.Visible(other.State().Name)} {
		all, err := tr.lines(t, control.Request{Do: control.DoRevoke, Device: name})
		if err != nil || len(all) != 1 || all[0].Device == nil || strings.ContainsRune(all[0].Device.Name, '\u202e') {
			t.Errorf("%q: %+v, %v", name, all, err)
		}
	}
	if all, err := tr.lines(t, control.Request{Do: control.DoDevices}); err != nil || len(all) != 0 {
		t.Errorf("devices that are left: %+v, %v", all, err)
	}
}

// The log is read from its beginning or its end, in bounded pieces.
func TestLogAtTheTerminal(t *testing.T) {
	tr := newTrip(t)
	for range 5 {
		tr.agent.append(tr.agent.base(audit.Started))
	}
	size := tr.agent.ledger.Head().Size
	for _, c := range []struct {
		from  uint64
		count int
		first uint64
		n     int
	}{{0, 2, 0, 2}, {2, 2, 2, 2}, {0, -2, size - 2, 2}, {0, 0, 0, int(size)}, {size, 5, 0, 0}, {1 << 62, 5, 0, 0}, {0, -1 << 62, 0, int(size)}} {
		all, err := tr.lines(t, control.Request{Do: control.DoLog, From: c.from, Count: c.count})
		if err != nil || len(all) != c.n {
			t.Errorf("from %d, %d: %d records, want %d: %v", c.from, c.count, len(all), c.n, err)
			continue
		}
		if c.n > 0 && all[0].Record.Index != c.first {
			t.Errorf("from %d, %d: the first is %d, want %d", c.from, c.count, all[0].Record.Index, c.first)
		}
	}
}

func TestOpenCallsByShortID(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test")
	v := tr.card(phone, "npm test")
	for _, id := range []string{short4(v.Card.Request), v.Card.Request.String()} {
		all, err := tr.lines(t, control.Request{Do: control.DoPending, ID: id})
		if err != nil || len(all) != 1 || all[0].Pending == nil || all[0].Pending.RequestID != v.Card.Request.String() {
			t.Errorf("%s: %+v, %v", id, all, err)
		}
	}
	for _, do := range []string{control.DoPending, control.DoDeny, control.DoRelease} {
		_, err := tr.lines(t, control.Request{Do: do, ID: "zzzz\u202e"})
		if e := told(t, err); e.Exit != 3 || strings.ContainsRune(e.Text, '\u202e') {
			t.Errorf("%s: exit %d: %q", do, e.Exit, e.Text)
		}
	}
	_, err := tr.lines(t, control.Request{Do: "allow", ID: short4(v.Card.Request)})
	if e := told(t, err); e.Exit != 2 {
		t.Errorf("allow: exit %d: %s", e.Exit, e.Text)
	}
	tr.answer(phone, v, allow())
	h.wait(t)
	if all, err := tr.lines(t, control.Request{Do: control.DoPending}); err != nil || len(all) != 0 {
		t.Errorf("open calls: %+v, %v", all, err)
	}
}

// A pairing over the socket: code, locked, wrong digits, right ones, paired.
func TestPairOverTheSocket(t *testing.T) {
	tr := newTrip(t)
	c := tr.command(t, control.Request{Do: control.DoPair})
	next := func(event string) control.PairEvent {
		t.Helper()
		r, err := c.Next()
		if err != nil || r.Pair == nil || r.Pair.Event != event {
			t.Fatalf("%+v, %v; want %s", r, err, event)
		}
		return *r.Pair
	}
	digits, ended := tr.scan(next("code").Link, "Pixel\u2066 9")
	if e := next("locked"); e.Name != "Pixel⟦U+2066⟧ 9" {
		t.Errorf("locked by %q", e.Name)
	}
	right := <-digits
	wrong := "000000"
	if right == wrong {
		wrong = "000001"
	}
	must(t, c.Say(control.PairInput{Digits: wrong}))
	if e := next("wrong"); e.Left != 2 {
		t.Errorf("%d tries left", e.Left)
	}
	must(t, c.Say(control.PairInput{Digits: right[:3] + " " + right[3:]}))
	must(t, <-ended)
	p := tr.agent.allPeers()[0]
	tr.agent.onMessage(p, abcrypto.Message{Type: abcrypto.TypeHello, Body: helloBody(t, Protocol)}) // the device's first word
	if e := next("paired"); !e.SameMachine || e.Device != p.device().ID.String() {
		t.Errorf("paired: %+v", e)
	}
	if _, err := c.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after it: %v", err)
	}
}

// The conversation of a pairing ends with its terminal, however that ends.
func TestPairOverTheSocketEndsWithIt(t *testing.T) {
	for name, end := range map[string]func(*control.Conn){
		"closed":           func(c *control.Conn) { c.Close() },
		"cancelled":        func(c *control.Conn) { c.Say(control.PairInput{Cancel: true}) },
		"talking nonsense": func(c *control.Conn) { c.Say(control.PairInput{Digits: strings.Repeat("1", 100_000)}) },
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTrip(t)
			c := tr.command(t, control.Request{Do: control.DoPair})
			_, err := c.Next()
			must(t, err)
			end(c)
			for end := time.Now().Add(3 * time.Second); !tr.agent.pairing.take(); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the pairing goes on without its terminal")
				}
			}
			tr.agent.pairing.give()
		})
	}
}

// stop ends the agent, and says so before.
func TestStopAtTheTerminal(t *testing.T) {
	tr := newTrip(t)
	if all, err := tr.lines(t, control.Request{Do: control.DoStop}); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	tr.ends(t, 3*time.Second)
	if _, err := tr.lines(t, control.Request{Do: control.DoStatus}); !errors.Is(err, control.ErrNotRunning) {
		t.Errorf("after it: %v", err)
	}
}

// H11: a question is answered under its own text, handed back, or declined; nothing else, and never by itself.
func TestQuestion(t *testing.T) {
	const stdin = `{"hook_event_name":"PermissionRequest","session_id":"s","cwd":"/home/dev/project","tool_name":"AskUserQuestion",
		"tool_input":{"questions":[{"question":"Which colour?","options":[{"label":"red"},{"label":"blue"}]}]}}`
	for _, c := range []struct {
		name   string
		reply  peerdevice.Reply
		prints string
		end    card.End
	}{
		{"answered", peerdevice.Reply{Decision: abcrypto.Answered, Via: abcrypto.ViaApp, Answers: card.Answers{{Question: "Which colour?", Values: []string{"blue"}}}},
			`"answers":{"Which colour?":"blue"}`, card.EndAnswered},
		{"declined", deny("ask me later"), `"behavior":"deny"`, card.EndDenied},
		{"handed back", peerdevice.Reply{Decision: abcrypto.HandBack, Via: abcrypto.ViaApp}, "", card.EndHandedBack},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTrip(t)
			phone, tablet := tr.pair("Pixel 9"), tr.pair("tablet")
			h := tr.askAs("claude", stdin)
			v := tr.card(phone, "Which colour?")
			tr.card(tablet, "Which colour?")
			a := phone.Raw().Statement(v.Card.Request, allow())
			tr.sendRaw(phone, a, phone.State().SignKey) // an Allow of a question is none
			if r := tr.answer(phone, v, c.reply); r.Outcome != card.Accepted {
				t.Errorf("the receipt says %+v", r)
			}
			if got := h.wait(t); !strings.Contains(got, c.prints) || (c.prints == "") != (got == "") {
				t.Errorf("the hook printed %q", got)
			}
			if end := tr.settled(tablet, v.Card.Request); end.Outcome != c.end {
				t.Errorf("the other device hears %s", end.Outcome)
			}
		})
	}
}

// A probe of doctor's is denied by the agent itself: no device is asked. A call of another event, or of a tool that does not read the reply,
// has no opinion at once.
func TestWhatNobodyIsAskedAbout(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	if got := tr.ask("npm test", "--probe").wait(t); !strings.Contains(got, probeWords[:30]) {
		t.Errorf("the probe got %q", got)
	}
	if got := tr.askAs("quiet-tool", call("npm test")).wait(t); got != "" {
		t.Errorf("a tool that reads no reply got %q", got)
	}
	if got := tr.askAs("codex", call("npm test")).wait(t); got != "" {
		t.Errorf("a reserved name got %q", got)
	}
	tr.expectRecord(audit.Asked, "in its own terminal")
	if n := len(phone.Cards()); n != 0 {
		t.Errorf("%d cards came", n)
	}
	if n := tr.count(audit.Outcome); n != 0 {
		t.Errorf("%d outcomes", n)
	}
}
