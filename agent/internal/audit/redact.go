package audit

import (
	"regexp"
	"strings"
)

// mask stands where a secret stood.
const mask = "***"

// plain are the characters that no shell gives a meaning to. Only runs of them
// are ever masked: what a shell would run must stay readable in the log, and a
// text such as TOKEN=$(curl evil|sh) is code, not a secret.
const plain = `[A-Za-z0-9_./+=:@%,~!^*#?-]`

// quoted is plain and spaces, for what stands between quotes.
const quoted = `[A-Za-z0-9_./+=:@%,~!^*#? -]`

// value is a secret's place: quoted, or a bare run.
const value = `(?:'` + quoted + `+'|"` + quoted + `+"|` + plain + `+)`

const secretName = `[A-Za-z0-9_-]*(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?-?KEY|ACCESS_?-?KEY|PRIVATE_?-?KEY|CREDENTIALS?|AUTH_?-?KEY|COOKIE)[A-Za-z0-9_-]*`

// A rule masks group 2 of what it finds, if the text after it lets the run end
// there.
var redactions = []*regexp.Regexp{
	// token prefixes
	regexp.MustCompile(`()\b((?:sk|rk|pk)[-_](?:live|test|proj|ant)?[-_A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|npm_[A-Za-z0-9]{20,}|pypi-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}|dop_v1_[a-f0-9]{32,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,}|AGE-SECRET-KEY-1[A-Z0-9]{40,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})`),
	// private keys
	regexp.MustCompile(`(-----BEGIN [A-Z ]*PRIVATE KEY-----)([A-Za-z0-9+/=\s\\]+)`),
	// Authorization schemes
	regexp.MustCompile(`(?i)(\b(?:bearer|basic|token|digest)\s+)((?:` + plain + `){6,})`),
	// NAME=value, "name": "value", --name value, --name=value
	regexp.MustCompile(`(?i)(\b` + secretName + `=)(` + value + `)`),
	regexp.MustCompile(`(?i)("` + secretName + `"\s*:\s*)("` + quoted + `+")`),
	regexp.MustCompile(`(?i)(\B--(?:` + secretName + `|pass|auth)[= ]\s*)(` + value + `)`),
	// URL passwords
	regexp.MustCompile(`(?i)(\b[a-z][a-z0-9+.-]*://[A-Za-z0-9_.%~+-]*:)([A-Za-z0-9_.%~+!*=,-]+)@`),
	regexp.MustCompile(`(?i)([?&](?:` + secretName + `|key|sig|signature|code)=)([A-Za-z0-9_.%~+-]+)`),
	// cookies, and curl's user and cookie
	regexp.MustCompile(`(?i)(\b(?:set-)?cookie:\s*)((?:` + quoted + `)+)`),
	regexp.MustCompile(`(?i)(\bx-(?:api-key|auth-token|access-token):\s*)((?:` + plain + `)+)`),
	regexp.MustCompile(`(\bcurl\b[^\n;|&]*?\s(?:-b|--cookie|-u|--user|-U|--proxy-user)[ =]?\s*)(` + value + `)`),
}

// Redact masks what looks like a secret: known token prefixes, NAME=secret,
// flags, Bearer and its kin, passwords in URLs, cookies. It is for the log
// only; a card shows every byte. It masks nothing that a shell would expand or
// run: a value that reaches a shell's special characters stays as it is, and so
// does a variable that the text runs as a command.
func Redact(text string) string {
	code := commandVariables(text)
	for _, rule := range redactions {
		text = redact(text, rule, code)
	}
	return cookieHeader.ReplaceAllStringFunc(text, redactCookies)
}

var (
	cookieHeader = regexp.MustCompile("(?i)\\b(?:set-)?cookie:[^'\"\n$`|&<>(){}]+")
	cookiePair   = regexp.MustCompile(`^(\s*[A-Za-z0-9_.-]+=)` + plain + `+$`)
)

// redactCookies masks the second and later values of a header. Unquoted, a ; in
// it ends the command: so only what is name=value and no more is masked.
func redactCookies(header string) string {
	pairs := strings.Split(header, ";")
	for i := range pairs[1:] {
		pairs[i+1] = cookiePair.ReplaceAllString(pairs[i+1], "$1"+mask)
	}
	return strings.Join(pairs, ";")
}

func redact(text string, rule *regexp.Regexp, code map[string]bool) string {
	var out strings.Builder
	at := 0
	for _, m := range rule.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[4], m[5]
		if from < at || !endsPlain(text, to) || code[strings.TrimSuffix(text[m[2]:m[3]], "=")] {
			continue
		}
		from, to = insideQuotes(text, from, to)
		out.WriteString(text[at:from])
		out.WriteString(mask)
		at = to
	}
	out.WriteString(text[at:])
	return out.String()
}

// endsPlain says that the run ends because its word does, not because a
// character follows that a shell would act on inside the same word.
func endsPlain(text string, to int) bool {
	return to == len(text) || !strings.ContainsRune("$`(<>{", rune(text[to]))
}

func insideQuotes(text string, from, to int) (int, int) {
	if q := text[from]; (q == '\'' || q == '"') && to-from >= 2 && text[to-1] == q {
		return from + 1, to - 1
	}
	return from, to
}

// runners are programs that run their words.
var runners = map[string]bool{"eval": true, "exec": true, "sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "sudo": true,
	"env": true, "xargs": true, "ssh": true, "command": true, "source": true, "do": true, "then": true, "else": true, "nohup": true, "time": true}

// commandVariables are the variables that the text uses as a command, or hands
// to a program that runs its words: their values are code. It
// errs on the side of more.
func commandVariables(text string) map[string]bool {
	names := map[string]bool{}
	start, running, inValue := true, false, false
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		if word := wordAt(text[i:]); word != "" {
			i += len(word) - 1
			running = running || runners[word]
			inValue = inValue || strings.HasPrefix(text[i+1:], "=")
			start = start && inValue
			continue
		}
		switch {
		case strings.IndexByte(";|&({\n`", c) >= 0:
			start, running, inValue = true, false, false
		case c == '\'' || c == '"':
			quote = c ^ quote // opens, or closes the same
			if quote != c && quote != 0 {
				quote = c ^ quote // the other one inside: text
			}
		case (c == ' ' || c == '\t') && quote == 0:
			inValue = false
		case c == '$':
			name := wordAt(strings.TrimPrefix(text[i+1:], "{"))
			if name == "" {
				continue
			}
			if start || running {
				names[name] = true
			}
			i += strings.Index(text[i:], name) + len(name) - 1
			start = start && inValue
		}
	}
	return names
}

// wordAt is the run of letters, digits and _ that text begins with.
func wordAt(text string) string {
	end := 0
	for end < len(text) && (text[end] == '_' || text[end] >= '0' && text[end] <= '9' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
		end++
	}
	return text[:end]
}
