package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"answerback/agent/card"
	peerdevice "answerback/agent/device"
	"answerback/agent/internal/audit"
	abcrypto "answerback/crypto"
)

// Hundreds of hooks at once: as many as there is room for are asked, each gets its own answer, the others have no opinion at once, and all room
// is there again.
func TestHundredsOfHooksAtOnce(t *testing.T) {
	tr := newTrip(t, unhurried)
	phone := tr.pair("Pixel 9")
	const hooks = 250
	var all []*asking
	for n := range hooks {
		all = append(all, tr.askRaw(fmt.Sprintf(`{"session_id":"s%d","cwd":"/home/dev/project","tool_name":"Bash","tool_input":{"command":"echo %d;"}}`, n%10, n),
			"--wait", "40s"))
	}
	asked := 0
	for n, h := range all {
		command := fmt.Sprintf("echo %d;", n)
		var v peerdevice.View
		for v.Card.Tool == "" && h.still() {
			v = findCard(phone, command)
			time.Sleep(time.Millisecond)
		}
		if v.Card.Tool == "" {
			if got := h.wait(t); got != "" {
				t.Errorf("hook %d was not asked and printed %q", n, got)
			}
			continue
		}
		asked++
		reply, want := deny(command), `{"decision":"deny","reason":"`+command
		if n%2 == 0 {
			reply, want = allow(), allowed
		}
		tr.answer(phone, v, reply)
		if got := h.wait(t); !strings.HasPrefix(got, want) {
			t.Errorf("hook %d printed %q, want %q", n, got, want)
		}
	}
	if asked < maxOpen {
		t.Errorf("%d hooks were asked, and there is room for %d", asked, maxOpen)
	}
	tr.agent.pending.mu.Lock()
	defer tr.agent.pending.mu.Unlock()
	if p := tr.agent.pending; p.taken != 0 || len(p.slots) != 0 || len(p.open) != 0 {
		t.Errorf("at the end %d slots are taken, by %v; %d cards are open", p.taken, p.slots, len(p.open))
	}
}

func findCard(d *peerdevice.Device, command string) peerdevice.View {
	for _, v := range d.Cards() {
		if v.Open() && strings.Contains(v.Card.Input, `"`+command) {
			return v
		}
	}
	return peerdevice.View{}
}

// M009: what a caller's transcript does while a card is open says nothing: the hook's own connection decides.
func TestM009_TranscriptGrowsWhileCardOpen(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	dir := t.TempDir()
	transcript := filepath.Join(dir, "transcript.jsonl")
	must(t, os.WriteFile(transcript, []byte("{}\n"), 0o600))
	stdin := fmt.Sprintf(`{"hook_event_name":"PermissionRequest","session_id":"s","transcript_path":%q,"cwd":%q,"tool_name":"Bash","tool_input":{"command":"npm test"}}`, transcript, dir)
	h := tr.askAs("claude", stdin)
	v := tr.card(phone, "npm test")
	for name, change := range map[string]func() error{
		"400 bytes": func() error { return appendTo(transcript, strings.Repeat("x", 400)) },
		"words of an approval": func() error {
			return appendTo(transcript, `{"type":"tool_result","is_error":false,"content":"allowed","decision":"allow"}`+"\n")
		},
		"cut":      func() error { return os.Truncate(transcript, 0) },
		"replaced": func() error { return os.WriteFile(transcript, []byte(`{"decision":"allow"}`), 0o600) },
		"removed":  func() error { return os.Remove(transcript) },
	} {
		must(t, change())
		time.Sleep(50 * time.Millisecond)
		if now, _ := phone.Card(v.Card.Request); !h.still() || !now.Open() {
			t.Fatalf("%s: the hook waits: %v, the card is open: %v", name, h.still(), now.Open())
		}
	}
	tr.answer(phone, v, deny("no"))
	if got := h.wait(t); !strings.Contains(got, `"behavior":"deny"`) {
		t.Errorf("the hook printed %q", got)
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}

// A hook says nothing after its call. One that does has left the protocol: its card is withdrawn, and it gets no Allow.
func TestHookThatGoesOnSpeaking(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	c := tr.hookConnection("npm test")
	v := tr.card(phone, "npm test")
	c.Write([]byte(`{"decision":"allow"}`))
	tr.expectRecord(audit.Outcome, "")
	if end := tr.settled(phone, v.Card.Request); end.Outcome != card.EndWithdrawn {
		t.Errorf("the card ended as %s", end.Outcome)
	}
	if n := tr.countAllowed(); n != 0 {
		t.Errorf("%d Allows", n)
	}
}

// Two devices answer one call in the same instant: one wins, the other is told by whom, and the hook gets the winner's.
func TestTwoDevicesAnswerAtOnce(t *testing.T) {
	tr := newTrip(t)
	phones := map[string]*peerdevice.Device{"Pixel 9": tr.pair("Pixel 9"), "tablet": tr.pair("tablet")}
	for round := range 10 {
		command := fmt.Sprintf("echo %d;", round)
		h := tr.ask(command)
		replies := map[string]peerdevice.Reply{"Pixel 9": allow(), "tablet": deny("no")}
		var mu sync.Mutex
		receipts := map[string]card.Receipt{}
		var wg sync.WaitGroup
		views := map[string]peerdevice.View{}
		for name, d := range phones {
			views[name] = tr.card(d, command) // both have it before either answers
		}
		for name, d := range phones {
			v := views[name]
			wg.Go(func() {
				r, err := d.Answer(tr.within(), v.Card.Request, replies[name])
				if err != nil {
					t.Errorf("round %d: %s: %v", round, name, err)
				}
				mu.Lock()
				defer mu.Unlock()
				receipts[name] = r
			})
		}
		wg.Wait()
		winner, loser := "Pixel 9", "tablet"
		if receipts[winner].Outcome != card.Accepted {
			winner, loser = loser, winner
		}
		if r := receipts[winner]; r.Outcome != card.Accepted {
			t.Fatalf("round %d: nobody's answer was accepted: %+v", round, receipts)
		}
		want := card.WordOf(replies[winner].Decision)
		if r := receipts[loser]; r.Outcome != card.Answered || r.Device != winner || r.Decision != want {
			t.Errorf("round %d: the second hears %+v", round, r)
		}
		if got := h.wait(t); (got == allowed) != (replies[winner].Decision == abcrypto.Allow) {
			t.Errorf("round %d: %s won, and the hook printed %q", round, winner, got)
		}
	}
}
