package main

import (
	"encoding/base32"
	"encoding/binary"
	"strings"
)

// linkCase is a pairing link and what it says.
type linkCase struct {
	Name        string `json:"name"`
	Expect      string `json:"expect"`
	Link        string `json:"link"`
	App         string `json:"app,omitempty"`
	Relay       string `json:"relay,omitempty"`
	Secret      string `json:"secret,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

func base32Of(b []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b)
}

func links() *group {
	g := &group{About: "A pairing link: app origin || /p# || base32(01 || secret(32) || fingerprint(16)), and . || relay host if that is another. Either case, space around it is dropped; app and relay come out in lower case. Faults: link (no such link), offer (no such code)."}
	secret, fp := fixed("secret", 32), fixed("fp", 16)
	code := base32Of(cat([]byte{1}, secret, fp))
	good := "https://relay.example.org/p#" + code
	ok := func(name, link, app, relay string) {
		g.add(linkCase{Name: name, Expect: "ok", Link: link, App: app, Relay: relay, Secret: enc(secret), Fingerprint: enc(fp)})
	}
	ok("as printed", good, "https://relay.example.org", "")
	ok("as in the QR code", strings.ToUpper(good), "https://relay.example.org", "")
	ok("in lower case, with space around", " \n"+strings.ToLower(good)+"\t ", "https://relay.example.org", "")
	ok("another relay, with a port", "https://app.example.org/P#"+code+".Relay.Example.org:8443", "https://app.example.org", "relay.example.org:8443")
	ok("on this machine", "http://localhost:7380/p#"+code, "http://localhost:7380", "")
	for _, c := range [][2]string{
		{"nothing", ""}, {"words", "pair me"}, {"the code alone", code}, {"the code with its #", "#" + code}, {"no scheme", good[8:]},
		{"another scheme", "ftp" + good[5:]}, {"a script", "javascript://host/p#" + code}, {"no host", "https:///p#" + code},
		{"another path", "https://relay.example.org/q#" + code}, {"no path", "https://relay.example.org#" + code},
		{"a longer path", "https://relay.example.org/a/p#" + code}, {"a query", "https://relay.example.org/p?x#" + code},
		{"user info", "https://a@relay.example.org/p#" + code}, {"a space inside", "https://relay. example.org/p#" + code},
		{"a host that is not ASCII", "https://rel\u00e4y.example.org/p#" + code}, {"a Kelvin sign as k", "https://\u212aelay.example.org/p#" + code},
		{"an empty relay", good + "."}, {"a relay with a path", good + ".a/b"}, {"a relay with its scheme", good + ".https://relay.example.org"},
	} {
		g.add(linkCase{Name: c[0], Expect: "link", Link: c[1]})
	}
	for _, c := range [][2]string{
		{"a letter less", good[:len(good)-1]}, {"a letter more", good + "A"}, {"padding", good + "="}, {"a 1 in the code", good[:50] + "1" + good[51:]},
		{"a line break in the code", good[:50] + "\n" + good[50:]}, {"two codes", good + "#" + code}, {"no code", good[:28]}, {"a long s in the code", good[:50] + "\u017f" + good[51:]},
		{"version 0", good[:28] + base32Of(cat([]byte{0}, secret, fp))}, {"version 2", good[:28] + base32Of(cat([]byte{2}, secret, fp))},
		{"a secret of zeros", good[:28] + base32Of(cat([]byte{1}, make([]byte, 32), fp))}, {"bits behind the last byte", good[:len(good)-1] + loosen(good[len(good)-1:])},
	} {
		g.add(linkCase{Name: c[0], Expect: "offer", Link: c[1]})
	}
	return g
}

// loosen returns the next letter of base32: one with a bit behind the last byte.
func loosen(letter string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	return string(alphabet[strings.Index(alphabet, letter)+1])
}

// bundleCase is an agent's bundle, read by a device.
type bundleCase struct {
	Name       string `json:"name"`
	Expect     string `json:"expect"`
	Bytes      string `json:"bytes"`
	AgentKey   string `json:"agent_key,omitempty"`
	Ephemeral  string `json:"ephemeral,omitempty"`
	Commitment string `json:"commitment,omitempty"`
	Expires    uint64 `json:"expires,omitempty"`
	AgentName  string `json:"agent_name,omitempty"`
	HostName   string `json:"host_name,omitempty"`
	RelayURL   string `json:"relay_url,omitempty"`
	AppOrigin  string `json:"app_origin,omitempty"`
}

// bundle spells B out, valid or not.
type bundle struct {
	suite                        byte
	key, ephemeral, commitment   []byte
	expires                      uint64
	agent, host, relay, app, end string
}

func goodBundle() bundle {
	return bundle{
		suite: 1, key: publicOf(agentKey), ephemeral: fixed("e_a.pub", 32), commitment: fixed("C_a", 32), expires: now + 600_000,
		agent: "desk", host: "workstation", relay: "https://relay.example.org", app: "https://relay.example.org",
	}
}

func (b bundle) bytes() []byte {
	out := cat([]byte{b.suite}, b.key, b.ephemeral, b.commitment, binary.BigEndian.AppendUint64(nil, b.expires))
	for _, s := range []string{b.agent, b.host, b.relay, b.app} {
		out = cat(out, binary.BigEndian.AppendUint16(nil, uint16(len(s))), []byte(s))
	}
	return append(out, b.end...)
}

func bundles() *group {
	g := &group{About: "suite(1) || agent key(32) || ephemeral(32) || commitment(32) || expires(8) || four strings, each len(2) || UTF-8. Faults: version (another suite), key (small order), format."}
	add := func(name, expect string, change func(*bundle)) {
		b := goodBundle()
		change(&b)
		c := bundleCase{Name: name, Expect: expect, Bytes: enc(b.bytes())}
		if expect == "ok" {
			c.AgentKey, c.Ephemeral, c.Commitment, c.Expires = enc(b.key), enc(b.ephemeral), enc(b.commitment), b.expires
			c.AgentName, c.HostName, c.RelayURL, c.AppOrigin = b.agent, b.host, b.relay, b.app
		}
		g.add(c)
	}
	long := strings.Repeat("a", 2048-8)
	add("good", "ok", func(*bundle) {})
	add("longest names", "ok", func(b *bundle) { b.agent, b.host = strings.Repeat("\u00e9", 32), strings.Repeat("h", 64) })
	add("longest address", "ok", func(b *bundle) { b.relay = "https://" + long })
	add("on this machine", "ok", func(b *bundle) { b.relay, b.app = "http://localhost:7380", "http://localhost:7380" })
	add("suite 0", "version", func(b *bundle) { b.suite = 0 })
	add("suite 2", "version", func(b *bundle) { b.suite = 2 })
	for i, k := range smallOrder() {
		add("small order "+string(rune('a'+i)), "key", func(b *bundle) { b.key = unhex(k) })
	}
	add("a byte behind", "format", func(b *bundle) { b.end = "\x00" })
	add("a string behind", "format", func(b *bundle) { b.end = "\x00\x01x" })
	add("a short key", "format", func(b *bundle) { b.key = b.key[:31] })
	add("no agent name", "format", func(b *bundle) { b.agent = "" })
	add("no host name", "format", func(b *bundle) { b.host = "" })
	add("a name of 65 bytes", "format", func(b *bundle) { b.agent = strings.Repeat("a", 65) })
	add("a name that is no UTF-8", "format", func(b *bundle) { b.host = "\xff" })
	add("a name with a lone surrogate", "format", func(b *bundle) { b.host = "\xed\xa0\x80" })
	add("no relay", "format", func(b *bundle) { b.relay = "" })
	add("a relay without a scheme", "format", func(b *bundle) { b.relay = "relay.example.org" })
	add("a relay that is a script", "format", func(b *bundle) { b.relay = "javascript:alert(1)" })
	add("a relay that is only a scheme", "format", func(b *bundle) { b.relay = "https://" })
	add("an app with a space", "format", func(b *bundle) { b.app = "https://relay.example.org /" })
	add("an app that is not ASCII", "format", func(b *bundle) { b.app = "https://rel\u00e4y.example.org" })
	add("a scheme in upper case", "format", func(b *bundle) { b.app = "HTTPS://relay.example.org" })
	add("an address too long", "format", func(b *bundle) { b.relay = "https://a" + long })
	add("expires in 1970", "format", func(b *bundle) { b.expires = dayMS - 1 })
	add("expires after 2^53", "format", func(b *bundle) { b.expires = 1 << 53 })
	return g
}
