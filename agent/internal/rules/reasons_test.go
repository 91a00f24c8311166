package rules

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var kebab = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

func TestReasonsTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Reasons() {
		if !kebab.MatchString(r.ID) || seen[r.ID] || len(r.ID) > 24 {
			t.Errorf("id %q is no short kebab word, or stands twice", r.ID)
		}
		if r.Class != "sensitive" && r.Class != "destructive" {
			t.Errorf("%s has class %q", r.ID, r.Class)
		}
		if r.English == "" || r.Portuguese == "" || strings.HasSuffix(r.English, ".") || seen[r.English] {
			t.Errorf("%s says %q, %q", r.ID, r.English, r.Portuguese)
		}
		seen[r.ID], seen[r.English] = true, true
	}
}

// The sentences that the phone's screens show, word for word.
func TestDrawnSentences(t *testing.T) {
	for id, want := range map[string][2]string{
		"changes-service":  {"Changes a running service", "Altera um serviço em execução"},
		"reaches-machine":  {"Reaches another machine", "Alcança outra máquina"},
		"deletes-folder":   {"Deletes a folder and all in it", "Apaga uma pasta e tudo o que há nela"},
		"runs-as-root":     {"Runs as root", "Executa como root"},
		"rewrites-history": {"Replaces history on the server", "Substitui o histórico no servidor"},
		"sends-secret":     {"Sends a secret to another machine", "Envia um segredo a outra máquina"},
		"changes-hooks":    {"Changes code that decides about calls", "Altera código que decide sobre chamadas"},
	} {
		r := reasonByID()[id]
		if r.English != want[0] || r.Portuguese != want[1] || ReasonText(id) != want[0] {
			t.Errorf("%s says %q, %q", id, r.English, r.Portuguese)
		}
	}
	if ReasonText("not there") != "not there" || classOf("not there") != Destructive {
		t.Error("an unknown reason is harmless")
	}
}

var addedID = regexp.MustCompile(`(?:add|out\.add|s\.add)\("([a-z-]+)"|\{"([a-z]+-[a-z-]+|self|publishes|pushes|unresolved)", \[\]string`)

// Every reason that the code or the table of programs gives stands in the table.
func TestReasonsAreKnown(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		source, err := os.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range addedID.FindAllStringSubmatch(string(source), -1) {
			used[m[1]+m[2]] = true
		}
	}
	for _, z := range zones {
		used[z.id] = true
	}
	for _, p := range programs() {
		for _, e := range p.entries {
			if e.reason != "-" {
				used[e.reason] = true
			}
		}
	}
	for id := range used {
		if _, known := reasonByID()[id]; !known {
			t.Errorf("reason %q has no sentence", id)
		}
	}
	for _, r := range Reasons() {
		if !used[r.ID] && r.ID != "tool-deletes" && r.ID != "tool-changes" && r.ID != "unknown-tool" {
			t.Errorf("reason %q is never given", r.ID)
		}
	}
}

// Every line of programs.txt is whole.
func TestProgramsTable(t *testing.T) {
	for line := range strings.Lines(programsText) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " : ")
		if len(parts) != 3 || len(strings.Fields(parts[1])) == 0 || len(strings.Fields(parts[2])) != 1 {
			t.Errorf("line %.60q has %d parts", line, len(parts))
		}
	}
	if len(programs()) < 500 {
		t.Errorf("%d programs", len(programs()))
	}
}
