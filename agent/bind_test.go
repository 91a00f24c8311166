package agent

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"answerback/agent/card"
	peerdevice "answerback/agent/device"
	"answerback/agent/internal/audit"
	abcrypto "answerback/crypto"
)

// B001: one answer resolves exactly one call, however many a session has open.
func TestB001_OneAnswerOneCall(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	one, two := tr.ask("echo one"), tr.ask("rm -rf /tmp/x", "--wait", "2s")
	tr.answer(phone, tr.card(phone, "echo one"), allow())
	if got := one.wait(t); got != allowed {
		t.Errorf("the answered call printed %q", got)
	}
	if !two.still() {
		t.Error("the other call ended with the first one's answer")
	}
	if got := two.wait(t); got != "" {
		t.Errorf("the call that nobody answered printed %q", got)
	}
}

// B003: callers' own ids mean nothing: equal ones make three cards and three answers.
func TestB003_EqualCallerIDs(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	var hooks []*asking
	for i := range 3 {
		hooks = append(hooks, tr.askRaw(fmt.Sprintf(`{"session_id":"same","tool_use_id":"toolu_01","cwd":"/home/dev/project","tool_name":"Bash",
			"tool_input":{"command":"echo %d"}}`, i)))
	}
	replies := []peerdevice.Reply{allow(), deny("no"), allow()}
	for i, r := range replies {
		tr.answer(phone, tr.card(phone, fmt.Sprintf("echo %d", i)), r)
	}
	for i, h := range hooks {
		if got, want := h.wait(t) == allowed, replies[i].Decision == abcrypto.Allow; got != want {
			t.Errorf("call %d: allowed is %v, want %v", i, got, want)
		}
	}
}

// B006: an answer to a call that has ended opens nothing, not even the same call asked again.
func TestB006_StaleAnswer(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	first := tr.ask("npm test", "--wait", "1s")
	v := tr.card(phone, "npm test")
	stale, err := phone.Raw().SealAnswer(v.Card.Request, allow())
	must(t, err)
	if got := first.wait(t); got != "" {
		t.Fatalf("the first call printed %q", got)
	}
	second := tr.ask("npm test", "--wait", "2s")
	_, err = phone.WaitCard(tr.within(), func(now peerdevice.View) bool { return now.Open() && now.Card.Request != v.Card.Request })
	must(t, err)
	must(t, phone.Raw().Send(tr.within(), stale))
	if got := second.wait(t); got != "" {
		t.Errorf("the answer to the first call let the second print %q", got)
	}
	tr.expectRecord(audit.Refused, "too late")
}

// B007: an answer for an id that nobody has is told so, and logged.
func TestB007_UnknownID(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test", "--wait", "2s")
	v := tr.card(phone, "npm test")
	strange := phone.Raw().Statement(v.Card.Request, allow())
	strange.Request[0] ^= 1
	tr.sendRaw(phone, strange, phone.State().SignKey)
	tr.expectRecord(audit.Refused, "no card of this agent")
	if got := h.wait(t); got != "" {
		t.Errorf("the waiting call printed %q", got)
	}
}

// M001: an answer that is not exactly the allow of this card is no allow: every field changed in turn.
func TestM001_AnyOtherAnswerIsNoAllow(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test", "--wait", "3s")
	v := tr.card(phone, "npm test")
	good := phone.Raw().Statement(v.Card.Request, allow())
	for name, change := range map[string]func(*abcrypto.Answer){
		"no decision":        func(a *abcrypto.Answer) { a.Decision = 0 },
		"decision 5":         func(a *abcrypto.Answer) { a.Decision = 5 },
		"answers to no card": func(a *abcrypto.Answer) { a.Decision = abcrypto.Answered },
		"another agent":      func(a *abcrypto.Answer) { a.Agent[3] ^= 1 },
		"another device":     func(a *abcrypto.Answer) { a.Device[3] ^= 1 },
		"another card":       func(a *abcrypto.Answer) { a.CardDigest[3] ^= 1 },
		"no via":             func(a *abcrypto.Answer) { a.Via = 0 },
		"a passkey's claim":  func(a *abcrypto.Answer) { a.Via = abcrypto.ViaPasskey },
		"a rule not offered": func(a *abcrypto.Answer) { a.Flags = abcrypto.RuleFlags(0) },
		"unknown flags":      func(a *abcrypto.Answer) { a.Flags = 0x80 },
	} {
		bad := good
		change(&bad)
		tr.sendRaw(phone, bad, phone.State().SignKey)
		if !h.still() {
			t.Fatalf("%s: the hook ended", name)
		}
	}
	_, foreign, err := ed25519.GenerateKey(nil)
	must(t, err)
	tr.sendRaw(phone, good, foreign)
	if got := h.wait(t); got != "" {
		t.Errorf("none of these is an Allow, and the hook printed %q", got)
	}
}

// B009: a signed Allow taken off the wire has no effect after a restart, and each try is in the log.
func TestB009_ReplayAfterRestart(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test")
	v := tr.card(phone, "npm test")
	tr.answer(phone, v, allow())
	h.wait(t)
	captured := phone.Raw().Sealed(v.Card.Request)
	tr.stop()
	tr.start()
	waiting := tr.ask("npm test", "--wait", "3s")
	tr.card(phone, "npm test")
	for range 3 {
		must(t, phone.Raw().Send(tr.within(), captured))
	}
	if got := waiting.wait(t); got != "" {
		t.Errorf("a replayed Allow let a call print %q", got)
	}
	if n := tr.count(audit.Refused); n != 3 {
		t.Errorf("the log has %d refusals of the 3 replays", n)
	}
}

// M006: the same answer twice settles once and gets the same receipt; replayed messages of all kinds allow nothing.
func TestM006_SameAnswerTwice(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test")
	v := tr.card(phone, "npm test")
	first := tr.answer(phone, v, allow())
	h.wait(t)
	sealed := phone.Raw().Sealed(v.Card.Request)
	for range 3 {
		must(t, phone.Raw().Send(tr.within(), sealed))
	}
	time.Sleep(200 * time.Millisecond)
	if now, _ := phone.Card(v.Card.Request); now.Receipt == nil || *now.Receipt != first {
		t.Errorf("the receipt changed to %+v", now.Receipt)
	}
	if n := tr.count(audit.Outcome); n != 1 {
		t.Errorf("the log has %d outcomes of one call", n)
	}
}

// B013: a script that changed while its card was open does not run by an answer to the old one.
func TestB013_ScriptChangedWhileCardOpen(t *testing.T) {
	for name, change := range map[string]func(string) error{
		"rewritten": func(p string) error { return os.WriteFile(p, []byte("echo other\n"), 0o700) },
		"one byte":  func(p string) error { return os.WriteFile(p, []byte("echo OK \n"), 0o700) },
		"removed":   os.Remove,
		"replaced by a link": func(p string) error {
			other := p + ".other"
			if err := os.WriteFile(other, []byte("echo other\n"), 0o700); err != nil {
				return err
			}
			os.Remove(p)
			return os.Symlink(other, p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTrip(t)
			phone := tr.pair("Pixel 9")
			dir := t.TempDir()
			script := filepath.Join(dir, "s.sh")
			must(t, os.WriteFile(script, []byte("echo OK\n"), 0o700))
			h := tr.askRaw(fmt.Sprintf(`{"cwd":%q,"tool_name":"Bash","tool_input":{"command":"sh ./s.sh"}}`, dir))
			v := tr.card(phone, "s.sh")
			if len(v.Card.Pinned) != 1 || v.Card.Pinned[0].Path != script {
				t.Fatalf("the card pins %+v, want %s", v.Card.Pinned, script)
			}
			must(t, change(script))
			r := tr.answer(phone, v, allow())
			if r.Outcome != card.Refused || r.Reason != "changed" || r.File != script {
				t.Errorf("the receipt says %+v", r)
			}
			if got := h.wait(t); got != "" {
				t.Errorf("the changed script was allowed: %q", got)
			}
		})
	}
}

// B015, B016: an Allow leaves the input alone: the reply holds nothing of it, and the log holds the digest of the bytes that were shown.
func TestB015_AllowCarriesNoInput(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("touch /home/dev/outside/x")
	v := tr.card(phone, "touch")
	tr.answer(phone, v, allow())
	if got := h.wait(t); got != allowed {
		t.Errorf("the reply is %q, want exactly %q", got, allowed)
	}
	r := tr.expectRecord(audit.Outcome, "")
	if r.CardDigest != fmt.Sprintf("%x", v.Digest) {
		t.Errorf("the log names card %s, shown was %x", r.CardDigest, v.Digest)
	}
}

// sendRaw signs a statement with any key and sends it once, past every check of the device's.
func (tr *trip) sendRaw(d *peerdevice.Device, a abcrypto.Answer, key ed25519.PrivateKey) {
	tr.t.Helper()
	sealed, err := d.Raw().Seal(abcrypto.TypeAnswer, d.Raw().Sign(a, key))
	must(tr.t, err)
	must(tr.t, d.Raw().Send(tr.within(), sealed))
	time.Sleep(30 * time.Millisecond)
}

// records reads the whole log.
func (tr *trip) records() (all []audit.Record) {
	tr.t.Helper()
	must(tr.t, tr.agent.ledger.Records(0, tr.agent.ledger.Head().Size, func(_ uint64, leaf []byte) error {
		r, err := audit.Parse(leaf)
		all = append(all, r)
		return err
	}))
	return all
}

func (tr *trip) count(kind audit.Type) (n int) {
	for _, r := range tr.records() {
		if r.Type == kind {
			n++
		}
	}
	return n
}

// expectRecord waits until the log has a record of this type whose reason holds says.
func (tr *trip) expectRecord(kind audit.Type, says string) audit.Record {
	tr.t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		for _, r := range tr.records() {
			if r.Type == kind && strings.Contains(r.Reason, says) {
				return r
			}
		}
	}
	tr.t.Errorf("the log has no %s record that says %q", kind, says)
	return audit.Record{}
}

// B007: the phone is told too that its call is not known any more; nothing hangs on either side.
func TestB007_PhoneHearsThatTheCallIsUnknown(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test")
	v := tr.card(phone, "npm test")
	tr.relay.Kill() // so that nobody hears of the agent's end
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := phone.Answer(ctx, v.Card.Request, allow()); err == nil {
		t.Fatal("there is a receipt, and no way to the agent")
	}
	tr.stop()
	if got := h.wait(t); got != "" {
		t.Errorf("the hook printed %q", got)
	}
	tr.relay.Restart()
	tr.start()
	if r := tr.answer(phone, v, allow()); r.Outcome != card.Unknown {
		t.Errorf("the receipt says %s", r.Outcome)
	}
}
