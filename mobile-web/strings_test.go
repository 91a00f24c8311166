package mobileweb_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every sentence of the screens has its Portuguese, with the same places to fill.

var (
	literal = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
	place   = regexp.MustCompile(`\{\w+\}`)
	// speaks starts a call that says a sentence, or a table of sentences.
	speaks = regexp.MustCompile(`(?:^|[^\w.])(?:t|sentence|count)\(|const (?:FILTERS|QUICK|ALL|WANTS|WHOLE|ADMIN|DOES|TEXT)\b`)
)

// notSaid are literals inside such calls that are compared with, not said.
var notSaid = []string{"question", "card", "allow", "allowed", "denied", "none", "on", "off", "repair"}

// spoken collects the sentences of one source file.
func spoken(source string) []string {
	var out []string
	for _, at := range speaks.FindAllStringIndex(source, -1) {
		for _, m := range literal.FindAllStringSubmatch(statement(source[at[1]-1:]), -1) {
			if strings.ContainsAny(m[1], "abcdefghijklmnopqrstuvwxyz") && !slices.Contains(notSaid, m[1]) {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// statement is the text up to the bracket that closes the first one, or, for a table, up to the semicolon.
func statement(s string) string {
	if s[0] != '(' {
		end := strings.Index(s, ";")
		return s[:max(end, 0)]
	}
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && c == '(':
			depth++
		case !quoted && c == ')':
			if depth--; depth == 0 {
				return s[:i]
			}
		}
	}
	return s
}

func TestEverySentenceIsSaidInPortuguese(t *testing.T) {
	raw, err := os.ReadFile("src/ui/strings.pt-BR.json")
	if err != nil {
		t.Fatal(err)
	}
	var table map[string]string
	if err := json.Unmarshal(raw, &table); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("src/ui/*.ts*")
	if err != nil || len(files) < 30 {
		t.Fatalf("only %d files are read: %v", len(files), err)
	}
	said := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range spoken(string(source)) {
			said++
			if table[key] == "" {
				t.Errorf("%s: no Portuguese for %q", file, key)
			}
		}
	}
	if said < 200 {
		t.Errorf("only %d sentences were found; the search is broken", said)
	}
	for key, word := range table {
		if a, b := places(key), places(word); !slices.Equal(a, b) {
			t.Errorf("%q has the places %v, its Portuguese %v", key, a, b)
		}
		if strings.ContainsAny(key+word, "!") {
			t.Errorf("an exclamation mark: %q", key)
		}
	}
}

func places(s string) []string {
	all := place.FindAllString(s, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// The notifications speak as the screens do: each of their sentences, in English and Portuguese, is one of the table's.
func TestNotificationsSayWhatTheScreensSay(t *testing.T) {
	raw, err := os.ReadFile("src/ui/strings.pt-BR.json")
	if err != nil {
		t.Fatal(err)
	}
	var table map[string]string
	if err := json.Unmarshal(raw, &table); err != nil {
		t.Fatal(err)
	}
	words, err := os.ReadFile("src/worker/words.ts")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^  ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),$`).FindAllStringSubmatch(string(words), -1)
	if len(rows) < 50 {
		t.Fatalf("only %d sentences were found; the search is broken", len(rows))
	}
	for _, row := range rows {
		key, word := strings.Trim(row[1], `"`), strings.Trim(row[2], `"`)
		if table[key] != word {
			t.Errorf("%q is %q in notifications and %q on the screens", key, word, table[key])
		}
	}
}
