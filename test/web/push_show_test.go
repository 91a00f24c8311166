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

const settle = `{"command":"go test ./... -run TestSettle -count=1","description":"Run the settle test once"}`

// A routine call stands on the lock screen whole, with Deny and Allow, and the machine hears that it arrived.
func TestPushedCardIsShownWhole(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	w := r.pushCard(settle, nil)
	n := r.shows(w)
	if n.Title != "Claude Code on studio: command" || !strings.HasPrefix(n.Body, "go test ./... -run TestSettle -count=1\ndescription: Run the settle test once\n/home/dev/project, until ") {
		t.Errorf("it reads %q\n%q", n.Title, n.Body)
	}
	if strings.Join(n.Actions, " ") != "deny allow" || n.Silent {
		t.Errorf("buttons %q, silent %v", n.Actions, n.Silent)
	}
	r.waitSeen(w.Card.Request)
}

// class makes a card sensitive or destructive, as the agent would ask for it.
func class(c card.Class, via card.Need) func(*card.Card) {
	return func(k *card.Card) { k.Class, k.Needs.Via = c, via }
}

// What an Allow stands beside is whole, plain and harmless; whatever is not is read in the app. Deny is one tap all the same.
func TestNoAllowOnTheLockScreen(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	long := strings.Repeat("x", 300)
	for name, c := range map[string]struct {
		input  string
		change func(*card.Card)
		title  string
		body   string // that it begins with; "" is any
	}{
		"sensitive":                 {`{"command":"kubectl get pods"}`, class(card.Sensitive, card.NeedApp), "Claude Code on studio: command, sensitive", "kubectl get pods\n"},
		"destructive":               {`{"command":"rm -rf build"}`, class(card.Destructive, card.NeedApp), "Claude Code on studio: command, destructive", "rm -rf build\n"},
		"needs the passkey":         {`{"command":"` + long + `x"}`, class(card.Destructive, card.NeedPasskey), "Claude Code on studio: command, destructive", "Open to read it whole. Needs your passkey.\nuntil "},
		"needs the app":             {`{"command":"ls"}`, func(k *card.Card) { k.Needs.Via = card.NeedApp }, "", "ls\n"},
		"needs two":                 {`{"command":"ls"}`, func(k *card.Card) { k.Needs.Quorum = 2 }, "", "ls\n"},
		"301 characters":            {`{"command":"` + long + `x"}`, nil, "Claude Code on studio: command", "Open to read it whole.\nuntil "},
		"nine lines":                {`{"command":"a\nb\nc\nd\ne\nf\ng\nh\ni"}`, nil, "", "Open to read it whole."},
		"B083 bidi":                 {`{"command":"ls \u202e gpj.exe"}`, nil, "", "Open to read it whole."},
		"B083 bidi as it is":        {"{\"command\":\"ls \u202e gpj.exe\"}", nil, "", "Open to read it whole."},
		"M013 zero width":           {`{"command":"ls","path":"a\u200bb"}`, nil, "", "Open to read it whole."},
		"M013 in a name":            {`{"command":"ls","pa\u200bth":"ab"}`, nil, "", "Open to read it whole."},
		"M013 escape":               {`{"command":"ls \u001b[2K"}`, nil, "", "Open to read it whole."},
		"M013 in the folder":        {`{"command":"ls"}`, func(k *card.Card) { k.Folder = "/home/dev/\u202eproject" }, "", "Open to read it whole."},
		"M013 in the tool":          {`{"pattern":"x"}`, func(k *card.Card) { k.Tool = "Gr\u2066ep" }, "Claude Code on studio: Gr⟦U+2066⟧ep", "Open to read it whole."},
		"M013 in the subagent":      {`{"command":"ls"}`, func(k *card.Card) { k.Subagent = &card.Subagent{ID: "a", Type: "x\u202ey"} }, "", "Open to read it whole."},
		"a mark that is not ours":   {`{"command":"ls ⟦U+202E⟧"}`, nil, "", "Open to read it whole."},
		"a tab":                     {`{"command":"ls\t-l"}`, nil, "", "Open to read it whole."},
		"pushed out of sight":       {`{"command":"ls             ; rm x"}`, nil, "", "Open to read it whole."},
		"a long folder":             {`{"command":"ls"}`, func(k *card.Card) { k.Folder = "/" + long }, "", "Open to read it whole."},
		"changed by a filter":       {`{"command":"ls"}`, func(k *card.Card) { k.Changes = []card.Change{{Filter: "f", Before: "a", After: "b"}} }, "", "ls\n"},
		"not decodable":             {`{"command":"ls"`, nil, "", "Open to read it whole."},
		"doubled":                   {`{"command":"ls","Command":"rm"}`, nil, "", "Open to read it whole."},
		"empty":                     {`{"command":""}`, nil, "", ""},
		"a question":                {`{"questions":[{"question":"Which?","options":[{"label":"a"},{"label":"b"}]}]}`, func(k *card.Card) { k.Kind = card.KindQuestion }, "Claude Code on studio: question", "Open to read it whole."},
		"another roster":            {`{"command":"ls"}`, func(k *card.Card) { k.RosterHash[0] ^= 1 }, "", "ls\n"},
		"an edit":                   {`{"file_path":"a.go","old_string":"` + long + `","new_string":"y"}`, nil, "Claude Code on studio: edit", "Open to read it whole."},
		"a new device":              {"", admits, "studio asks to add a device", "Open to read it whole."},
		"a long name of a subagent": {`{"command":"ls"}`, func(k *card.Card) { k.Subagent = &card.Subagent{ID: "a", Type: long[:200]} }, "", "Open to read it whole."},
	} {
		w := r.pushCard(c.input, c.change)
		n := r.shows(w)
		if n.does("allow") || !slices.Equal(n.Actions, []string{"deny", "open"}) {
			t.Errorf("%s: the buttons are %q", name, n.Actions)
		}
		if !strings.HasPrefix(n.Body, c.body) || (c.title != "" && n.Title != c.title) {
			t.Errorf("%s: it reads %q\n%q", name, n.Title, n.Body)
		}
		r.forget(w)
	}
}

// admits makes it a card that asks to add a device.
func admits(k *card.Card) {
	k.Kind, k.Class, k.Needs.Via, k.Caller, k.Tool, k.Input = card.KindAdmin, card.Sensitive, card.NeedApp, "answerback", "", ""
	k.Admin = &card.Ask{Action: card.Admit, Device: abcrypto.ID{1}, Name: "Pixel", Platform: "Android"}
}

// forget ends a card, so that the next one is alone.
func (r *rung) forget(w card.Written) {
	r.t.Helper()
	r.do(func() { r.open, r.seq = nil, r.seq+1 })
	r.push(abcrypto.TypeSettled, card.Settled{Seq: r.seq, Request: w.Card.Request, Outcome: card.EndWithdrawn, Time: nowMS()})
	r.says(w, "Withdrawn.")
}

// What does have an Allow: at the very bounds, with several lines, with every kind of field in sight.
func TestAllowOnTheLockScreen(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	for name, c := range map[string]struct{ input, body string }{
		"300 characters":   {`{"command":"` + strings.Repeat("y", 300) + `"}`, strings.Repeat("y", 300) + "\n/home"},
		"eight lines":      {`{"command":"a\nb\nc\nd\ne\nf\ng\nh"}`, "a\nb\nc\nd\ne\nf\ng\nh\n/home"},
		"other fields":     {`{"n":1.50,"command":"ls","o":{"a": [1,"b"]},"t":true,"z":null}`, "ls\nn: 1.50\no: {\"a\": [1,\"b\"]}\nt: true\nz: null\n/home"},
		"lines in a field": {`{"command":"ls","note":"x\n/home/dev, until 23:59"}`, "ls\nnote: \"x\\n/home/dev, until 23:59\"\n/home"},
		"no command":       {`{"pattern":"TODO","path":"src"}`, "pattern: TODO\npath: src\n/home"},
		"not only ASCII":   {`{"command":"echo 'ação, 日本'"}`, "echo 'ação, 日本'\n/home"},
		"a harmless name":  {`{"command":"ls --author me"}`, "ls --author me\n/home"},
	} {
		w := r.pushCard(c.input, nil)
		if n := r.shows(w); !slices.Equal(n.Actions, []string{"deny", "allow"}) || !strings.HasPrefix(n.Body, c.body) {
			t.Errorf("%s: buttons %q under %q", name, n.Actions, n.Body)
		}
		r.forget(w)
	}
}

// B117: a subagent's call is labelled as one.
func TestB117_SubagentIsNamed(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	w := r.pushCard(`{"command":"ls"}`, func(k *card.Card) { k.Subagent = &card.Subagent{ID: "a1", Type: "reviewer"} })
	if n := r.shows(w); !strings.HasPrefix(n.Body, "ls\nSubagent: reviewer\n/home/dev/project, until ") || !n.does("allow") {
		t.Errorf("it reads %q, buttons %q", n.Body, n.Actions)
	}
}

// B071: a call that holds a secret is shown by names alone, whatever was chosen.
func TestB071_SecretsStayOffTheLockScreen(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	for _, command := range []string{
		`curl -H 'Authorization: Bearer abc' https://example.com`, `curl -H "Authorization: Basic dXNlcjpwYXNz" x`, `curl -H 'Cookie: sid=1' x`, `curl -H 'X-Api-Key: 12345' x`,
		`curl -u user:pass https://example.com`, `curl -sSu user:pass x`, `git clone https://user:pass@example.com/a.git`, `psql postgres://app:s3cret@db.example.com/app`,
		`API_TOKEN=abc123 make deploy`, `export AWS_SECRET_ACCESS_KEY=abc/def+g`, `PASSWORD='a b' x`, `mysql --password=hunter2 app`, `tool --token abc123 run`,
		`echo ghp_0123456789abcdefghijABCDEFGHIJ012345`, `x AKIAIOSFODNN7EXAMPLE y`, `x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk y`,
		`curl 'https://example.com/?access_token=abc&x=1'`, `curl -d '{"password": "hunter2"}' x`, `echo '-----BEGIN OPENSSH PRIVATE KEY-----'`, "x sk-ant-" + "api03-abcdefghijklmnopqrst",
	} {
		w := r.pushCard(fmt.Sprintf(`{"command":%q}`, command), nil)
		if n := r.shows(w); n.Title != "Claude Code on studio waits" || !strings.HasPrefix(n.Body, "until ") || n.does("allow") || !n.does("deny") {
			t.Errorf("%s: it reads %q\n%q, buttons %q", command, n.Title, n.Body, n.Actions)
		}
		r.forget(w)
	}
	w := r.pushCard(`{"headers":{"password":"hunter2"}}`, func(k *card.Card) { k.Tool = "http" })
	if n := r.shows(w); strings.Contains(n.Title+n.Body, "hunter2") {
		t.Errorf("a secret in a field is shown: %q", n.Body)
	}
	told := r.pushCard(`{"command":"cat id"}`, func(k *card.Card) { k.Reasons = []card.Reason{{ID: "reads-secret", Piece: "id"}} })
	if n := r.shows(told); n.Title != "Claude Code on studio waits" {
		t.Errorf("what the machine found to be a secret is shown: %q", n.Title)
	}
}

// The person's choice: until one is made, and when it is to hide, names alone; "show" has everything but the Allow.
func TestLockScreenChoices(t *testing.T) {
	for lock, want := range map[card.LockScreen]notice{
		card.LockUnset: {Title: "Claude Code on studio waits", Body: "until ", Actions: []string{"deny", "open"}},
		card.LockHide:  {Title: "Claude Code on studio waits", Body: "until ", Actions: []string{"deny", "open"}},
		card.LockShow:  {Title: "Claude Code on studio: command", Body: "ls -la\n", Actions: []string{"deny", "open"}},
	} {
		r := ring(t, lock, relayserver.Options{})
		n := r.shows(r.pushCard(`{"command":"ls -la"}`, nil))
		if n.Title != want.Title || !strings.HasPrefix(n.Body, want.Body) || !slices.Equal(n.Actions, want.Actions) {
			t.Errorf("%q: it reads %q\n%q, buttons %q", lock, n.Title, n.Body, n.Actions)
		}
		if device := r.shows(r.pushCard("", admits)); lock != card.LockShow && strings.Contains(device.Title, "device") {
			t.Errorf("%q: it says what the machine asks: %q", lock, device.Title)
		}
	}
}

// A pointer names machine and caller, and has no Allow; a test is shown as one.
func TestPointer(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	p := card.Pointer{Request: card.RequestID{7}, Kind: card.PointCall, Caller: "my-tool\u202e", Host: "studio", Class: card.Routine, Made: nowMS(), Expires: nowMS() + 60_000, Waiting: 1}
	r.push(abcrypto.TypePointer, p)
	n := r.waitNotice(p.Request.String(), "there", func(notice) bool { return true })
	if n.Title != "my-tool⟦U+202E⟧ on studio waits" || !strings.HasPrefix(n.Body, "until ") || !slices.Equal(n.Actions, []string{"open"}) {
		t.Errorf("it reads %q\n%q, buttons %q", n.Title, n.Body, n.Actions)
	}
	r.waitSeen(p.Request)
	// Its deadline over, it has no buttons (B076).
	p.Request[0], p.Made, p.Expires = 8, nowMS()-2000, nowMS()-1000
	r.push(abcrypto.TypePointer, p)
	if n := r.waitNotice(p.Request.String(), "there", func(notice) bool { return true }); !strings.HasPrefix(n.Title, "Expired at ") || len(n.Actions) > 0 || !n.Silent {
		t.Errorf("expired: it reads %q, buttons %q", n.Title, n.Actions)
	}
	p.Request[0], p.Kind, p.Expires = 9, card.PointTest, nowMS()+60_000
	r.push(abcrypto.TypePointer, p)
	r.waitSeen(p.Request)
	if !slices.ContainsFunc(r.notices(), func(n notice) bool { return n.Title == "Notifications reach this phone" && len(n.Actions) == 0 }) {
		t.Error("the test is not shown")
	}
}

// B076: a card that comes after its deadline has no buttons, and a tap signs nothing.
func TestB076_ExpiredCardHasNoButtons(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	w := r.write(`{"command":"ls"}`, time.Minute, func(k *card.Card) { k.Made, k.Expires = nowMS()-60_000, nowMS()-1000 })
	r.deliver(hex.EncodeToString(r.payload(abcrypto.TypeCard, w.Body)))
	if n := r.says(w, "Expired at "); len(n.Actions) > 0 || !n.Silent {
		t.Errorf("buttons %q, silent %v", n.Actions, n.Silent)
	}
}

// A log that was cut or forked is seen in a push too.
func TestPushedCardOfACutLog(t *testing.T) {
	r := ring(t, card.LockAnswer, relayserver.Options{})
	r.shows(r.pushCard(`{"command":"one"}`, func(k *card.Card) { k.Log.Size = 40 }))
	w := r.pushCard(`{"command":"two"}`, func(k *card.Card) { k.Log.Size, k.Made = 39, nowMS()+1000 })
	if n := r.shows(w); n.does("allow") || !n.does("deny") {
		t.Errorf("buttons %q", n.Actions)
	}
	browser.Eval[any](t, r.p, `until(() => core.machines()[0].trouble, (why) => why === "log")`)
}
