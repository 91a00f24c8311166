package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	abcrypto "answerback/crypto"
)

// signedCase is what the signature of a device message covers.
type signedCase struct {
	Name   string `json:"name"`
	Expect string `json:"expect"`
	Agent  string `json:"agent"`
	Device string `json:"device"`
	Type   int    `json:"type"`
	Seq    uint64 `json:"seq"`
	Body   string `json:"body"`
	Out    string `json:"out"`
}

func signedOver(word string, agent, device []byte, typ byte, seq uint64, body []byte) []byte {
	h := sha256.Sum256(body)
	return cat(label(word), []byte{1}, agent, device, []byte{typ}, binary.BigEndian.AppendUint64(nil, seq), h[:])
}

func signedBytes() *group {
	g := &group{About: `What a device signs of a push (21), passkey (22) or admin (23) message: label "message" || suite 1 || agent || device || type || seq(8) || SHA-256(body). differs: another value; signed: no such message may be made.`}
	body := []byte(`{"action":"pause","minutes":5}`)
	a, d := agentID[:], deviceID[:]
	for typ := byte(21); typ <= 23; typ++ {
		for _, seq := range []uint64{1, 1<<53 - 1} {
			c := signedCase{Name: fmt.Sprintf("type %d, number %d", typ, seq), Agent: enc(a), Device: enc(d), Type: int(typ), Seq: seq, Body: enc(body)}
			out := signedOver("message", a, d, typ, seq, body)
			c.Expect, c.Out = "ok", enc(out)
			g.add(c)
			for _, m := range []mistake{
				hexed("agent and device swapped", signedOver("message", d, a, typ, seq, body)),
				hexed("label of an answer", signedOver("answer", a, d, typ, seq, body)),
				hexed("number one less", signedOver("message", a, d, typ, seq-1, body)),
				hexed("body not hashed", cat(out[:63], body)),
			} {
				w := c
				w.Name, w.Expect, w.Out = c.Name+", not: "+m.name, "differs", m.out
				g.add(w)
			}
		}
	}
	for _, c := range []signedCase{
		{Name: "type of an answer", Type: 20, Seq: 1, Body: enc(body)}, {Name: "type of a card", Type: 1, Seq: 1, Body: enc(body)},
		{Name: "type 24", Type: 24, Seq: 1, Body: enc(body)}, {Name: "number 0", Type: 23, Seq: 0, Body: enc(body)},
		{Name: "number 2^53", Type: 23, Seq: 1 << 53, Body: enc(body)}, {Name: "empty body", Type: 23, Seq: 1},
	} {
		c.Expect, c.Agent, c.Device = "signed", enc(a), enc(d)
		g.add(c)
	}
	return g
}

func signedMessages() *group {
	g := &group{About: "An agent takes seq(8) || sig(64) || JSON, as a message of this type by the device of this key to this agent. What parses prints the same bytes."}
	body := []byte(`{"action":"resume"}`)
	signed := func(k ed25519.PrivateKey, typ byte, seq uint64, body []byte) []byte {
		device := abcrypto.DeviceID(publicOf(k))
		return cat(binary.BigEndian.AppendUint64(nil, seq), ed25519.Sign(k, signedOver("message", agentID[:], device[:], typ, seq, body)), body)
	}
	add := func(name, expect string, typ int, b []byte) {
		g.add(bytesCase{Name: name, Op: "signed", Expect: expect, Bytes: enc(b), Key: enc(publicOf(deviceKey)), Agent: enc(agentID[:]), Type: typ})
	}
	for typ := byte(21); typ <= 23; typ++ {
		good := signed(deviceKey, typ, 9, body)
		add(fmt.Sprintf("type %d", typ), "ok", int(typ), good)
		for other := byte(21); other <= 23; other++ {
			if other != typ {
				add(fmt.Sprintf("type %d taken as %d", typ, other), "signature", int(other), good)
			}
		}
	}
	good := signed(deviceKey, 23, 9, body)
	add("number raised by a replayer", "signature", 23, set(good, 7, 10))
	add("signature changed", "signature", 23, flip(good, 8, 1))
	add("body changed", "signature", 23, flip(good, 80, 1))
	add("by another device", "signature", 23, signed(signKey("third"), 23, 9, body))
	add("number 0", "signed", 23, signed(deviceKey, 23, 0, body))
	add("number over 2^53", "signed", 23, signed(deviceKey, 23, 1<<53, body))
	add("no body", "signed", 23, signed(deviceKey, 23, 9, nil))
	add("taken as an answer", "signed", 20, good)
	for _, n := range []int{0, 8, 71} {
		add(fmt.Sprintf("cut to %d bytes", n), "signed", 23, good[:n])
	}
	return g
}
