// Package voice is how the command line speaks. Results go to stdout, everything else to stderr; a message says what happened, then what to
// do, in one line without a full stop; colour appears only on a terminal and never with NO_COLOR, and is never the only sign.
package voice

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"golang.org/x/term"
)

// Voice writes for one run of the program. The zero value writes nowhere useful: use New, or fill it in a test.
type Voice struct {
	In       io.Reader
	Out, Err io.Writer
	// InTTY, OutTTY and ErrTTY say which of the three is a terminal.
	InTTY, OutTTY, ErrTTY bool
	// Color says that colours may be written to Out.
	Color bool
	// UTF8 says that the locale's encoding is UTF-8.
	UTF8 bool
	// Term is $TERM.
	Term string
	// Width and Height are the terminal's columns and rows; 80 and 24 where there is none.
	Width, Height int
	// Home is shown as ~. Empty: paths are shown whole.
	Home string
	// Now is the clock that "in 4 min" is counted from.
	Now func() time.Time
}

// New looks at the three standard files and at the environment that getenv reads.
func New(in, out, errs *os.File, getenv func(string) string) *Voice {
	v := &Voice{
		In: in, Out: out, Err: errs,
		InTTY: isTerminal(in), OutTTY: isTerminal(out), ErrTTY: isTerminal(errs),
		UTF8: localeIsUTF8(getenv), Term: getenv("TERM"),
		Width: 80, Height: 24, Now: time.Now,
	}
	v.Home, _ = os.UserHomeDir()
	v.Color = v.OutTTY && getenv("NO_COLOR") == "" && v.Term != "" && v.Term != "dumb"
	if w, h, err := term.GetSize(int(out.Fd())); err == nil && w > 0 && h > 0 {
		v.Width, v.Height = w, h
	}
	return v
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// localeIsUTF8 follows POSIX: the first that is set of LC_ALL, LC_CTYPE, LANG counts; none set is the C locale.
func localeIsUTF8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// Print writes one line of result to stdout.
func (v *Voice) Print(format string, args ...any) { fmt.Fprintf(v.Out, format+"\n", args...) }

// Say writes one line that is not a result to stderr.
func (v *Voice) Say(format string, args ...any) { fmt.Fprintf(v.Err, format+"\n", args...) }

// Ask writes to stderr without ending the line: the person types behind it.
func (v *Voice) Ask(format string, args ...any) { fmt.Fprintf(v.Err, format, args...) }

// JSON writes one object as one line to stdout. What a terminal could act on, or would not show, is written as JSON's own escape, so that the
// line means the same to a program and does nothing to a screen.
func (v *Voice) JSON(object any) error {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return fmt.Errorf("voice: write object: %w", err)
	}
	_, err := io.WriteString(v.Out, escapeHidden(strings.TrimSuffix(b.String(), "\n"))+"\n")
	return err
}

// escapeHidden works on JSON text: outside of strings it holds ASCII only.
func escapeHidden(line string) string {
	if !strings.ContainsFunc(line, hidden) {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Path shows a path with the home folder as ~.
func (v *Voice) Path(path string) string {
	if v.Home == "" || v.Home == "/" {
		return path
	}
	if path == v.Home {
		return "~"
	}
	if rest, below := strings.CutPrefix(path, v.Home+string(filepath.Separator)); below {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}
