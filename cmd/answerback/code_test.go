package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/voice"
)

const code49 = "AEBAGBAFAYDQQCIKBMGA2DQPCAIREEYUCULBOGAZDINRYHI6D4QCCIRDEQSSMJZIFEVCWLBNFYXTAMJS"

// offer is a code over https.
func offer() control.PairEvent {
	return control.PairEvent{Event: "code", Link: "https://relay.example.org/p#" + code49, QR: "HTTPS://RELAY.EXAMPLE.ORG/P#" + code49,
		Expires: time.Now().Add(10 * time.Minute).UnixMilli()}
}

// person is somebody at a good terminal; change makes it worse.
func person(change func(*voice.Voice)) (a *app, out, errs *bytes.Buffer) {
	out, errs = new(bytes.Buffer), new(bytes.Buffer)
	v := &voice.Voice{Out: out, Err: errs, InTTY: true, OutTTY: true, ErrTTY: true, Color: true, UTF8: true, Term: "xterm-256color", Width: 80, Height: 24, Now: time.Now}
	if change != nil {
		change(v)
	}
	return &app{Voice: v, getenv: func(string) string { return "" }}, out, errs
}

// drawn is what showCode prints behind the link, and what it says.
func drawn(t *testing.T, change func(*voice.Voice), e control.PairEvent, d drawing) (rows []string, said string) {
	t.Helper()
	a, out, errs := person(change)
	if err := a.showCode(e, d); err != nil {
		t.Fatal(err)
	}
	link, below, _ := strings.Cut(out.String(), "\n")
	if link != e.Link {
		t.Errorf("the first line is %q", link)
	}
	return strings.Split(strings.TrimSuffix(below, "\n"), "\n"), errs.String()
}

func nothingDrawn(rows []string) bool { return len(rows) == 1 && rows[0] == "" }

func TestAGoodTerminalDrawsBlocks(t *testing.T) {
	rows, said := drawn(t, nil, offer(), drawing{})
	if len(rows) < 21 || len(rows) > 23 || !strings.Contains(rows[3], "▀") {
		t.Errorf("%d rows: %q", len(rows), rows[0])
	}
	if strings.HasSuffix(said, "\n") || !strings.Contains(said, "open it within 10 min, then type the six digits that the device shows") {
		t.Errorf("it says %q", said)
	}
}

// TestB099_PoorTerminals: where no code can be drawn, the link is there, and a sentence says what helps.
func TestB099_PoorTerminals(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*voice.Voice)
		helps  string
	}{
		"the console":  {func(v *voice.Voice) { v.Term = "linux" }, "--ascii"},
		"LANG=C":       {func(v *voice.Voice) { v.UTF8 = false }, "--ascii"},
		"dumb":         {func(v *voice.Voice) { v.Term, v.Color = "dumb", false }, "--ascii"},
		"no TERM":      {func(v *voice.Voice) { v.Term, v.Color = "", false }, "--png FILE"},
		"into a file":  {func(v *voice.Voice) { v.OutTTY, v.Color = false, false }, "--png FILE"},
		"NO_COLOR":     {func(v *voice.Voice) { v.Color = false }, "--qr"},
		"small window": {func(v *voice.Voice) { v.Width = 40 }, "make it larger"},
		"low window":   {func(v *voice.Voice) { v.Height = 20 }, "make it larger"},
	} {
		rows, said := drawn(t, tt.change, offer(), drawing{})
		if !nothingDrawn(rows) || !strings.Contains(said, tt.helps) {
			t.Errorf("%s: drew %d rows and says %q", name, len(rows), said)
		}
	}
}

func TestB099_PlainCharactersWhereAskedFor(t *testing.T) {
	for name, change := range map[string]func(*voice.Voice){
		"the console": func(v *voice.Voice) { v.Term = "linux" },
		"LANG=C":      func(v *voice.Voice) { v.UTF8 = false },
		"into a file": func(v *voice.Voice) { v.OutTTY, v.Color = false, false },
		"NO_COLOR":    func(v *voice.Voice) { v.Color = false },
	} {
		rows, _ := drawn(t, change, offer(), drawing{ascii: true})
		if len(rows) < 37 {
			t.Errorf("%s: %d rows", name, len(rows))
		}
		for _, row := range rows {
			if strings.ContainsFunc(row, func(r rune) bool { return r > 0x7e }) {
				t.Errorf("%s: not plain: %q", name, row)
			}
		}
	}
}

func TestB099_ATallConsoleDrawsByItself(t *testing.T) {
	rows, said := drawn(t, func(v *voice.Voice) { v.Term, v.Height, v.Width = "linux", 60, 100 }, offer(), drawing{})
	if len(rows) < 37 || !strings.HasPrefix(rows[0], "\x1b[4") {
		t.Errorf("%d rows, %q, and says %q", len(rows), rows[0], said)
	}
}

// TestB100_NoCodeThatAPhoneCannotUse: over loopback or http the link alone, and what a phone needs; --qr draws it all the same.
func TestB100_NoCodeThatAPhoneCannotUse(t *testing.T) {
	e := offer()
	e.Loopback, e.Link, e.QR = true, "http://localhost:7380/p#"+code49, "HTTP://LOCALHOST:7380/P#"+code49
	rows, said := drawn(t, nil, e, drawing{})
	if !nothingDrawn(rows) || !strings.Contains(said, "a phone needs https: answerback up --relay URL") || !strings.Contains(said, "or this browser") {
		t.Errorf("drew %d rows and says %q", len(rows), said)
	}
	if rows, _ := drawn(t, nil, e, drawing{force: true}); nothingDrawn(rows) {
		t.Error("--qr drew nothing")
	}
}

func TestALongHostGetsTheLinkOnly(t *testing.T) {
	e := offer()
	e.QR = "HTTPS://" + strings.Repeat("A-VERY-LONG-NAME.", 8) + "EXAMPLE.ORG/P#" + code49
	rows, said := drawn(t, nil, e, drawing{})
	if !nothingDrawn(rows) || !strings.Contains(said, "open the link itself") {
		t.Errorf("drew %d rows and says %q", len(rows), said)
	}
}

func TestNoCodeWhereNoneIsWanted(t *testing.T) {
	rows, said := drawn(t, nil, offer(), drawing{none: true})
	if !nothingDrawn(rows) || strings.Contains(said, "(") {
		t.Errorf("drew %d rows and says %q", len(rows), said)
	}
}

func TestThePictureIsWritten(t *testing.T) {
	path := t.TempDir() + "/code.png"
	_, said := drawn(t, func(v *voice.Voice) { v.OutTTY, v.Color = false, false }, offer(), drawing{png: path})
	if !strings.Contains(said, "the code as a picture: "+path) {
		t.Errorf("it says %q", said)
	}
	a, _, _ := person(nil)
	if err := a.showCode(offer(), drawing{png: t.TempDir() + "/no/code.png"}); err == nil {
		t.Error("a picture in a missing folder was written")
	}
}

func TestSixDigits(t *testing.T) {
	for line, want := range map[string]bool{"402117": true, "402 117": true, " 402-117 ": true, "4 0 2 1 1 7": true, "": false, "40211": false, "4021170": false,
		"yes": false, "402117x": false, "４０２１１７": false} {
		if sixDigits(line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}

func TestNames(t *testing.T) {
	for want, list := range map[string][]string{"a paired device": nil, "Pixel 9": {"Pixel 9"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := names(list); got != want {
			t.Errorf("%q is said as %q", list, got)
		}
	}
}
