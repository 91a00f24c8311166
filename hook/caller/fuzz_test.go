package caller

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func seed(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{`{}`, `{"a":1,"A":2}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}", twoQuestions, nested(65)} {
		f.Add([]byte(s))
		f.Add(claudeJSON(`"tool_input":` + strings.ToValidUTF8(s, "?")))
	}
}

// FuzzScan: the scanner takes only what encoding/json takes, and refuses of
// that only what it says that it refuses.
func FuzzScan(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		err := checkObject(doc)
		if err == nil {
			if !json.Valid(doc) || !utf8.Valid(doc) {
				t.Fatalf("took %q", doc)
			}
			if again := compact(doc); checkObject(again) != nil || len(membersOf(again)) != len(membersOf(trimSpace(doc))) {
				t.Fatalf("%q is not the same as %q", again, doc)
			}
			return
		}
		object := bytes.HasPrefix(trimSpace(doc), []byte("{"))
		if errors.Is(err, ErrJSON) && object && json.Valid(doc) {
			t.Fatalf("refused %q: %v", doc, err)
		}
		if errors.Is(err, ErrUTF8) && utf8.Valid(doc) || errors.Is(err, ErrSize) && len(doc) <= MaxInput {
			t.Fatalf("refused %q: %v", doc, err)
		}
	})
}

// FuzzText: what is decoded and encoded is what encoding/json reads.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a\"\\\n\x00\x7f", "\u202e\U000e0041😀", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := quote(nil, s)
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil || back != strings.ToValidUTF8(s, "\ufffd") && utf8.ValidString(s) {
			t.Fatalf("%q became %s, %v", s, quoted, err)
		}
		if own, exact := unquote(quoted); own != back || !exact {
			t.Fatalf("%s is %q, want %q", quoted, own, back)
		}
		for _, r := range string(quoted) {
			if hidden(r) {
				t.Fatalf("%q is to be seen in %s", r, quoted)
			}
		}
	})
}

// FuzzWords: what goes to a model is short and has nothing hidden in it.
func FuzzWords(f *testing.F) {
	f.Add("use trash instead", "Pixel 9", "studio")
	f.Add("\x1b[2J\u202e\xff", "\n", "\u2028")
	f.Fuzz(func(t *testing.T, words, by, host string) {
		for _, kind := range []Kind{KindCall, KindQuestion} {
			text := Denial(Call{Kind: kind}, Verdict{Kind: Deny, Words: words, By: by, Host: host})
			if text == "" || len(text) > maxWords+600 || !utf8.ValidString(text) {
				t.Fatalf("%d bytes: %q", len(text), text)
			}
			for _, r := range text {
				if hidden(r) && r != '\n' && r != '\t' {
					t.Fatalf("%q in %q", r, text)
				}
			}
		}
	})
}

// FuzzParseClaude and those below: no input makes an Allow without a Verdict
// that allows, no reply exits with 1, and each is silence or one object.
func FuzzParseClaude(f *testing.F) { fuzzParse(f, claude{}) }

func FuzzParseCodex(f *testing.F) { fuzzParse(f, codex{}) }

func FuzzParseQwen(f *testing.F) { fuzzParse(f, qwen{}) }

func FuzzParseCopilot(f *testing.F) { fuzzParse(f, copilot{}) }

func FuzzParseOpen(f *testing.F) { fuzzParse(f, open{"my-tool", true}) }

func FuzzParseUnread(f *testing.F) { fuzzParse(f, open{"my-tool", false}) }

func fuzzParse(f *testing.F, a Adapter) {
	seed(f)
	f.Fuzz(func(t *testing.T, stdin []byte) {
		event := "PermissionRequest"
		if a == (copilot{}) {
			event = copilotEvent
		}
		c, err := a.Parse(event, stdin)
		if err != nil && (c.Caller != "" || c.CanAllow) {
			t.Fatalf("a call beside the error %v: %+v", err, c)
		}
		if err == nil {
			wellFormed(t, a, c, stdin)
		}
		for _, v := range []Verdict{{}, {Kind: Deny, By: "x"}, {Kind: Deny, Words: string(stdin)}, {Kind: Allow}, {Kind: Allow, Input: stdin},
			{Kind: Answers}, {Kind: Answers, Answers: map[string][]string{"Which color?": {string(stdin)}}}, {Kind: 9}} {
			wellReplied(t, a, c, v)
		}
	})
}

func wellFormed(t *testing.T, a Adapter, c Call, stdin []byte) {
	t.Helper()
	if c.Caller != a.Name() || c.Kind == 0 || c.Tool == "" || !bytes.Contains(stdin, c.Input) || !bytes.Equal(c.Raw, stdin) {
		t.Fatalf("call %+v", c)
	}
	if c.CanAllow != (c.NoAllow == "") || c.Kind == KindQuestion && c.CanAllow || !utf8.ValidString(c.Target+c.Exact+c.Description) {
		t.Fatalf("call %+v", c)
	}
}

func wellReplied(t *testing.T, a Adapter, c Call, v Verdict) {
	t.Helper()
	r := a.Reply("PermissionRequest", c, v)
	if r.Exit != 0 || len(r.Stderr) != 0 {
		t.Fatalf("exit %d, stderr %q", r.Exit, r.Stderr)
	}
	if len(r.Stdout) == 0 {
		return
	}
	if !json.Valid(r.Stdout) || bytes.IndexByte(r.Stdout, '\n') != len(r.Stdout)-1 {
		t.Fatalf("%q is not one object in one line", r.Stdout)
	}
	allows := bytes.HasPrefix(r.Stdout, []byte(`{"decision":"allow"`)) || bytes.Contains(r.Stdout, []byte(`"decision":{"behavior":"allow"`)) && v.Kind != Deny
	if allows && (v.Kind != Allow || !c.CanAllow) && (v.Kind != Answers || c.Kind != KindQuestion) {
		t.Fatalf("%+v and %+v gave %q", c, v, r.Stdout)
	}
	if !allows && v.Kind != Deny {
		t.Fatalf("%+v gave %q", v, r.Stdout)
	}
}
