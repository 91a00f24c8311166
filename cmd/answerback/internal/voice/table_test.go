package voice

import (
	"strings"
	"testing"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"npm test", 8, "npm test"},
		{"rm -rf build && rsync", 20, "rm -rf build && ..."},
		{"日本語のテキスト", 10, "日本語 ..."},
		{"abcdef", 4, "...."}, {"abcdef", 0, ""}, {"", 0, ""},
	} {
		got := Cut(tt.text, tt.width)
		if got != tt.want || Cells(got) > tt.width {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
}

func TestCutFrontKeepsTheEnd(t *testing.T) {
	for width := range 40 {
		got := CutFront("~/code/日本/project/very/deep/folder", width)
		if Cells(got) > width {
			t.Errorf("%q is wider than %d", got, width)
		}
	}
	if got := CutFront("~/code/site/public", 10); got != ".../public" && got != "...public" {
		t.Errorf("got %q", got)
	}
}

func sample() Table {
	return Table{
		Columns: []Column{{Head: "ID"}, {Head: "LEFT", Right: true}, {Head: "CALLER", Most: 12}, {Head: "FOLDER", Most: 14, Front: true}, {Head: "CALL"}},
		Rows: [][]string{
			{"k7q2", "1m52s", "claude", "~/project", "Bash  npm test"},
			{"x9d4", "41s", "a-caller-with-a-long-name", "~/code/site/deep/below", "Bash  rm -rf build && rsync -a --delete dist/ host:/srv/www/"},
		},
	}
}

func TestTableLooks(t *testing.T) {
	want := []string{
		"ID     LEFT  CALLER        FOLDER          CALL",
		"k7q2  1m52s  claude        ~/project       Bash  npm test",
		"x9d4    41s  a-caller ...  .../deep/below  Bash  rm -rf build && rsync -a -- ...",
	}
	got := sample().Lines(80)
	for i, line := range want {
		if i >= len(got) || got[i] != line {
			t.Errorf("line %d is %q, want %q", i, got[i], line)
		}
	}
}

func TestTableFitsTheTerminal(t *testing.T) {
	for _, width := range []int{60, 72, 80, 100, 200} {
		for _, line := range sample().Lines(width) {
			if Cells(line) > width {
				t.Errorf("%d columns of %d: %q", Cells(line), width, line)
			}
		}
	}
}

func TestB086_NoRawEscapeInATable(t *testing.T) {
	table := sample()
	table.Rows[0][4] = "Bash  \x1b]1337;SetColors=fg=000\a\x1b[2J\x1b]8;;http://x\x1b\\ls\a\r\nrm"
	table.Rows[0][2] = "a\x1b[8mb"
	for _, line := range table.Lines(200) {
		if strings.ContainsFunc(line, func(r rune) bool { return r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 }) {
			t.Errorf("a raw control character in %q", line)
		}
	}
}

func TestTableWithoutRows(t *testing.T) {
	table := Table{Columns: []Column{{Head: "A"}, {Head: "B"}}}
	if got := table.Lines(80); len(got) != 1 || got[0] != "A  B" {
		t.Errorf("got %q", got)
	}
	table.NoHead = true
	if got := table.Lines(80); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

func TestWrap(t *testing.T) {
	text := "the relay is not reached.  start it, or give the agent another --relay https://a-very-long-name.relay.example.org:8443"
	for width := 10; width < 130; width++ {
		lines := Wrap(text, width)
		for _, line := range lines {
			if Cells(line) > width && strings.Contains(line, " ") {
				t.Errorf("%d columns of %d: %q", Cells(line), width, line)
			}
		}
		if got := strings.Join(strings.Fields(strings.Join(lines, " ")), " "); got != strings.Join(strings.Fields(text), " ") {
			t.Errorf("words are lost: %q", got)
		}
	}
	if got := Wrap("", 10); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	if got := Wrap("one.  two", 80); got[0] != "one.  two" {
		t.Errorf("got %q", got)
	}
}
