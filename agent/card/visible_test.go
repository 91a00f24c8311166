package card

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// vector is one text and how it is shown. The phone app passes the same file: testdata/visible.json.
type vector struct {
	Name  string `json:"name"`
	UTF8  string `json:"utf8"`            // the text's bytes, in hex
	UTF16 string `json:"utf16,omitempty"` // its code units, in hex; absent where the bytes are no such text
	Line  string `json:"line"`            // as Visible shows it
	Block string `json:"block"`           // as VisibleBlock shows it
}

type vectorRange struct {
	From string `json:"from"`
	To   string `json:"to"`
	Kind string `json:"kind"`
}

type vectorFile struct {
	Unicode string        `json:"unicode"`
	Ranges  []vectorRange `json:"ranges"`
	Cases   []vector      `json:"cases"`
}

// texts that hide something, or that only look as if they did.
var visibleTexts = []struct{ name, text string }{
	{"plain", "git status --short"},
	{"empty", ""},
	{"letters of the world", "naïve café Ünï Привет 你好 한국어 ไทย"},
	{"emoji", "\U0001f600"},
	{"lines", "one\n\ttwo\r\nthree"},
	{"B083 override", "rm -rf /tmp/\u202ecod.exe"},
	{"B083 marks", "a\u061cb\u200ec\u200fd"},
	{"B083 embeddings", "\u202a\u202b\u202c\u202d\u202e"},
	{"B083 isolates", "\u2066\u2067\u2068\u2069"},
	{"B084 zero width", "rm\u200b -rf ~"},
	{"B084 joiner and mark", "\ufeffa\u2060b\u00adc\u200dd\u200ce"},
	{"B084 fillers", "\u115f\u1160\u3164\uffa0\u034f\u17b4"},
	{"B084 tags", "ls\U000e0001\U000e0072\U000e006d"},
	{"B084 variation selectors", "a\ufe0fb\U000e0100c\u180b"},
	{"B084 blank glyphs", "a\u2800b\ufffcc\U0001d159d"},
	{"spaces", "a\u00a0b\u2003c\u3000d\u1680e\u202ff\u205fg"},
	{"line ends", "a\u2028b\u2029c\u0085d"},
	{"B086 escape codes", "\x1b]1337;SetColors=bg=000\a\x1b[2J\x1b]8;;http://x\x1b\\"},
	{"B086 C1", "\u009b2J\u009d0;title\u009c"},
	{"B086 bell and delete", "\x07\x08\x7f\x00"},
	{"private use", "\ue0b0\U000f0000\U00100000"},
	{"no characters", "\ufffe\ufdd0\U0001ffff"},
	{"a mark of the caller's own", "\u27e6U+202E\u27e7"},
	{"replacement character", "a\ufffdb"},
	{"no UTF-8", "a\xffb\xc3"},
	{"overlong", "\xc0\xaf"},
	{"half a character", "a\xed\xa0\x80b"},
	{"two halves apart", "\xed\xb8\x80\xed\xa0\xbd"},
}

func vectorOf(name, text string) vector {
	v := vector{Name: name, UTF8: hex.EncodeToString([]byte(text)), Line: Visible(text), Block: VisibleBlock(text)}
	var units []byte
	for rest := text; len(rest) > 0; {
		r, n, kind := next(rest)
		if kind == Byte {
			return v
		}
		encoded := []uint16{uint16(r)}
		if r > 0xffff {
			encoded = utf16.Encode([]rune{r})
		}
		for _, u := range encoded {
			units = append(units, byte(u>>8), byte(u))
		}
		rest = rest[n:]
	}
	v.UTF16 = hex.EncodeToString(units)
	return v
}

func TestVisibleVectors(t *testing.T) {
	file := vectorFile{Unicode: unicode.Version}
	for _, r := range hiddenTable {
		file.Ranges = append(file.Ranges, vectorRange{strconv.FormatInt(int64(r.lo), 16), strconv.FormatInt(int64(r.hi), 16), r.kind.String()})
	}
	for _, c := range visibleTexts {
		file.Cases = append(file.Cases, vectorOf(c.name, c.text))
	}
	want, err := json.MarshalIndent(file, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/visible.json", append(want, '\n'))
}

// golden holds a generated file to what the code makes.
func golden(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != string(want) {
		t.Errorf("%s is not what the code makes: run this test with -update, and look at the difference", path)
	}
}

func TestVisibleShowsEach(t *testing.T) {
	for in, want := range map[string]string{
		"rm -rf /tmp/\u202ecod.exe": "rm -rf /tmp/⟦U+202E⟧cod.exe",
		"rm\u200b -rf ~":            "rm⟦U+200B⟧ -rf ~",
		"a\nb\tc":                   "a⟦U+000A⟧b⟦U+0009⟧c",
		"\x1b[2J":                   "⟦U+001B⟧[2J",
		"\U000e0001":                "⟦U+E0001⟧",
		"a\xff":                     "a⟦0xFF⟧",
		"\xed\xa0\x80":              "⟦U+D800⟧",
		"⟦U+202E⟧":                  "⟦U+27E6⟧U+202E⟧",
		"é 你":                       "é 你",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
	if got, want := VisibleBlock("a\r\n\tb\v"), "a⟦U+000D⟧\n\tb⟦U+000B⟧"; got != want {
		t.Errorf("VisibleBlock = %q, want %q", got, want)
	}
}

// TestM013_NothingHiddenPasses holds the function to every code point there is, not to a list.
func TestM013_NothingHiddenPasses(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		in := string(appendHalf(nil, r))
		shown := Visible(in)
		if hiddenByUnicode(r) == NotHidden && r != openMark {
			if shown != in {
				t.Fatalf("U+%04X shows, but became %q", r, shown)
			}
			continue
		}
		want := "⟦U+" + strings.ToUpper(strconv.FormatInt(int64(r)|0x1000000, 16)[7-max(4, len(strconv.FormatInt(int64(r), 16))):]) + "⟧"
		if shown != want {
			t.Fatalf("U+%04X became %q, want %q", r, shown, want)
		}
	}
}

// clean fails for a shown text with anything in it that is hidden.
func clean(t *testing.T, shown string, block bool) {
	t.Helper()
	if !utf8.ValidString(shown) {
		t.Fatalf("what is shown is no UTF-8: %q", shown)
	}
	for _, r := range shown {
		if hiddenByUnicode(r) != NotHidden && !(block && (r == '\n' || r == '\t')) {
			t.Fatalf("U+%04X is shown raw in %q", r, shown)
		}
	}
}

// unshow reads a shown text back. It is the test's own, and exists to show that two texts never look alike.
func unshow(t *testing.T, shown string) string {
	t.Helper()
	var out []byte
	for {
		before, rest, found := strings.Cut(shown, string(openMark))
		out = append(out, before...)
		if !found {
			return string(out)
		}
		name, after, closed := strings.Cut(rest, string(closeMark))
		n, err := strconv.ParseInt(name[2:], 16, 32)
		if !closed || err != nil {
			t.Fatalf("a mark is not ours in %q", shown)
		}
		if strings.HasPrefix(name, "0x") {
			out = append(out, byte(n))
		} else {
			out = appendHalf(out, rune(n))
		}
		shown = after
	}
}

func FuzzVisible(f *testing.F) {
	for _, c := range visibleTexts {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, in string) {
		line, block := Visible(in), VisibleBlock(in)
		clean(t, line, false)
		clean(t, block, true)
		if unshow(t, line) != in || unshow(t, block) != in {
			t.Fatalf("%q cannot be told from what is shown: %q, %q", in, line, block)
		}
	})
}

func TestMarksAreNamedByLine(t *testing.T) {
	got := Marks("a\n\tb\u202e\n\n\x1b\x1b\u200b")
	want := []Mark{{0x202e, Direction, 2}, {0x1b, Control, 4}, {0x1b, Control, 4}, {0x200b, Invisible, 4}}
	if len(got) != len(want) {
		t.Fatalf("marks %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("mark %d is %v, want %v", i, got[i], want[i])
		}
	}
}
