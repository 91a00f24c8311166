package web

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/relay/relayserver"
	"answerback/test/browser"
)

// How a call ended takes its place without a sound, for every end that the machine can tell of.
func TestSettledReplacesTheCall(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	for outcome, want := range map[card.End]string{
		card.EndAllowed: "Answered by Pixel.", card.EndDenied: "Answered by Pixel.", card.EndTerminal: "Answered at the terminal.", card.EndWithdrawn: "Withdrawn.",
		card.EndExpired: "Expired at ", card.EndHandedBack: "Handed back.",
	} {
		w := r.pushCard(`{"command":"npm run build"}`, nil)
		r.shows(w)
		s := card.Settled{Seq: r.nextSeq(), Request: w.Card.Request, Outcome: outcome, Time: nowMS()}
		if strings.HasPrefix(want, "Answered by") {
			s.Device = "Pixel"
		}
		r.push(abcrypto.TypeSettled, s)
		n := r.says(w, want)
		if len(n.Actions) > 0 || !n.Silent || !strings.HasSuffix(n.Body, " · npm run build") {
			t.Errorf("%s: buttons %q, silent %v, body %q", outcome, n.Actions, n.Silent, n.Body)
		}
	}
	// Of a call that this device never had, it is said all the same.
	s := card.Settled{Seq: r.nextSeq(), Request: card.RequestID{5}, Outcome: card.EndTerminal, Time: nowMS()}
	r.push(abcrypto.TypeSettled, s)
	r.waitNotice(s.Request.String(), "there", func(n notice) bool { return n.Title == "Answered at the terminal." && len(n.Actions) == 0 })
}

func (a *agent) nextSeq() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seq++
	return a.seq
}

// B064, B073: every call has its own notification, and a card that comes twice has one.
func TestB064_OneNotificationPerCall(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	one, two := r.pushCard(`{"command":"one"}`, nil), r.pushCard(`{"command":"two"}`, nil)
	r.shows(one)
	r.shows(two)
	r.deliver(hex.EncodeToString(r.payload(abcrypto.TypeCard, one.Body)))
	three := r.pushCard(`{"command":"three"}`, nil) // comes behind the copy
	r.shows(three)
	if all := r.notices(); len(all) != 3 {
		t.Errorf("%d notifications: %+v", len(all), all)
	}
}

// B074, D9: when more than five wait, one line says how many; when few do again, each has its own.
func TestB074_ManyCallsAreOneLine(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	group := "group/" + r.paired.Agent.String()
	var all []card.Written
	for i := range 7 {
		all = append(all, r.pushCard(fmt.Sprintf(`{"command":"echo %d"}`, i), nil))
	}
	n := r.waitNotice(group, "of seven", func(n notice) bool { return n.Title == "7 calls wait on studio.example.com" })
	if up := r.notices(); len(up) != 1 || !slices.Equal(n.Actions, []string{"open"}) {
		t.Errorf("beside the line there are %+v", up)
	}
	for i, w := range all[:2] {
		r.push(abcrypto.TypeSettled, card.Settled{Seq: r.nextSeq(), Request: w.Card.Request, Outcome: card.EndTerminal, Time: nowMS()})
		if i == 0 {
			r.waitNotice(group, "of six", func(n notice) bool { return strings.HasPrefix(n.Title, "6 calls wait") && n.Silent })
		}
	}
	r.says(all[1], "Answered at the terminal.")
	for _, w := range all[2:] {
		if n := r.says(w, "Claude Code on studio: command"); !n.Silent || !n.does("allow") {
			t.Errorf("it came back with buttons %q, silent %v", n.Actions, n.Silent)
		}
	}
	if slices.ContainsFunc(r.notices(), func(n notice) bool { return n.Tag == group }) {
		t.Error("the line stays beside the calls")
	}
	// The machine itself may say that many wait.
	r.push(abcrypto.TypePointer, card.Pointer{Request: card.RequestID{7}, Kind: card.PointCall, Caller: "claude", Host: "studio", Class: card.Routine, Made: nowMS(), Expires: nowMS() + 60_000, Waiting: 60})
	r.waitNotice(group, "of sixty", func(n notice) bool { return strings.HasPrefix(n.Title, "60 calls wait") })
}

// What cannot be read is shown as that, and nothing is believed: of another device, damaged, cut, empty, of a type that no push has.
func TestUnreadablePushes(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	w := r.write(`{"command":"ls"}`, time.Minute, nil)
	good := r.payload(abcrypto.TypeCard, w.Body)
	tampered, stranger := slices.Clone(good), slices.Clone(good)
	tampered[len(tampered)-1] ^= 1
	stranger[0] ^= 1
	later := slices.Clone(good)
	later[17] ^= 0x40 // a day far ahead
	for name, data := range map[string]string{
		"tampered": hex.EncodeToString(tampered), "another device": hex.EncodeToString(stranger), "cut": hex.EncodeToString(good[:len(good)-1]), "only the device": hex.EncodeToString(good[:16]),
		"empty": "", "somebody else's": "buy now", "another day": hex.EncodeToString(later), "a page": hex.EncodeToString(r.payload(abcrypto.TypePage, []byte(`{}`))),
		"a card that is none": hex.EncodeToString(r.payload(abcrypto.TypeCard, []byte(`{"version":1}`))),
	} {
		r.clear()
		r.deliver(data)
		n := r.waitNotice("unread", name, func(notice) bool { return true })
		if n.Title != "Something came that could not be read." || !slices.Equal(n.Actions, []string{"open"}) {
			t.Errorf("%s: it reads %q, buttons %q", name, n.Title, n.Actions)
		}
		if up := r.notices(); len(up) != 1 {
			t.Errorf("%s: %+v", name, up)
		}
	}
	if n := browser.Eval[int](t, r.p, `core.waiting().length`); n != 0 {
		t.Errorf("%d cards came of it", n)
	}
	r.deliver(hex.EncodeToString(good))
	if n := r.shows(w); !n.does("allow") {
		t.Errorf("after all that the card has the buttons %q", n.Actions)
	}
}

// clear takes every notification away, as a person does.
func (r *rung) clear() {
	r.t.Helper()
	askWorker[any](r, `{clear: true}`)
}
