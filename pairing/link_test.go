package pairing

import (
	"errors"
	"strings"
	"testing"
)

func testOffer() Offer { return Offer{Secret: testHash("s"), Fingerprint: fingerprint([]byte("fp"))} }

func testHash(name string) (h [32]byte) {
	(&stream{name: name}).Read(h[:])
	return h
}

func TestLinkRoundTrip(t *testing.T) {
	o := testOffer()
	for _, c := range []struct{ app, relay string }{
		{"https://relay.example.org", ""}, {"https://app.example.org", "relay.example.org"},
		{"http://localhost:7380", ""}, {"https://app.example.org", "relay.example.org:8443"}, {"http://[::1]:7380", ""},
	} {
		for _, text := range []string{Link(c.app, o, c.relay), LinkQR(c.app, o, c.relay), "\n  " + Link(c.app, o, c.relay) + " \t", strings.ToLower(Link(c.app, o, c.relay))} {
			app, got, relay, err := ParseLink(text)
			if err != nil || app != c.app || got != o || relay != c.relay {
				t.Errorf("%q: %q, %q, %v", text, app, relay, err)
			}
		}
	}
	if Link("HTTPS://Relay.Example.org/", o, "") != Link("https://relay.example.org", o, "") {
		t.Error("one address has two links")
	}
}

// 107 characters for a host of 17: the QR code stays at version 4.
func TestLinkLength(t *testing.T) {
	if link := LinkQR("https://relay.example.org", testOffer(), ""); len(link) != 107 || link != strings.ToUpper(link) {
		t.Errorf("%d characters: %s", len(link), link)
	}
}

func TestParseLinkRefuses(t *testing.T) {
	good := Link("https://relay.example.org", testOffer(), "")
	code := good[strings.Index(good, "#")+1:]
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"nothing":          {"", ErrLink},
		"words":            {"pair me", ErrLink},
		"code alone":       {code, ErrLinkPart},
		"code with #":      {"#" + code, ErrLink},
		"lower-case code":  {strings.ToLower(code), ErrLinkPart},
		"no scheme":        {strings.TrimPrefix(good, "https://"), ErrLink},
		"another scheme":   {strings.Replace(good, "https", "ftp", 1), ErrLink},
		"script":           {"javascript://host/p#" + code, ErrLink},
		"no host":          {"https:///p#" + code, ErrLink},
		"another path":     {strings.Replace(good, "/p#", "/q#", 1), ErrLink},
		"no path":          {strings.Replace(good, "/p#", "#", 1), ErrLink},
		"a longer path":    {strings.Replace(good, "/p#", "/a/p#", 1), ErrLink},
		"a query":          {strings.Replace(good, "/p#", "/p?x=1#", 1), ErrLink},
		"user info":        {strings.Replace(good, "https://", "https://a@", 1), ErrLink},
		"a space inside":   {strings.Replace(good, "relay.", "relay. ", 1), ErrLink},
		"not ASCII":        {strings.Replace(good, "relay", "rélay", 1), ErrLink},
		"Kelvin sign":      {strings.Replace(good, "relay", "\u212Aelay", 1), ErrLink},
		"empty relay host": {good + ".", ErrLink},
		"two relay hosts":  {good + ".a/b", ErrLink},
		"relay as URL":     {good + ".https://relay.example.org", ErrLink},
		"one letter less":  {good[:len(good)-1], ErrOffer},
		"one letter more":  {good + "A", ErrOffer},
		"padding":          {good + "=", ErrOffer},
		"a digit 1":        {good[:len(good)-5] + "1" + good[len(good)-4:], ErrOffer},
		"a line break":     {good[:60] + "\n" + good[60:], ErrOffer},
		"long s":           {good[:60] + "ſ" + good[61:], ErrOffer},
		"two #":            {good + "#" + code, ErrOffer},
		"loose last bits":  {good[:len(good)-1] + loosen(good[len(good)-1]), ErrOffer},
		"another version":  {Link("https://relay.example.org", Offer{}, "")[:29] + "AI" + good[31:], ErrOffer},
		"a zero secret":    {Link("https://relay.example.org", Offer{}, ""), ErrOffer},
	} {
		app, o, relay, err := ParseLink(c.text)
		if !errors.Is(err, c.want) || app != "" || relay != "" || o != (Offer{}) {
			t.Errorf("%s: %q, %q, %v", name, app, relay, err)
		}
	}
}

// loosen sets a bit behind the last byte: the letter after this one.
func loosen(letter byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	return string(alphabet[strings.IndexByte(alphabet, letter)+1])
}

func TestParseOfferRefuses(t *testing.T) {
	good := testOffer().Payload()
	for n := range good {
		if _, err := ParseOffer(good[:n]); !errors.Is(err, ErrOffer) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for version := range 256 {
		good[0] = byte(version)
		if _, err := ParseOffer(good); (err == nil) != (version == 1) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}
