package qr

import (
	"bytes"
	"encoding/base32"
	"errors"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// link makes an upper-case pairing link for a host, of 49 bytes from a seed.
func link(host string, seed uint64) string {
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	payload := make([]byte, 49)
	source.Read(payload)
	payload[0] = 1
	return "HTTPS://" + strings.ToUpper(host) + "/P#" + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(payload)
}

func must(t *testing.T, text string) *Code {
	t.Helper()
	c, err := New(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDrawnBlocksReadBack(t *testing.T) {
	hosts := []string{"relay.example.org", "r.example.org", "answerback-relay.example.org"}
	for _, host := range hosts {
		for seed := range uint64(20) {
			want := link(host, seed)
			for _, rich := range []bool{true, false} {
				start := map[bool]string{true: blackOnWhite256, false: blackOnWhite}[rich]
				rows := fromBlocks(t, must(t, want).Lines(Blocks, rich), start)
				if got := read(t, strip(t, rows[:len(rows[0])], quiet)); got != want {
					t.Fatalf("read %q, drew %q", got, want)
				}
			}
		}
	}
}

func TestPlainReadsBack(t *testing.T) {
	want := link("relay.example.org", 7)
	var rows [][]bool
	for _, line := range must(t, want).Lines(Plain, false) {
		if !isASCII(line) {
			t.Fatalf("a plain line holds %q", line)
		}
		rows = append(rows, pairs(line, "##"))
	}
	if got := read(t, strip(t, rows, cellsQuiet)); got != want {
		t.Errorf("read %q, drew %q", got, want)
	}
}

func TestCellsReadBack(t *testing.T) {
	want := link("relay.example.org", 8)
	for rich, dark := range map[bool]string{true: black256, false: black} {
		var rows [][]bool
		for _, line := range must(t, want).Lines(Cells, rich) {
			if !isASCII(line) || !strings.HasSuffix(line, reset) || !strings.HasPrefix(line, "\x1b[4") {
				t.Fatalf("a line does not force its colours, or is not ASCII: %q", line)
			}
			rows = append(rows, grounds(line, dark))
		}
		if got := read(t, strip(t, rows, cellsQuiet)); got != want {
			t.Errorf("read %q, drew %q", got, want)
		}
	}
}

func isASCII(s string) bool { return utf8.RuneCountInString(s) == len(s) }

// pairs reads two characters as one module.
func pairs(line, dark string) []bool {
	var row []bool
	for i := 0; i+1 < len(line); i += 2 {
		row = append(row, line[i:i+2] == dark)
	}
	return row
}

// grounds reads runs of coloured spaces as modules.
func grounds(line, dark string) []bool {
	var row []bool
	for _, run := range strings.Split(strings.TrimSuffix(line, reset), "\x1b[")[1:] {
		colour, spaces, _ := strings.Cut(run, "m")
		for range len(spaces) / 2 {
			row = append(row, "\x1b["+colour+"m" == dark)
		}
	}
	return row
}

// TestB097_ReadsOnAnyTheme: no module is left to the terminal's own colours, so the theme does not matter.
func TestB097_ReadsOnAnyTheme(t *testing.T) {
	c := must(t, link("relay.example.org", 1))
	for _, rich := range []bool{true, false} {
		for i, line := range c.Lines(Blocks, rich) {
			start := map[bool]string{true: blackOnWhite256, false: blackOnWhite}[rich]
			if !strings.HasPrefix(line, start) || strings.Count(line, "\x1b") != 2 || !strings.HasSuffix(line, reset) {
				t.Errorf("line %d is not black on white from end to end: %q", i, line)
			}
		}
	}
}

func TestSizesFitATerminal(t *testing.T) {
	want := map[int][2]int{4: {41, 21}, 5: {45, 23}}
	seen := map[int]bool{}
	for _, host := range []string{"relay.example.org", "abc.example.org", "answerback-relay.example.org"} {
		for seed := range uint64(40) {
			c := must(t, link(host, seed))
			lines := c.Lines(Blocks, true)
			columns := utf8.RuneCountInString(strings.TrimSuffix(strings.TrimPrefix(lines[0], blackOnWhite256), reset))
			if got := [2]int{columns, len(lines)}; got != want[c.Version] {
				t.Fatalf("version %d takes %v", c.Version, got)
			}
			if !c.Fits(Blocks, 80, 24) {
				t.Fatalf("version %d and a prompt do not fit 80x24", c.Version)
			}
			seen[c.Version] = true
		}
	}
	if !seen[4] || !seen[5] {
		t.Errorf("only versions %v were drawn", seen)
	}
}

func TestFitsSaysNo(t *testing.T) {
	c := must(t, link("answerback-relay.example.org", 1))
	for _, tt := range []struct {
		style         Style
		width, height int
		want          bool
	}{{Blocks, 45, 24, true}, {Blocks, 44, 24, false}, {Blocks, 80, 23, false}, {Cells, 80, 24, false}, {Cells, 82, 42, true}, {Cells, 81, 60, false}} {
		if got := c.Fits(tt.style, tt.width, tt.height); got != tt.want {
			t.Errorf("version %d, style %d in %dx%d: %v", c.Version, tt.style, tt.width, tt.height, got)
		}
	}
}

func TestALargeLinkIsRefused(t *testing.T) {
	long := strings.Repeat("a-long-name.", 12) + "example.org"
	if _, err := New(link(long, 1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
	if _, err := New(strings.Repeat("x", 5000)); err == nil {
		t.Error("a link that no symbol can hold was drawn")
	}
}

func TestPictureIsPrivateAndWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "code.png")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := must(t, link("relay.example.org", 3))
	if err := c.WritePNG(path); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("the picture has mode %v", info.Mode())
	}
	b, _ := os.ReadFile(path)
	picture, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if side := picture.Bounds().Dx(); side != pixels*c.Size() {
		t.Fatalf("the picture is %d pixels wide", side)
	}
	for y := range c.Size() {
		for x := range c.Size() {
			r, _, _, _ := picture.At(x*pixels+pixels/2, y*pixels+pixels/2).RGBA()
			if (r == 0) != c.dark(x, y) {
				t.Fatalf("module %d,%d differs", x, y)
			}
		}
	}
}

func TestPictureReplacesALinkNotItsTarget(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target"), filepath.Join(dir, "code.png")
	os.WriteFile(target, []byte("mine"), 0o644)
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	if err := must(t, link("relay.example.org", 3)).WritePNG(path); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(target); string(b) != "mine" {
		t.Error("the picture was written through a link")
	}
}

func TestPictureInAMissingFolderIsSaid(t *testing.T) {
	if err := must(t, link("relay.example.org", 3)).WritePNG(filepath.Join(t.TempDir(), "no", "code.png")); err == nil {
		t.Fatal("a picture in a missing folder was written")
	}
}
