package pairing

import (
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
)

// ErrLink is returned for text that is no pairing link.
var ErrLink = errors.New("pairing: parse link: this is no pairing link; it looks like https://HOST/p#CODE")

// ErrLinkPart is returned for a code without the address in front of it.
var ErrLinkPart = fmt.Errorf("%w: this is only its end; copy the whole link, from https:// on", ErrLink)

// What a host and its port are made of, after folding to lower case.
const (
	hostLetters = "abcdefghijklmnopqrstuvwxyz0123456789.-:[]"
	maxHost     = 255
)

var base32Code = base32.StdEncoding.WithPadding(base32.NoPadding)

// Link returns the pairing link: appURL's origin || "/p#" || base32 of the
// offer, and "." || relayHost if that is not empty (the relay is another host
// than the app's). The code stands behind '#', so that no server is told it.
func Link(appURL string, o Offer, relayHost string) string {
	link := lowerASCII(strings.TrimRight(appURL, "/")) + "/p#" + base32Code.EncodeToString(o.Payload())
	if relayHost != "" {
		link += "." + lowerASCII(relayHost)
	}
	return link
}

// LinkQR returns the link in upper case, which a QR code holds in fewer modules
// and which means the same.
func LinkQR(appURL string, o Offer, relayHost string) string {
	return upperASCII(Link(appURL, o, relayHost))
}

// ParseLink reads a pairing link in either case, with or without space around
// it. app is the app's origin; relayHost is empty if the app's host is the
// relay. Errors: ErrLink, ErrLinkPart, ErrOffer.
func ParseLink(text string) (app string, o Offer, relayHost string, err error) {
	address, code, found := strings.Cut(strings.TrimSpace(text), "#")
	if !found {
		return "", Offer{}, "", noLink(address)
	}
	app, ok := parseAddress(address)
	if !ok {
		return "", Offer{}, "", ErrLink
	}
	code, relayHost, other := strings.Cut(code, ".")
	if relayHost = lowerASCII(relayHost); other && !isHost(relayHost) {
		return "", Offer{}, "", ErrLink
	}
	if o, err = parseCode(code); err != nil {
		return "", Offer{}, "", err
	}
	return app, o, relayHost, nil
}

func noLink(text string) error {
	if _, err := parseCode(strings.TrimPrefix(text, "#")); err == nil {
		return ErrLinkPart
	}
	return ErrLink
}

// parseAddress reads scheme://host/p.
func parseAddress(s string) (origin string, ok bool) {
	origin, ok = strings.CutSuffix(lowerASCII(s), "/p")
	if !ok {
		return "", false
	}
	scheme, host, _ := strings.Cut(origin, "://")
	return origin, (scheme == "https" || scheme == "http") && isHost(host)
}

// parseCode reads the base32 (RFC 4648 section 6, no padding) of an offer. The
// bits behind the last byte must be zero: one offer has one code.
func parseCode(s string) (Offer, error) {
	s = upperASCII(s)
	b, err := base32Code.DecodeString(s)
	if err != nil || base32Code.EncodeToString(b) != s {
		return Offer{}, ErrOffer
	}
	return ParseOffer(b)
}

// isHost says whether s could be a host in lower case with or without a port.
func isHost(s string) bool {
	return s != "" && len(s) <= maxHost && strings.IndexFunc(s, notHost) < 0
}

func notHost(r rune) bool { return !strings.ContainsRune(hostLetters, r) }

// lowerASCII and upperASCII leave other letters alone: some of them, such as the
// Kelvin sign, would fold into ASCII ones.
func lowerASCII(s string) string { return fold(s, 'A', 'Z') }
func upperASCII(s string) string { return fold(s, 'a', 'z') }

// fold changes the case of the ASCII letters from first to last.
func fold(s string, first, last byte) string {
	b := []byte(s)
	for i, c := range b {
		if first <= c && c <= last {
			b[i] = c ^ 0x20
		}
	}
	return string(b)
}
