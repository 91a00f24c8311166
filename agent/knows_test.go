package agent

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"answerback/agent/control"
	abcrypto "answerback/crypto"
	"answerback/hook"
)

// B008: a process of the same user reads everything that the machine has: the socket's answers, the agent's key, the mailboxes' and the
// messages' keys. With all of it, it can speak as the device, and cannot sign as it: no Allow comes of it.
func TestB008_WhoKnowsAllThatTheMachineKnows(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	earlier := tr.ask("echo earlier")
	ev := tr.card(phone, "echo earlier")
	tr.answer(phone, ev, allow())
	earlier.wait(t)
	e, _ := tr.agent.pending.find(ev.Card.Request)
	signed := e.outcome.answer.Signature() // it stands in the log, for anybody to read

	h := tr.ask("rm -rf build", "--wait", "4s")
	v := tr.card(phone, "rm -rf")
	p := tr.agent.peerOf(phone.State().Device)
	p.mu.Lock()
	ratchet, d := p.ratchet, p.dev
	p.mu.Unlock()
	_, own, err := ed25519.GenerateKey(nil)
	must(t, err)
	good := abcrypto.Answer{Agent: tr.agent.id, Device: d.ID, Request: v.Card.Request, CardDigest: v.Digest, Decision: abcrypto.Allow, Via: abcrypto.ViaApp, MadeMS: nowMS()}
	replayed := e.outcome.answer.AnswerBytes()
	sigOf := func(key ed25519.PrivateKey) [64]byte { return [64]byte(ed25519.Sign(key, good.Bytes())) }
	for name, m := range map[string]abcrypto.AnswerMessage{
		"no signature":                     {Answer: good, Raw: good.Bytes()},
		"the agent's own key":              {Answer: good, Raw: good.Bytes(), Sig: sigOf(tr.agent.key)},
		"a key of its own":                 {Answer: good, Raw: good.Bytes(), Sig: sigOf(own)},
		"the signature of an earlier call": {Answer: good, Raw: good.Bytes(), Sig: signed},
		"an earlier answer":                {Raw: replayed, Sig: signed},
	} {
		sealed, err := ratchet.SealDevice(d.ID, abcrypto.Message{Type: abcrypto.TypeAnswer, Body: m.Bytes()}, rand.Reader)
		must(t, err)
		must(t, phone.Raw().Send(tr.within(), sealed)) // the mailbox's keys are known too
		time.Sleep(50 * time.Millisecond)
		if !h.still() {
			t.Fatalf("%s: the hook ended", name)
		}
	}
	tr.asHook(t, v.Card.Request, `"rm -rf build"`)
	if got := h.wait(t); got != "" {
		t.Errorf("the hook printed %q", got)
	}
	if n := tr.countAllowed(); n != 1 {
		t.Errorf("the log has %d Allows of the one that was given", n)
	}
}

// asHook says on the socket all that a hook, a command or an agent could say about an open call.
func (tr *trip) asHook(t *testing.T, id requestID, words string) {
	t.Helper()
	for _, verb := range []string{control.DoStatus, control.DoPending, control.DoDevices, control.DoLog, "allow", "answer"} {
		tr.say(t, control.Request{Version: control.Version, Do: verb, ID: id.String(), Words: words})
	}
	for _, write := range []func(net.Conn){
		func(c net.Conn) { hook.WriteVerdict(c, hook.Verdict{Stdout: []byte(allowed)}) },
		func(c net.Conn) { hook.WriteHeld(c, hook.Held{RequestID: id, Wait: time.Second}) },
		func(c net.Conn) { c.Write([]byte(allowed)) },
	} {
		tr.sayRaw(t, write)
	}
}

// M002: whatever a process of the same user writes, replaces, links or sends where agent and hook live, while a call waits, the call is not
// allowed by it. (It could stand in for the agent towards its own hook: docs/threat-model.md.)
func TestM002_WritingWhereTheAgentLives(t *testing.T) {
	words := []byte(`{"decision":"allow","allow":true,"behavior":"allow"}`)
	for name, do := range map[string]func(tr *trip, id string) error{
		"answers beside the store": func(tr *trip, id string) error { return plant(tr.opts.State, id, words) },
		"answers beside the socket": func(tr *trip, id string) error {
			return plant(filepath.Dir(tr.opts.Socket), id, words)
		},
		"the keys' file written over": func(tr *trip, _ string) error {
			return os.WriteFile(filepath.Join(tr.opts.State, "chains"), words, 0o600)
		},
		"the agent's key written over": func(tr *trip, _ string) error {
			return os.WriteFile(filepath.Join(tr.opts.State, "agent.key"), words, 0o600)
		},
		"every file of the store written to": func(tr *trip, _ string) error {
			return filepath.WalkDir(filepath.Join(tr.opts.State, "db"), func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || strings.HasSuffix(path, ".mem") || strings.HasSuffix(path, ".vlog") { // those are mapped: it would kill the agent
					return err
				}
				return appendTo(path, string(words))
			})
		},
		"the socket replaced by a link": func(tr *trip, _ string) error {
			if err := os.Remove(tr.opts.Socket); err != nil {
				return err
			}
			return os.Symlink("/dev/null", tr.opts.Socket)
		},
		"the socket replaced by a file": func(tr *trip, _ string) error {
			if err := os.Remove(tr.opts.Socket); err != nil {
				return err
			}
			return os.WriteFile(tr.opts.Socket, words, 0o600)
		},
		"another hook with the same words": func(tr *trip, _ string) error {
			tr.askRaw(call("npm test"), "--wait", "1s")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTrip(t)
			phone := tr.pair("Pixel 9")
			h := tr.askRaw(call("npm test"), "--wait", "1500ms")
			v := tr.card(phone, "npm test")
			must(t, do(tr, v.Card.Request.String()))
			if got := h.wait(t); got != "" {
				t.Errorf("the hook printed %q", got)
			}
			if n := tr.countAllowed(); n != 0 {
				t.Errorf("the log has %d Allows that no device gave", n)
			}
		})
	}
}

// plant leaves files where a queue of answers might be looked for.
func plant(dir, id string, words []byte) error {
	for _, name := range []string{id, id + ".json", "allow", "answers.json", "pending/" + id, "queue/" + id + ".json", "approvals.jsonl", "decision"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, words, 0o600); err != nil {
			return fmt.Errorf("plant: %w", err)
		}
	}
	return nil
}
