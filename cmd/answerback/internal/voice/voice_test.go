package voice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func fake() (*Voice, *bytes.Buffer, *bytes.Buffer) {
	var out, errs bytes.Buffer
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.Local)
	return &Voice{Out: &out, Err: &errs, Width: 80, Height: 24, Home: "/home/dev", Now: func() time.Time { return now }}, &out, &errs
}

func TestEnd(t *testing.T) {
	cause := errors.New("disk full")
	for _, tt := range []struct {
		err  error
		exit int
		says string
	}{
		{nil, Done, ""},
		{cause, Failed, "answerback: disk full\n"},
		{Fail(NoSuch, "nothing is pending"), NoSuch, "answerback: nothing is pending\n"},
		{fmt.Errorf("outer: %w", Fail(Refused, "no")), Refused, "answerback: no\n"},
		{Silent(Failed), Failed, ""},
		{Fail(Failed, "bad \x1b[2J name\nnext"), Failed, "answerback: bad <U+001B>[2J name<U+000A>next\n"},
	} {
		v, out, errs := fake()
		if exit := v.End(tt.err); exit != tt.exit || errs.String() != tt.says || out.Len() != 0 {
			t.Errorf("%v: exit %d, says %q", tt.err, exit, errs)
		}
	}
	if err := Fail(Failed, "write: %w", cause); !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
}

func TestResultsAndMessagesKeepApart(t *testing.T) {
	v, out, errs := fake()
	v.Print("a %s", "result")
	v.Say("a %s", "message")
	v.Ask("digits: ")
	if err := v.JSON(map[string]string{"call": "a && b"}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "a result\n{\"call\":\"a && b\"}\n" || errs.String() != "a message\ndigits: " {
		t.Errorf("stdout %q, stderr %q", out, errs)
	}
}

func TestPath(t *testing.T) {
	v, _, _ := fake()
	for path, want := range map[string]string{"/home/dev": "~", "/home/dev/project": "~/project", "/home/developer": "/home/developer", "/": "/"} {
		if got := v.Path(path); got != want {
			t.Errorf("%s is shown as %s", path, got)
		}
	}
}

func TestDurations(t *testing.T) {
	left := map[time.Duration]string{112 * time.Second: "1m52s", 41900 * time.Millisecond: "41s", 0: "over", -time.Second: "over",
		62 * time.Second: "1m02s", 3720 * time.Second: "1h02m", 500 * time.Millisecond: "over"}
	for d, want := range left {
		if got := Left(d); got != want {
			t.Errorf("Left(%v) = %q, want %q", d, got, want)
		}
	}
	lasted := map[time.Duration]string{0: "under 1 ms", 24 * time.Millisecond: "24 ms", 4190 * time.Millisecond: "4.1 s", 41 * time.Second: "41 s",
		240 * time.Second: "4 min", 3 * time.Hour: "3 h", 49 * time.Hour: "2 days"}
	for d, want := range lasted {
		if got := For(d); got != want {
			t.Errorf("For(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestMoments(t *testing.T) {
	v, _, _ := fake()
	now := v.Now()
	for ms, want := range map[int64]string{0: "never", now.UnixMilli(): "now", now.Add(-4 * time.Minute).UnixMilli(): "4 min ago", now.Add(time.Minute).UnixMilli(): "now"} {
		if got := v.Ago(ms); got != want {
			t.Errorf("Ago(%d) = %q, want %q", ms, got, want)
		}
	}
	if got := v.At(now.Add(-time.Hour).UnixMilli()); got != "11:00:00" {
		t.Errorf("today is shown as %q", got)
	}
	if got := v.At(now.Add(-48 * time.Hour).UnixMilli()); got != "2026-11-28 12:00" {
		t.Errorf("an older day is shown as %q", got)
	}
}

func TestSizesAndCounts(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 999: "999 B", 19_400_000: "19 MB", 2_500: "2 kB", 1_600_000_000: "1.6 GB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
	if Count(1, "device") != "1 device" || Count(0, "device") != "0 devices" {
		t.Error("a count is misspelt")
	}
}

func TestNew(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	env := map[string]string{"TERM": "xterm-256color", "LANG": "en_US.UTF-8"}
	v := New(null, null, null, func(name string) string { return env[name] })
	if v.InTTY || v.OutTTY || v.ErrTTY || v.Color || v.Width != 80 || v.Height != 24 || !v.UTF8 {
		t.Errorf("the null device is seen as %+v", v)
	}
}

func TestLocale(t *testing.T) {
	for _, tt := range []struct {
		all, ctype, lang string
		want             bool
	}{{"", "", "", false}, {"", "", "C", false}, {"", "", "C.UTF-8", true}, {"C", "", "en_US.UTF-8", false}, {"", "pt_BR.utf8", "C", true}, {"POSIX", "", "", false}} {
		env := map[string]string{"LC_ALL": tt.all, "LC_CTYPE": tt.ctype, "LANG": tt.lang}
		if got := localeIsUTF8(func(name string) string { return env[name] }); got != tt.want {
			t.Errorf("%v is UTF-8: %v", env, got)
		}
	}
}

func TestLineLeavesNoControl(t *testing.T) {
	for _, text := range []string{"\x1b[2J", "\x1b]1337;SetColors=bg=000\a", "\x1b]8;;http://x\x1b\\", "a\rb", "\u009b31m", "\x7f"} {
		got := Line(text)
		if strings.ContainsFunc(got, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := Line("wait for é 日本"); got != "wait for é 日本" {
		t.Errorf("plain text became %q", got)
	}
}

func TestJSONDoesNothingToAScreen(t *testing.T) {
	v, out, _ := fake()
	text := "a\u009b2J\u202eb\x1b[2J\x7f\u200b\ufeff\U000e0041 日本 é"
	if err := v.JSON(map[string]string{"call": text}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(strings.TrimSuffix(out.String(), "\n"), func(r rune) bool { return hidden(r) || r < 0x20 }) {
		t.Errorf("a hidden character in %q", out)
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["call"] != text {
		t.Errorf("it reads back as %q, %v", back["call"], err)
	}
}
