package webpush

import (
	"errors"
	"strings"
	"testing"
)

func TestSubject(t *testing.T) {
	for contact, want := range map[string]string{
		"you@example.com":                  "mailto:you@example.com",
		"mailto:you@example.com":           "mailto:you@example.com",
		"you+push@mail.example.com":        "mailto:you+push@mail.example.com",
		"you@xn--bcher-kva.example.com":    "mailto:you@xn--bcher-kva.example.com",
		"https://relay.example.org":        "https://relay.example.org",
		"https://example.org/contact?a=b":  "https://example.org/contact?a=b",
		"https://host.tailnet-name.ts.net": "https://host.tailnet-name.ts.net",
	} {
		if got, err := Subject(contact); err != nil || got != want {
			t.Errorf("%s: %q, %v", contact, got, err)
		}
	}
}

// TestB057_SubjectsThatAppleRefuses: each of these made Apple answer 403
// BadJwtToken to every push, or could.
func TestB057_SubjectsThatAppleRefuses(t *testing.T) {
	for _, contact := range []string{
		"", "mailto:", "you", "@example.com", "you@", "mailto:you", "you@localhost", "mailto:x@localhost", "x@localhost.localdomain", "https://localhost", "https://localhost:7380", "http://localhost",
		"https://10.0.0.1", "https://127.0.0.1", "https://[::1]", "https://192.168.1.4/x", "https://8.8.8.8", "https://2130706433", "you@10.0.0.1", "you@[10.0.0.1]", "https://1.2.3",
		"http://example.org", "ftp://example.org", "https://", "https:///x", "https://example", "https://example.org:8443", "https://me@example.org", "https://example.org#x", "https://.example.org", "https://example..org", "https://exa_mple.org",
		"you@host", "you@host.local", "you@HOST.LOCAL", "you@relay.lan", "you@relay.home.arpa", "you@relay.internal", "security@gateway.invalid", "you@relay.test", "you@relay.example", "you@a@example.com",
		"you @example.com", "you@exämple.com", "you@example.com\r\nX: y", "you@example.com?subject=x", "<you@example.com>", "\"you\"@example.com", "mailto:mailto:you@example.com", "MAILTO:you@example.com", "you@example.com.",
		strings.Repeat("a", 65) + "@example.com", "you@" + strings.Repeat("a.", 130) + "com",
	} {
		got, err := Subject(contact)
		if !errors.Is(err, ErrSubject) || got != "" || !strings.Contains(err.Error(), "give a mail address") {
			t.Errorf("%q: %q, %v", contact, got, err)
		}
	}
}
