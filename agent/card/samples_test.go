package card

import (
	"fmt"

	abcrypto "answerback/crypto"
)

// sample is one message of a kind, as bytes, with what reads and writes that kind again.
type sample struct {
	name  string
	body  []byte
	again func([]byte) ([]byte, error)
}

type marshaler interface{ Marshal() ([]byte, error) }

func sampleOf[T marshaler](name string, m T, parse func([]byte) (T, error)) sample {
	body, err := m.Marshal()
	if err != nil {
		panic(fmt.Sprintf("sample %s: %v", name, err))
	}
	return sample{name, body, func(b []byte) ([]byte, error) {
		got, err := parse(b)
		if err != nil {
			return nil, err
		}
		return got.Marshal()
	}}
}

func fill(b byte) (h [32]byte) {
	for i := range h {
		h[i] = b
	}
	return h
}

var testRequest = RequestID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

// routine is a card of a plain command.
func routine() Card {
	return Card{
		Request: testRequest, Kind: KindCall, Caller: "claude", Session: "fix-settle-race", Host: "studio", Folder: "/home/dev/project",
		Tool: "Bash", Input: `{"command":"git status --short","description":"Look"}`, CallDigest: fill(1), Class: Routine,
		Needs: Needs{Via: NeedTap, Quorum: 1}, Made: 1_796_000_000_000, Expires: 1_796_000_590_000, RosterHash: fill(2),
		Log: Log{Size: 12, Root: fill(3)}, Human: "you@example.com",
	}
}

// full is a card with every optional member.
func full() Card {
	c := routine()
	c.Subagent = &Subagent{ID: "a1", Type: "reviewer"}
	c.Changes = []Change{{Filter: "trim", Before: `{"command":"git  status"}`, After: c.Input}}
	c.Class, c.Needs = Sensitive, Needs{Via: NeedApp, Quorum: 2}
	c.Reasons = []Reason{{ID: "reads_history", Piece: "git status"}, {ID: "other"}}
	c.Pinned = []Pin{{Path: "scripts/lint.sh", Hash: fill(4)}}
	c.Rules = []Rule{{Caller: "claude", Folder: "/home/dev/project", Tool: "Bash", Target: "git status --short"},
		{Caller: "claude", Folder: "/home/dev/project", Tool: "Bash", Target: "git status --short", Ends: 1_796_100_000_000, Uses: 1}}
	c.OwnPrompt = true
	return c
}

func cutCard() Card {
	c := routine()
	c.Input, c.Cut = "", &Cut{First: []string{"{", `"a":1`}, Last: []string{"}"}, Lines: 9000, Bytes: 400000}
	return c
}

func admitCard() Card {
	c := routine()
	c.Kind, c.Caller, c.Input, c.Class = KindAdmin, "answerback", "", Sensitive
	c.Admin = &Ask{Action: Admit, Device: abcrypto.ID{9}, Name: "Pixel", Platform: "Android, Chrome", SameMachine: true}
	return c
}

func policyCard() Card {
	c := admitCard()
	c.Admin = &Ask{Action: Policy, Text: "+ allow Bash git status\n", Digest: fill(5)}
	return c
}

func fullState() State {
	return State{
		Seq: 7, Version: "1.0.0", Protocols: []uint64{1}, Instance: [16]byte{1}, Agent: "studio", Host: "studio.example.org", Time: 1_796_000_000_000,
		Devices:    []Device{{ID: abcrypto.ID{1}, Name: "Pixel", Platform: "Android", Role: Approver, Passkey: true, LastSeen: 1, Paired: 2}, {ID: abcrypto.ID{2}, Name: "Firefox", Role: Watcher, SameMachine: true}},
		RosterHash: fill(1), Rules: []RuleRow{{ID: 3, Rule: full().Rules[1], Device: "Pixel", Made: 1, Used: 41, Last: 2, Pinned: full().Pinned}},
		Callers: []Caller{{Name: "claude", LastSeen: 5, Answers: true}}, PauseUntil: 1, LockScreen: LockShow, LastPush: 3, Push: PushRepair, Log: Log{Size: 4}, Open: []RequestID{testRequest},
	}
}

func samples() []sample {
	rule := uint64(0)
	return []sample{
		sampleOf("routine", routine(), ParseCard),
		sampleOf("full", full(), ParseCard),
		sampleOf("cut", cutCard(), ParseCard),
		sampleOf("admit", admitCard(), ParseCard),
		sampleOf("policy", policyCard(), ParseCard),
		sampleOf("receipt", Receipt{Request: testRequest, Answer: fill(1), Outcome: Accepted, Time: 1}, ParseReceipt),
		sampleOf("receipt full", Receipt{Request: testRequest, Answer: fill(1), Outcome: Refused, Time: 1, Count: 1, Of: 2, Device: "Pixel", Decision: WordDeny, Reason: "changed", File: "s.sh"}, ParseReceipt),
		sampleOf("settled", Settled{Seq: 1, Request: testRequest, Outcome: EndExpired, Time: 1}, ParseSettled),
		sampleOf("settled full", Settled{Seq: 1, Request: testRequest, Outcome: EndAllowed, Time: 1, Device: "Pixel", Decision: WordAllow}, ParseSettled),
		sampleOf("state", State{Seq: 1, Agent: "a", Host: "h", Time: 1}, ParseState),
		sampleOf("state full", fullState(), ParseState),
		sampleOf("page", Page{Cursor: "x", Records: []Record{{Request: testRequest, Index: 3, Time: 1, Caller: "claude", Tool: "Bash", Class: Routine, Outcome: EndAllowed, Device: "Pixel"}}}, ParsePage),
		sampleOf("pointer", Pointer{Request: testRequest, Kind: PointCall, Caller: "claude", Host: "studio", Class: Sensitive, Made: 1, Expires: 2, Waiting: 3}, ParsePointer),
		sampleOf("roster", Roster{{ID: abcrypto.ID{2}, Name: "b", Role: Watcher, Key: fill(2)}, {ID: abcrypto.ID{1}, Name: "a", Platform: "p", Role: Approver, SameMachine: true, Key: fill(1)}}, ParseRoster),
		sampleOf("hello", Hello{App: "7c1e", Protocols: []uint64{1, 2}, Visible: true}, ParseHello),
		sampleOf("fetch", Fetch{testRequest}, ParseFetch),
		sampleOf("seen", Seen{testRequest, true}, ParseSeen),
		sampleOf("push", Push{Endpoint: "https://push.example.org/x", P256DH: append([]byte{4}, make([]byte, 64)...), Auth: make([]byte, 16)}, ParsePush),
		sampleOf("push taken back", Push{}, ParsePush),
		sampleOf("unpair", Admin{Action: Unpair}, ParseAdmin),
		sampleOf("remove device", Admin{Action: RemoveDevice, Device: &abcrypto.ID{3}}, ParseAdmin),
		sampleOf("pause", Admin{Action: Pause, Minutes: 15}, ParseAdmin),
		sampleOf("remove rule", Admin{Action: RemoveRule, Rule: &rule}, ParseAdmin),
		sampleOf("lock screen", Admin{Action: SetLock, LockScreen: LockHide}, ParseAdmin),
		sampleOf("answers", Answers{{Question: "Which?", Values: []string{"A"}}, {Question: "Both?", Values: []string{"A", "own words"}, Many: true}}, ParseAnswers),
	}
}
