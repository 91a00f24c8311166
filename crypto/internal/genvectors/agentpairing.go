package main

import (
	"crypto/ecdh"
	"encoding/binary"
	"fmt"
)

// agentPairCase is a pairing as an agent lives it. expect is what comes of the
// last message; random is what it draws: s, e_a, N_a, the bundle's nonce.
type agentPairCase struct {
	Name      string   `json:"name"`
	Expect    string   `json:"expect"`
	AgentSeed string   `json:"agent_seed"`
	Random    string   `json:"random"`
	AgentName string   `json:"agent_name"`
	HostName  string   `json:"host_name"`
	RelayURL  string   `json:"relay_url"`
	AppOrigin string   `json:"app_origin"`
	Expires   uint64   `json:"expires"`
	Now       uint64   `json:"now"`
	Offer     string   `json:"offer"`
	Messages  []string `json:"messages"`
	Reply     string   `json:"reply,omitempty"` // to the last message, where it is a bundle
	Device    string   `json:"device,omitempty"`
	Digits    string   `json:"digits,omitempty"`
}

func digitsOf(b []byte) string {
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(b)%1_000_000)
}

// agentStory makes cases of the agent's half.
type agentStory struct {
	g *group
	m *machine
}

func (s *agentStory) add(name, expect string, messages ...[]byte) *agentPairCase {
	m := s.m
	random := cat(m.secret, m.eA.Bytes(), m.nonceA, m.bundleMsg(m.b.bytes())[1:13])
	c := &agentPairCase{
		Name: name, Expect: expect, AgentSeed: enc(m.key.Seed()), Random: enc(random), AgentName: m.b.agent, HostName: m.b.host,
		RelayURL: m.b.relay, AppOrigin: m.b.app, Expires: m.b.expires, Now: now, Offer: enc(m.offer()),
	}
	for _, msg := range messages {
		c.Messages = append(c.Messages, enc(msg))
	}
	s.g.add(c)
	return c
}

func agentPairings() *group {
	g := &group{About: "The agent's half of a pairing. ok: a device locked the code, or the bundle is sent; ignored: nothing changes; two_devices and expired: the pairing is over; version: the bundle is sent, nothing else changes."}
	s := &agentStory{g: g, m: newMachine("machine")}
	p := newPhone("phone")
	hello, msg1 := []byte{1, 1}, p.msg1(s.m)
	s.add("hello", "ok", hello).Reply = enc(s.m.bundleMsg(s.m.b.bytes()))
	c := s.add("msg1", "ok", hello, msg1)
	c.Device, c.Digits = enc(p.id()), digitsOf(s.m.meets(p).last("digits", s.m.nonceA))
	full := newPhone("phone with everything")
	point := p256("subscription")
	full.more = [5]string{"https://push.example.net/1", string(point), string(fixed("auth", 16)), "credential", "key"}
	c = s.add("msg1 with a push subscription and a passkey", "ok", full.msg1(s.m))
	c.Device, c.Digits = enc(full.id()), digitsOf(s.m.meets(full).last("digits", s.m.nonceA))
	s.noise(hello, msg1)
	s.hostile(string(point))
	s.add("two devices", "two_devices", msg1, newPhone("thief").msg1(s.m))
	s.add("two devices, the first again", "two_devices", msg1, newPhone("thief").msg1(s.m), msg1)
	late := s.add("too late", "expired", hello, msg1)
	late.Now = late.Expires
	late = s.add("much too late", "expired", msg1)
	late.Now = 1<<53 - 1
	return g
}

func p256(name string) []byte {
	k, err := ecdh.P256().NewPrivateKey(fixed(name, 32))
	if err != nil {
		panic(err)
	}
	return k.PublicKey().Bytes()
}

func (s *agentStory) noise(hello, msg1 []byte) {
	s.add("no bytes", "ignored", nil)
	s.add("hello of version 0", "ignored", []byte{1, 0})
	s.add("hello of version 2", "version", []byte{1, 2})
	s.add("hello with a byte more", "ignored", append(hello, 0))
	s.add("its own bundle, reflected", "ignored", s.m.bundleMsg(s.m.b.bytes()))
	s.add("type 0", "ignored", set(msg1, 0, 0))
	for _, i := range []int{1, 32, 33, 45, 100, len(msg1) - 1} {
		s.add(fmt.Sprintf("msg1, byte %d changed", i), "ignored", hello, flip(msg1, i, 1))
	}
	s.add("msg1 changed, after the good one", "ignored", msg1, flip(msg1, 60, 1))
	s.add("msg1 cut", "ignored", msg1[:len(msg1)-1])
	s.add("msg1 of another code", "ignored", newPhone("phone").msg1(newMachine("another machine")))
	s.add("X25519 key of zeros", "ignored", cat(msg1[:1], make([]byte, 32), msg1[33:]))
}

// hostile devices hold s and say what they must not.
func (s *agentStory) hostile(point string) {
	bad := func(name string, change func(*phone)) {
		p := newPhone("hostile")
		change(p)
		s.add("msg1: "+name, "ignored", p.msg1(s.m))
	}
	bad("signed by another key", func(p *phone) { p.signer = signKey("another") })
	bad("not signed", func(p *phone) { p.signer = nil })
	for i, k := range smallOrder() {
		bad(fmt.Sprint("device key of small order ", i+1), func(p *phone) { p.public, p.signer = unhex(k), nil })
	}
	bad("no name", func(p *phone) { p.name = "" })
	bad("a name of 65 bytes", func(p *phone) { p.name = fmt.Sprintf("%065d", 0) })
	bad("a name that is no UTF-8", func(p *phone) { p.name = "\xff" })
	bad("a byte behind the fields", func(p *phone) { p.end = []byte{0} })
	bad("a byte behind the signature", func(p *phone) { p.behind = []byte{0} })
	bad("push over http", func(p *phone) { p.more = [5]string{"http://push.example.net/1", point, "0123456789abcdef"} })
	bad("push key off the curve", func(p *phone) {
		p.more = [5]string{"https://push.example.net/1", "\x04" + point[:64], "0123456789abcdef"}
	})
	bad("push without its secret", func(p *phone) { p.more = [5]string{"https://push.example.net/1", point} })
	bad("push keys without an address", func(p *phone) { p.more = [5]string{"", point, "0123456789abcdef"} })
	bad("passkey without its key", func(p *phone) { p.more[3] = "credential" })
}
