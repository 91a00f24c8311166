package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// answerCase is one answer by its fields; out is what is signed.
type answerCase struct {
	Name       string `json:"name"`
	Expect     string `json:"expect"`
	Agent      string `json:"agent"`
	Device     string `json:"device"`
	Request    string `json:"request"`
	CardDigest string `json:"card_digest"`
	Decision   int    `json:"decision"`
	Flags      int    `json:"flags"`
	Via        int    `json:"via"`
	Made       uint64 `json:"made"`
	Payload    string `json:"payload"`
	Out        string `json:"out,omitempty"`
	Receipt    string `json:"receipt,omitempty"`   // H("receipt" || out)
	Challenge  string `json:"challenge,omitempty"` // H("uv" || out)
}

func newAnswer(name, expect string, decision, flags, via int, payload string) answerCase {
	return answerCase{
		Name: name, Expect: expect, Agent: enc(agentID[:]), Device: enc(deviceID[:]), Request: enc(fixed("request", 16)),
		CardDigest: enc(sha(label("card"), []byte("the card"))), Decision: decision, Flags: flags, Via: via, Made: now, Payload: enc([]byte(payload)),
	}
}

// raw spells the form out, valid or not.
func (c answerCase) raw() []byte {
	payload := unhex(c.Payload)
	b := cat(label("answer"), []byte{1}, unhex(c.Agent), unhex(c.Device), unhex(c.Request), unhex(c.CardDigest))
	b = append(b, byte(c.Decision), byte(c.Flags), byte(c.Via))
	b = binary.BigEndian.AppendUint64(b, c.Made)
	return append(binary.BigEndian.AppendUint32(b, uint32(len(payload))), payload...)
}

// allAnswers are the cases by fields: what may be signed, and what may not.
func allAnswers() (all []answerCase) {
	good := func(name string, decision, flags, via int, payload string) {
		all = append(all, newAnswer(name, "ok", decision, flags, via, payload))
	}
	bad := func(name string, decision, flags, via int, payload string) {
		all = append(all, newAnswer(name, "answer", decision, flags, via, payload))
	}
	good("allow from the notification", 1, 0, 1, "")
	good("allow with the passkey", 1, 0, 3, "")
	good("deny without a word", 2, 0, 1, "")
	good("deny with words", 2, 0, 2, "use trash instead \u00e9\u2603")
	good("the longest words", 2, 0, 2, strings.Repeat("x", 4096))
	good("answers", 3, 0, 2, `{"q1":["a","b"]}`)
	good("hand back", 4, 0, 2, "")
	for i := range 4 {
		good(fmt.Sprintf("allow, and rule %d", i), 1, 1|i<<1, 2, "")
	}
	for _, d := range []int{0, 5, 128, 255} {
		bad(fmt.Sprintf("decision %d", d), d, 0, 2, "")
	}
	for _, v := range []int{0, 4, 128, 255} {
		bad(fmt.Sprintf("via %d", v), 1, 0, v, "")
	}
	for _, f := range []int{2, 4, 6, 8, 9, 16, 32, 64, 128, 129, 255} {
		bad(fmt.Sprintf("allow with flags %#x", f), 1, f, 2, "")
	}
	for d := 2; d <= 4; d++ {
		bad(fmt.Sprintf("decision %d with a rule", d), d, 1, 2, "{}")
	}
	bad("a rule from the notification", 1, 1, 1, "")
	bad("allow with a mode beside it", 1, 0, 2, `{"mode":"bypass"}`)
	bad("allow with words", 1, 0, 2, "yes")
	bad("hand back with words", 4, 0, 2, "yes")
	bad("answers without any", 3, 0, 2, "")
	bad("words over 4,096 bytes", 2, 0, 2, strings.Repeat("x", 4097))
	bad("words that are no UTF-8", 2, 0, 2, "\xff\xfe")
	bad("words with a lone surrogate", 2, 0, 2, "\xed\xa0\x80")
	bad("words cut inside a character", 2, 0, 2, "\xc3")
	bad("words with an overlong slash", 2, 0, 2, "\xc0\xaf")
	far := newAnswer("made after 2^53", "answer", 1, 0, 2, "")
	far.Made = 1 << 53
	return append(all, far)
}

func answers() *group {
	g := &group{About: `An answer by its fields (numbers and hex). out: the bytes that are signed; receipt and challenge: the hashes over them. A device must not make, and an agent must not take, the others. label "answerback/1 answer\0" || suite 1 || agent || device || request || card_digest || decision || flags || via || made(8) || len(4) || payload.`}
	for _, c := range allAnswers() {
		if c.Expect == "ok" {
			raw := c.raw()
			c.Out, c.Receipt, c.Challenge = enc(raw), enc(sha(label("receipt"), raw)), enc(sha(label("uv"), raw))
		}
		g.add(c)
	}
	return g
}

// bytesCase is a message for the agent to parse and to verify.
type bytesCase struct {
	Name   string `json:"name"`
	Op     string `json:"op"`
	Expect string `json:"expect"`
	Bytes  string `json:"bytes"`
	Key    string `json:"key,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Type   int    `json:"type,omitempty"`
}

func answerMessages() *group {
	g := &group{About: "op parse: an answer's bytes; op message: answer || sig(64) || len(2) || assertion, parsed and verified with key. What parses prints the same bytes."}
	for _, c := range allAnswers() {
		g.add(bytesCase{Name: "parse: " + c.Name, Op: "parse", Expect: c.Expect, Bytes: enc(c.raw())})
	}
	good := newAnswer("", "", 1, 0, 2, "").raw()
	bad := func(name string, b []byte) {
		g.add(bytesCase{Name: "parse: " + name, Op: "parse", Expect: "answer", Bytes: enc(b)})
	}
	for _, n := range []int{0, 1, 20, 101, 102, 115} {
		bad(fmt.Sprintf("cut to %d bytes", n), good[:n])
	}
	bad("one byte more", append(slices.Clone(good), 0))
	bad("doubled", cat(good, good))
	bad("no decision", slices.Delete(slices.Clone(good), 101, 102))
	bad("another label", cat([]byte("answerback/2"), good[12:]))
	bad("label of a message", cat(label("message"), good[20:]))
	bad("suite 0", set(good, 20, 0))
	bad("suite 2", set(good, 20, 2))
	bad("length beyond the end", set(good, 115, 1))
	bad("length of 4 GiB", cat(good[:112], []byte{255, 255, 255, 255}))
	bad("JSON", []byte(`{"decision":"allow"}`))
	bad("zeros", make([]byte, 116))
	answerSignatures(g, good)
	return g
}

func answerSignatures(g *group, raw []byte) {
	key := enc(publicOf(deviceKey))
	add := func(name, expect, key string, b []byte) {
		g.add(bytesCase{Name: "message: " + name, Op: "message", Expect: expect, Key: key, Bytes: enc(b)})
	}
	sig := ed25519.Sign(deviceKey, raw)
	good := cat(raw, sig, []byte{0, 0})
	passkey := newAnswer("", "", 1, 0, 3, "").raw()
	proven := cat(passkey, ed25519.Sign(deviceKey, passkey), []byte{0, 2}, []byte("{}"))
	add("signed", "ok", key, good)
	add("signed, with a passkey", "ok", key, proven)
	for _, i := range []int{21, 37, 53, 69, 111, 120} { // agent, device, request, digest, time, signature
		add(fmt.Sprintf("byte %d changed", i), "signature", key, flip(good, i, 1))
	}
	add("decision turned", "signature", key, set(good, 101, 2))
	add("signed by another device", "signature", enc(publicOf(signKey("third"))), good)
	nobody := append([]byte{1}, make([]byte, 63)...)
	add("signed by nobody, key of small order", "key", smallOrder()[0], cat(raw, nobody, []byte{0, 0}))
	add("not signed", "answer", key, raw)
	add("no assertion length", "answer", key, good[:len(good)-2])
	add("one byte more", "answer", key, append(slices.Clone(good), 0))
	add("an assertion where none belongs", "answer", key, cat(raw, sig, []byte{0, 2}, []byte("{}")))
	add("passkey without assertion", "answer", key, cat(passkey, ed25519.Sign(deviceKey, passkey), []byte{0, 0}))
	add("assertion length wrong", "answer", key, cat(proven[:len(proven)-4], []byte{0, 3}, []byte("{}")))
	add("assertion too long", "answer", key, cat(proven[:len(proven)-4], []byte{0x20, 1}, bytes.Repeat([]byte{'x'}, 8193)))
}
