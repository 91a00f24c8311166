package main

import (
	"fmt"
)

// pairCase is a pairing as a device lives it: it receives the messages in order
// and confirms after the bundle. expect is what comes of the last message.
type pairCase struct {
	Name       string   `json:"name"`
	Expect     string   `json:"expect"`
	Result     string   `json:"result,omitempty"` // when ok: bundle, digits or paired
	Reason     int      `json:"reason,omitempty"` // when stopped
	Offer      string   `json:"offer"`
	DeviceSeed string   `json:"device_seed"` // RFC 8032's 32-byte private key
	DeviceKey  string   `json:"device_key"`
	DeviceName string   `json:"device_name"`
	Platform   string   `json:"platform"`
	ED         string   `json:"e_d"` // X25519 private key
	EDPublic   string   `json:"e_d_public"`
	ND         string   `json:"n_d"`
	IV         string   `json:"iv"` // msg1's GCM nonce
	Messages   []string `json:"messages"`
	Msg1       string   `json:"msg1,omitempty"`
	Digits     string   `json:"digits,omitempty"`
	Agent      string   `json:"agent,omitempty"`
	Device     string   `json:"device,omitempty"`
	PairBoxes  []string `json:"pair_boxes,omitempty"` // r and w of direction 1, r and w of direction 2
	Boxes      []string `json:"boxes,omitempty"`
	Stored     uint32   `json:"stored,omitempty"`
	Chain      string   `json:"chain,omitempty"` // chain[stored]
	Roster     string   `json:"roster,omitempty"`
	AgentClock uint64   `json:"agent_clock,omitempty"`
}

// story is one machine and one phone that make cases of the device's half.
type story struct {
	g *group
	m *machine
	p *phone
	x met
}

func (s *story) add(name, expect string, messages ...[]byte) *pairCase {
	c := &pairCase{
		Name: name, Expect: expect, Offer: enc(s.m.offer()), DeviceSeed: enc(s.p.key.Seed()), DeviceKey: enc(publicOf(s.p.key)),
		DeviceName: s.p.name, Platform: s.p.platform, ED: enc(s.p.eD.Bytes()), EDPublic: enc(s.p.eD.PublicKey().Bytes()), ND: enc(s.p.nonceD), IV: enc(s.p.iv),
	}
	for _, m := range messages {
		c.Messages = append(c.Messages, enc(m))
	}
	s.g.add(c)
	return c
}

func (s *story) bundle() []byte { return s.m.bundleMsg(s.m.b.bytes()) }

func boxKeys(derive func(word string, direction byte) []byte, r, w string) []string {
	return []string{enc(derive(r, 1)), enc(derive(w, 1)), enc(derive(r, 2)), enc(derive(w, 2))}
}

func devicePairings() *group {
	g := &group{About: "The device's half of a pairing. It receives the messages in order and makes msg1 after the bundle; expect is what comes of the last one. ignored: nothing changes. not_ours, unproven, version, stopped (with reason): the pairing is over."}
	m, p := newMachine("machine"), newPhone("phone")
	s := &story{g: g, m: m, p: p, x: m.meets(p)}
	s.good()
	s.changed()
	s.outOfPlace()
	s.unproven()
	s.hostileBundles()
	s.stops()
	return g
}

func (s *story) good() {
	msg2, roster := s.m.goodMsg2(s.x), []byte(`[{"id":"00"}]`)
	msg3 := s.m.msg3(s.x, finish(s.p.id(), roster, now))
	s.add("as far as the question", "ok", s.bundle()).Result = "bundle"
	c := s.add("as far as the digits", "ok", s.bundle(), msg2)
	s.shows(c)
	c = s.add("to the end", "ok", s.bundle(), msg2, msg3)
	s.pairs(c, roster)
	c = s.add("to the end, with noise and repetitions", "ok", s.bundle(), s.bundle(), []byte("noise"), flip(msg2, 40, 1), msg2, msg2, flip(msg3, 40, 1), msg3)
	s.pairs(c, roster)
}

func (s *story) shows(c *pairCase) {
	c.Result, c.Msg1 = "digits", enc(s.p.msg1(s.m))
	c.Digits = digitsOf(s.x.last("digits", s.m.nonceA))
}

func (s *story) pairs(c *pairCase, roster []byte) {
	s.shows(c)
	root := s.x.last("root", s.m.nonceA)
	c.Result, c.Agent, c.Device = "paired", enc(agentID[:]), enc(s.p.id())
	c.PairBoxes = boxKeys(func(w string, d byte) []byte { return s.m.fromSecret(w, d) }, "pair box r", "pair box w")
	c.Boxes = boxKeys(func(w string, d byte) []byte { return hmacOf(root, label(w), []byte{d, 1}) }, "box r", "box w")
	c.Chain, c.Stored = enc(hmacOf(root, label("chain 0"), []byte{1})), uint32(s.m.b.expires/dayMS)-1
	c.Roster, c.AgentClock = enc(roster), now
}

// changed spoils one byte of each message.
func (s *story) changed() {
	msg2, msg3 := s.m.goodMsg2(s.x), s.m.msg3(s.x, finish(s.p.id(), []byte("[]"), now))
	for _, i := range []int{0, 1, 13, 60, len(s.bundle()) - 1} {
		s.add(fmt.Sprintf("bundle, byte %d changed", i), "ignored", flip(s.bundle(), i, 1))
	}
	for _, i := range []int{0, 1, 13, 60, len(msg2) - 1} {
		s.add(fmt.Sprintf("msg2, byte %d changed", i), "ignored", s.bundle(), flip(msg2, i, 1))
	}
	for _, i := range []int{0, 1, 13, 30, len(msg3) - 1} {
		s.add(fmt.Sprintf("msg3, byte %d changed", i), "ignored", s.bundle(), msg2, flip(msg3, i, 1))
	}
	s.add("bundle cut", "ignored", s.bundle()[:100])
	s.add("msg2 cut", "ignored", s.bundle(), msg2[:len(msg2)-1])
	s.add("msg3 with a byte more", "ignored", s.bundle(), msg2, append(msg3, 0))
}

// outOfPlace sends good messages at the wrong time, or those of another code.
func (s *story) outOfPlace() {
	other := newMachine("another machine")
	ox := other.meets(s.p)
	msg2, msg3 := s.m.goodMsg2(s.x), s.m.msg3(s.x, finish(s.p.id(), []byte("[]"), now))
	s.add("no bytes", "ignored", nil)
	s.add("type 0", "ignored", append([]byte{0}, s.bundle()[1:]...))
	s.add("type 7", "ignored", append([]byte{7}, s.bundle()[1:]...))
	s.add("its own hello, reflected", "ignored", []byte{1, 1})
	s.add("its own msg1, reflected", "ignored", s.bundle(), s.p.msg1(s.m))
	s.add("the bundle again", "ignored", s.bundle(), s.bundle())
	s.add("msg2 before the bundle", "ignored", msg2)
	s.add("msg3 before msg2", "ignored", s.bundle(), msg3)
	s.add("msg2 again", "ignored", s.bundle(), msg2, msg2)
	s.add("msg3 again", "ignored", s.bundle(), msg2, msg3, msg3)
	s.add("stop before the bundle", "ignored", s.m.stopMsg([]byte{3}))
	s.add("stop after the end", "ignored", s.bundle(), msg2, msg3, s.m.stopMsg([]byte{3}))
	s.add("bundle of another code", "ignored", other.bundleMsg(other.b.bytes()))
	s.add("msg2 of another code", "ignored", s.bundle(), other.goodMsg2(ox))
	s.add("msg2 for another phone", "ignored", s.bundle(), s.m.goodMsg2(s.m.meets(newPhone("another phone"))))
	s.add("msg3 of another code", "ignored", s.bundle(), msg2, other.msg3(ox, finish(s.p.id(), nil, now)))
	s.add("stop of another code", "ignored", s.bundle(), other.stopMsg([]byte{3}))
}

// unproven are messages that open and prove nothing: their maker knows s.
func (s *story) unproven() {
	late := fixed("a nonce chosen late", 32)
	evil := *s.m
	evil.key = signKey("evil")
	otherX := s.m.meets(newPhone("another phone"))
	good2 := s.m.goodMsg2(s.x)
	for _, c := range []struct {
		name  string
		plain []byte
	}{
		{"a nonce chosen after msg1, rightly signed", cat(late, s.m.confirms(s.x, late))},
		{"a nonce chosen after msg1, with the old signature", cat(late, s.m.confirms(s.x, s.m.nonceA))},
		{"signed by another key", cat(s.m.nonceA, evil.confirms(s.x, s.m.nonceA))},
		{"signed for another phone", cat(s.m.nonceA, s.m.confirms(otherX, s.m.nonceA))},
		{"not signed", cat(s.m.nonceA, make([]byte, 64))},
		{"no signature", s.m.nonceA},
		{"a byte behind the signature", cat(s.m.nonceA, s.m.confirms(s.x, s.m.nonceA), []byte{0})},
		{"empty", nil},
	} {
		s.add("msg2: "+c.name, "unproven", s.bundle(), s.m.msg2(s.x, c.plain))
	}
	for _, c := range []struct {
		name  string
		plain []byte
	}{
		{"for another device", finish(fixed("another device", 16), []byte("[]"), now)},
		{"a byte behind", append(finish(s.p.id(), []byte("[]"), now), 0)},
		{"roster longer than it says", finish(s.p.id(), []byte("[]"), now)[:20]},
		{"clock after 2^53", finish(s.p.id(), []byte("[]"), 1<<53)},
		{"empty", nil},
	} {
		s.add("msg3: "+c.name, "unproven", s.bundle(), good2, s.m.msg3(s.x, c.plain))
	}
}

// hostileBundles come from a machine that draws its own codes, or from a thief
// who puts another bundle under this one.
func (s *story) hostileBundles() {
	thief := s.m.b
	thief.key = publicOf(signKey("evil"))
	s.add("a thief's bundle under this code", "not_ours", s.m.bundleMsg(thief.bytes()))
	s.add("the bundle with a byte behind, under this code", "not_ours", s.m.bundleMsg(append(s.m.b.bytes(), 0)))
	offer := s.m.offer()
	s.add("the code's fingerprint differs in its last bit", "not_ours", s.bundle()).Offer = enc(flip(offer, 48, 1))
	s.add("the code's fingerprint differs in its first bit", "not_ours", s.bundle()).Offer = enc(flip(offer, 33, 0x80))
	s.add("the code's secret differs in its last bit", "ignored", s.bundle()).Offer = enc(flip(offer, 32, 1))
	hostile := func(name, expect string, change func(*bundle)) {
		m := *s.m
		change(&m.b)
		o := &story{g: s.g, m: &m, p: s.p}
		o.add("bundle: "+name, expect, o.bundle())
	}
	hostile("suite 2", "version", func(b *bundle) { b.suite = 2 })
	hostile("agent key of small order", "unproven", func(b *bundle) { b.key = unhex(smallOrder()[0]) })
	hostile("no name", "unproven", func(b *bundle) { b.agent = "" })
	hostile("relay is a script", "unproven", func(b *bundle) { b.relay = "javascript:alert(1)" })
	hostile("expires in 1970", "unproven", func(b *bundle) { b.expires = 1 })
	hostile("expires after 2^53", "unproven", func(b *bundle) { b.expires = 1 << 53 })
	hostile("trailing byte", "unproven", func(b *bundle) { b.end = "\x00" })
	hostile("X25519 key of zeros", "unproven", func(b *bundle) { b.ephemeral = make([]byte, 32) })
	hostile("X25519 key of order one", "unproven", func(b *bundle) { b.ephemeral = append([]byte{1}, make([]byte, 31)...) })
}

func (s *story) stops() {
	msg2 := s.m.goodMsg2(s.x)
	for reason := byte(1); reason <= 7; reason++ {
		s.add(fmt.Sprintf("stopped, reason %d", reason), "stopped", s.bundle(), msg2, s.m.stopMsg([]byte{reason})).Reason = int(reason)
	}
	s.add("stopped before the person agreed", "stopped", s.bundle(), s.m.stopMsg([]byte{3})).Reason = 3
	s.add("after a stop, msg2", "stopped", s.bundle(), s.m.stopMsg([]byte{5}), msg2).Reason = 5
	for _, plain := range [][]byte{nil, {0}, {8}, {255}, {1, 1}} {
		s.add(fmt.Sprintf("stop with reason %q", plain), "ignored", s.bundle(), s.m.stopMsg(plain))
	}
}
