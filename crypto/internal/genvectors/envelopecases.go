package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	abcrypto "answerback/crypto"
)

// padCase is one plaintext of a message, read back.
type padCase struct {
	Name   string `json:"name"`
	Expect string `json:"expect"`
	Plain  string `json:"plain"`
	Type   int    `json:"type,omitempty"`
	Body   string `json:"body,omitempty"`
}

// plaintext spells the form out: type || len(4) || body || zeros up to size.
func plaintext(typ byte, body []byte, size int) []byte {
	b := binary.BigEndian.AppendUint32([]byte{typ}, uint32(len(body)))
	b = append(b, body...)
	return append(b, make([]byte, max(0, size-len(b)))...)
}

func padding() *group {
	g := &group{About: "A message's plaintext: type(1) || len(4) || body || zeros, padded to the smallest of 512, 1024, 2048, 2560 and the multiples of 16384 up to 262144 that holds it. Anything else is refused."}
	body := []byte("a card")
	good := plaintext(1, body, 512)
	for _, n := range []int{0, 507, 508, 2555, 2556} {
		size := map[int]int{0: 512, 507: 512, 508: 1024, 2555: 2560, 2556: 16384}[n]
		b := bytes.Repeat([]byte{'x'}, n)
		g.add(padCase{Name: fmt.Sprintf("a body of %d bytes", n), Expect: "ok", Plain: enc(plaintext(1, b, size)), Type: 1, Body: enc(b)})
	}
	bad := func(name string, plain []byte) { g.add(padCase{Name: name, Expect: "format", Plain: enc(plain)}) }
	bad("no bytes", nil)
	bad("four bytes", good[:4])
	bad("not padded", good[:11])
	bad("one byte short of the bucket", good[:511])
	bad("one byte over the bucket", append(slices.Clone(good), 0))
	for _, size := range []int{1024, 2048, 2560} {
		bad(fmt.Sprintf("a bucket of %d where 512 is enough", size), plaintext(1, body, size))
	}
	bad("a bucket that does not exist", plaintext(1, bytes.Repeat([]byte{'x'}, 1500), 1536))
	bad("a body of 508 bytes in 512", plaintext(1, make([]byte, 508), 513)[:512])
	for _, i := range []int{11, 300, 511} {
		bad(fmt.Sprintf("padding not zero at byte %d", i), set(good, i, 1))
	}
	bad("padding with 80 first", set(good, 11, 0x80))
	bad("length one short", set(good, 4, 5))
	for i := 1; i <= 3; i++ {
		bad(fmt.Sprintf("length too large, byte %d", i), set(good, i, 0xff))
	}
	bad("length little endian", cat([]byte{1, 6, 0, 0, 0}, good[5:]))
	return g
}

// openCase is one sealed message and the state of who opens it.
type openCase struct {
	Name        string `json:"name"`
	Op          string `json:"op,omitempty"` // agent/ratchet.json: open or seal
	Expect      string `json:"expect"`
	Stored      uint32 `json:"stored"` // day of the chain; newest is one more
	Chain       string `json:"chain"`
	SealedDay   uint32 `json:"sealed_day,omitempty"` // newest day that the agent sealed with
	Now         uint64 `json:"now,omitempty"`        // the agent's clock
	Device      string `json:"device"`
	Sealed      string `json:"sealed,omitempty"`
	Type        int    `json:"type,omitempty"`
	Body        string `json:"body,omitempty"`
	Day         uint32 `json:"day,omitempty"`
	Nonce       string `json:"nonce,omitempty"`
	AfterStored uint32 `json:"after_stored"`
	AfterChain  string `json:"after_chain"`
	ReplyR      string `json:"reply_r,omitempty"` // reply box of this message
	ReplyW      string `json:"reply_w,omitempty"`
}

const startDay = now / dayMS // newest at the start

// chainOf returns the chain of a day, from that of startDay-1.
func chainOf(day uint32) []byte {
	c := fixed("chain 0", 32)
	for d := uint32(startDay - 1); d < day; d++ {
		c = hmacOf(c, label("chain"), []byte{1})
	}
	return c
}

// sealed makes a message by hand.
func sealed(direction byte, day uint32, device abcrypto.ID, plain []byte, name string) []byte {
	hdr := binary.BigEndian.AppendUint32([]byte{1}, day)
	key := hmacOf(chainOf(day), label("key"), []byte{direction, 1})
	return cat(hdr, abcrypto.SealBox(key, plain, cat(hdr, device[:]), &stream{name: name}))
}

// opener starts a case at the day of the pairing.
func opener(name, expect string, message []byte) openCase {
	stored := uint32(startDay - 1)
	return openCase{
		Name: name, Expect: expect, Stored: stored, Chain: enc(chainOf(stored)), Device: enc(deviceID[:]), Sealed: enc(message),
		AfterStored: stored, AfterChain: enc(chainOf(stored)),
	}
}

// opens fills in what comes out of a good message.
func (c openCase) opens(typ byte, body []byte, message []byte) openCase {
	c.Type, c.Body, c.Day, c.Nonce = int(typ), enc(body), binary.BigEndian.Uint32(message[1:]), enc(message[5:17])
	if c.Day > c.Stored+1 {
		c.AfterStored, c.AfterChain = c.Day-1, enc(chainOf(c.Day-1))
	}
	chain := chainOf(c.Day)
	c.ReplyR, c.ReplyW = enc(hmacOf(chain, label("reply"), message[5:17], []byte{1})), enc(hmacOf(chain, label("reply"), message[5:17], []byte{2}))
	return c
}

// at moves a case's state before it to another day.
func (c openCase) at(stored uint32) openCase {
	c.Stored, c.Chain, c.AfterStored, c.AfterChain = stored, enc(chainOf(stored)), stored, enc(chainOf(stored))
	return c
}

func envelopes() *group {
	g := &group{About: "A device opens a message of its agent (direction 1). version(1) || day(4) || nonce(12) || AES-256-GCM(key[day][1], aad = version || day || device_id, padded plaintext). after_*: the state then; a refused message leaves it as it was."}
	body := []byte(`{"version":1}`)
	plain := plaintext(1, body, 512)
	for _, ahead := range []uint32{0, 1, 2, 31, 399} {
		m := sealed(1, startDay+ahead, deviceID, plain, fmt.Sprint("ahead", ahead))
		g.add(opener(fmt.Sprintf("%d days after the newest", ahead), "ok", m).opens(1, body, m))
	}
	yesterday := sealed(1, startDay-1, deviceID, plain, "yesterday")
	g.add(opener("the day before the newest", "ok", yesterday).opens(1, body, yesterday))
	for _, typ := range []byte{2, 5} {
		m := sealed(1, startDay, deviceID, plaintext(typ, nil, 512), fmt.Sprint("type", typ))
		g.add(opener(fmt.Sprintf("type %d, empty", typ), "ok", m).opens(typ, nil, m))
	}
	envelopeDays(g, plain)
	envelopeChanges(g, sealed(1, startDay, deviceID, plain, "good"))
	envelopePlains(g, body, plain)
	return g
}

func envelopeDays(g *group, plain []byte) {
	day := func(name string, stored, day uint32) {
		g.add(opener(name, "day", sealed(1, min(day, startDay+401), deviceID, plain, name)).at(stored))
	}
	day("400 days after the newest", startDay-1, startDay+400)
	day("two days before the newest", startDay+1, startDay)
	day("the start, replayed after a month", startDay+29, startDay)
	huge := sealed(1, startDay, deviceID, plain, "huge")
	g.add(opener("day 4294967295 in the header", "day", cat([]byte{1, 0xff, 0xff, 0xff, 0xff}, huge[5:])))
	g.add(opener("day 0 in the header", "day", cat([]byte{1, 0, 0, 0, 0}, huge[5:])))
	redated := sealed(1, startDay-1, deviceID, plain, "redated")
	g.add(opener("yesterday's message with today's header", "open", cat([]byte{1}, binary.BigEndian.AppendUint32(nil, startDay), redated[5:])))
}

func envelopeChanges(g *group, good []byte) {
	for _, i := range []int{5, 16, 17, 100, len(good) - 17, len(good) - 16, len(good) - 1} {
		g.add(opener(fmt.Sprintf("byte %d changed", i), "open", flip(good, i, 1)))
	}
	for _, v := range []byte{0, 2, 255} {
		g.add(opener(fmt.Sprintf("version %d", v), "format", set(good, 0, v)))
	}
	for _, n := range []int{0, 1, 5, 17, 33, 544} {
		g.add(opener(fmt.Sprintf("cut to %d bytes", n), "size", good[:n]))
	}
	g.add(opener("one byte more", "open", append(slices.Clone(good), 0)))
	g.add(opener("tag missing, zeros instead", "open", cat(good[:len(good)-16], make([]byte, 16))))
	other := opener("another device's", "open", good)
	other.Device = enc(fixed("another device", 16))
	g.add(other)
	stranger := opener("another pairing's", "open", good)
	stranger.Chain = enc(fixed("stranger", 32))
	stranger.AfterChain = stranger.Chain
	g.add(stranger)
}

func envelopePlains(g *group, body, plain []byte) {
	bad := func(name, expect string, direction byte, p []byte) {
		g.add(opener(name, expect, sealed(direction, startDay, deviceID, p, name)))
	}
	bad("the device's own direction, reflected", "open", 2, plaintext(17, nil, 512))
	bad("type 0", "format", 1, plaintext(0, body, 512))
	bad("type 7, unknown", "format", 1, plaintext(7, body, 512))
	bad("type 17, of the other side", "format", 1, plaintext(17, body, 512))
	bad("type 255", "format", 1, plaintext(255, body, 512))
	bad("padding not zero", "format", 1, set(plain, 511, 1))
	bad("a bucket too large", "format", 1, plaintext(1, body, 1024))
	bad("no bucket", "format", 1, plaintext(1, body, 600))
	bad("length beyond the end", "format", 1, set(plain, 3, 0xff))
}
