package webpush

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// ErrSubject is what a contact is refused with, wrapped in a sentence.
var ErrSubject = errors.New("webpush: read contact")

const maxContact = 254 // bytes, as of a mail address

// nowhere are the last labels of names that nobody outside a house can reach
// (RFC 2606, 6761, 6762, 7686, 8375, 9476 and common habit).
var nowhere = []string{"localhost", "local", "localdomain", "internal", "intranet", "private", "lan", "home", "corp", "test", "invalid", "example", "onion", "alt", "arpa"}

// Subject makes the "sub" claim of RFC 8292 section 2.1 from what an operator
// wrote: a mail address with or without "mailto:", or an https address. Apple's
// service answers 403 to every push whose claim is not one that can be reached
// from outside, so such a one is refused here, before the first push.
func Subject(contact string) (string, error) {
	no := func(why string) (string, error) {
		return "", fmt.Errorf("%w: %q %s; give a mail address like you@example.com, or an https address", ErrSubject, contact, why)
	}
	if contact == "" || len(contact) > maxContact || strings.ContainsFunc(contact, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return no("is no mail address and no https address")
	}
	if strings.Contains(contact, "://") {
		return webSubject(contact, no)
	}
	mail := strings.TrimPrefix(contact, "mailto:")
	name, host, ok := strings.Cut(mail, "@")
	if !ok || !isMailName(name) {
		return no("is no mail address and no https address")
	}
	if why := unreachable(host); why != "" {
		return no(why)
	}
	return "mailto:" + mail, nil
}

func webSubject(contact string, no func(string) (string, error)) (string, error) {
	u, err := url.Parse(contact)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" || u.Port() != "" {
		return no("is no plain https address")
	}
	if why := unreachable(u.Host); why != "" {
		return no(why)
	}
	return contact, nil
}

// isMailName accepts the dot-atom of RFC 5322, less what a URI would have to escape.
func isMailName(name string) bool {
	const others = "!$&'*+-/=^_`{|}~."
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r)
	}
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, odd)
}

// unreachable says why a host is none that a push service could write to.
func unreachable(host string) string {
	host = strings.ToLower(host)
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return "has an address where a name has to stand"
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	switch {
	case slices.Contains(nowhere, last):
		return "is a name that nobody can reach from outside"
	case len(labels) < 2 || !isName(host) || strings.Trim(last, "0123456789") == "":
		return "has no full host name"
	}
	return ""
}
