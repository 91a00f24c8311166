package caller

import (
	"strings"
	"unicode/utf8"
)

// Limits of what a person's words may have, in bytes.
const (
	maxWords = 4 << 10
	maxBy    = 64
)

// CleanWords is s as it goes to a model: UTF-8, at most 4 KiB, and without
// characters that cannot be seen, except the line end and the tab.
func CleanWords(s string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		if r == '\r' || r == '\u2028' || r == '\u2029' {
			r = '\n'
		}
		if r == utf8.RuneError || hidden(r) && r != '\n' && r != '\t' && !oddSpace(r) {
			continue
		}
		if oddSpace(r) {
			r = ' '
		}
		if b.Len()+utf8.RuneLen(r) > maxWords {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// cleanName is a device's or host's name: one line, at most 64 bytes.
func cleanName(s string) string {
	s = strings.Join(strings.Fields(CleanWords(s)), " ")
	for len(s) > maxBy {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}

// The phone shows this line above the box for the words, so it stays word for
// word in every refusal that a person made.
const refused = "A person refused this call. Do not look for another way round."

// Denial is the reason that a denied call's model reads. It says who refused
// and where, that it is final, and what to do now, and it is never empty.
func Denial(c Call, v Verdict) string {
	words := CleanWords(v.Words)
	if v.By == "" {
		if words != "" {
			return words
		}
		return "A rule on this machine refused this call. Do not look for another way round. " +
			"This is final, and nothing ran. Tell the person if it has to be done."
	}
	if c.Kind == KindQuestion {
		return join(words, "A person declined to answer"+from(v)+". Nothing is agreed to. "+
			"Do not ask the same again: wait for the person, or go on with what does not depend on the answer.")
	}
	text := refused + " Refused" + from(v) + "; this is final, and nothing ran. "
	if words != "" {
		return join(words, text+"Do what their words above say, or ask the person.")
	}
	return text + "Stop here, say what the call was for, and wait for the person."
}

// from is " on DEVICE for HOST", as far as both are known.
func from(v Verdict) string {
	s := ""
	if by := cleanName(v.By); by != "" {
		s = " on " + by
	}
	if host := cleanName(v.Host); host != "" {
		s += " for " + host
	}
	return s
}

func join(words, rest string) string {
	if words == "" {
		return rest
	}
	return words + "\n\n" + rest
}
