package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/doctor"
)

// page is the documentation of the command line.
func page(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// each calls f for every command of ours.
func each(c *cobra.Command, f func(*cobra.Command)) {
	for _, sub := range c.Commands() {
		if sub.Name() == "help" || sub.Name() == "completion" {
			continue
		}
		f(sub)
		each(sub, f)
	}
}

func TestEveryCommandAndFlagIsDocumented(t *testing.T) {
	text := page(t)
	a, _, _ := person(nil)
	each(a.root(), func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), "answerback ")
		if !strings.Contains(text, "`"+path) && !c.HasSubCommands() {
			t.Errorf("docs/commands.md does not name %s", path)
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(text, "--"+f.Name) {
				t.Errorf("docs/commands.md does not name --%s of %s", f.Name, path)
			}
		})
	})
}

func TestEveryCommandSaysWhatItIs(t *testing.T) {
	a, _, _ := person(nil)
	each(a.root(), func(c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") || c.Short[:1] != strings.ToLower(c.Short[:1]) || len(c.Short) > 64 {
			t.Errorf("%s: %q is no short help in our voice", c.CommandPath(), c.Short)
		}
	})
}

// TestEveryNameOfJSONIsDocumented: programs rely on them.
func TestEveryNameOfJSONIsDocumented(t *testing.T) {
	text := page(t)
	for _, object := range []any{control.Pending{}, control.Device{}, doctor.Row{}, build{}} {
		kind := reflect.TypeOf(object)
		for i := range kind.NumField() {
			name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if !strings.Contains(text, "`"+name+"`") {
				t.Errorf("docs/commands.md does not name %s of %s", name, kind)
			}
		}
	}
}
