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
	for _, rule := range redactions {
		text = redact(text, rule)
	}
	return text
}

func redact(text string, rule *regexp.Regexp) string {
	var out strings.Builder
	at := 0
	for _, m := range rule.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[4], m[5]
		name := strings.TrimSuffix(text[m[2]:m[3]], "=")
		if from < at || !endsPlain(text, to) || runs(text, name) {
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

// runs says that the text uses the variable as a command, so that its value is
// code.
func runs(text, name string) bool {
	if name == "" || strings.ContainsAny(name, " \t\n:?&-\"") {
		return false
	}
	if at := strings.LastIndexAny(name, "'=;|("); at >= 0 {
		name = name[at+1:]
	}
	use := regexp.MustCompile(`(?:^|[;|&({\n` + "`" + `]|\b(?:eval|exec|sh|bash|zsh|do|then|sudo)\b[^;|&\n]*)\s*"?\$\{?` + regexp.QuoteMeta(name) + `\b`)
	return use.MatchString(text)
}
