package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

// value is a case of one function: from the inputs comes out, or, where expect
// is "differs", something else.
type value struct {
	Name      string   `json:"name"`
	Op        string   `json:"op"`
	Expect    string   `json:"expect"`
	Word      string   `json:"word,omitempty"`
	Parts     []string `json:"parts,omitempty"`
	Salt      string   `json:"salt,omitempty"`
	IKM       string   `json:"ikm,omitempty"`
	PRK       string   `json:"prk,omitempty"`
	Context   string   `json:"context,omitempty"`
	N         int      `json:"n,omitempty"`
	Chain     string   `json:"chain,omitempty"`
	Direction int      `json:"direction,omitempty"`
	Nonce     string   `json:"nonce,omitempty"`
	Request   string   `json:"request,omitempty"`
	MS        uint64   `json:"ms,omitempty"`
	Eight     string   `json:"eight,omitempty"`
	R         string   `json:"r,omitempty"`
	W         string   `json:"w,omitempty"`
	Out       string   `json:"out"`
}

// mistake is what a plausible error would give.
type mistake struct{ name, out string }

func hexed(name string, out []byte) mistake { return mistake{name, enc(out)} }

// value adds the right value and the wrong ones.
func (g *group) value(v value, out string, wrong ...mistake) {
	name := v.Name
	v.Expect, v.Out = "ok", out
	g.add(v)
	for _, w := range wrong {
		if w.out == out { // this mistake happens to do no harm here
			continue
		}
		v.Name, v.Expect, v.Out = name+", not: "+w.name, "differs", w.out
		g.add(v)
	}
}

var words = []string{
	"bundle", "stop", "commit", "t1", "t2", "pair box r", "pair box w", "msg1", "msg2", "msg3", "digits", "root", "pair",
	"confirm", "box r", "box w", "chain 0", "chain", "key", "reply", "topic", "agent", "device", "answer", "card", "call",
	"receipt", "uv", "message", "roster",
}

func labels() *group {
	g := &group{About: `op label: "answerback/1 " || word || 00. op hash: SHA-256(label || parts).`}
	for _, w := range words {
		g.value(value{Name: "label " + w, Op: "label", Word: w}, enc(label(w)),
			hexed("without the zero byte", []byte("answerback/1 "+w)),
			hexed("another version", []byte("answerback/2 "+w+"\x00")),
			hexed("two zero bytes", []byte("answerback/1 "+w+"\x00\x00")))
	}
	a, b := []byte("one part"), fixed("part", 40)
	for _, w := range []string{"agent", "card", "receipt", "uv", "t2"} {
		g.value(value{Name: "hash " + w, Op: "hash", Word: w, Parts: []string{enc(a), enc(b)}}, enc(sha(label(w), a, b)),
			hexed("no label", sha(a, b)), hexed("parts swapped", sha(label(w), b, a)),
			hexed("no zero byte", sha([]byte("answerback/1 "+w), a, b)), hexed("HMAC", hmacOf(label(w), a, b)))
	}
	g.value(value{Name: "hash of nothing", Op: "hash", Word: "card"}, enc(sha(label("card"))),
		hexed("plain SHA-256", sha()), hexed("of a zero byte", sha(label("card"), []byte{0})), hexed("hashed twice", sha(sha(label("card")))))
	return g
}

func kdf() *group {
	g := &group{About: "op extract: HKDF-Extract(salt, ikm); op expand: n bytes of HKDF-Expand(prk, label || context). RFC 5869, SHA-256."}
	salt, ikm := fixed("salt", 32), fixed("ikm", 32)
	g.value(value{Name: "extract", Op: "extract", Salt: enc(salt), IKM: enc(ikm)}, enc(hmacOf(salt, ikm)),
		hexed("salt and ikm swapped", hmacOf(ikm, salt)), hexed("hashed", sha(salt, ikm)), hexed("no salt", hmacOf(make([]byte, 32), ikm)))
	g.value(value{Name: "extract without salt", Op: "extract", IKM: enc(ikm)}, enc(hmacOf(make([]byte, 32), ikm)),
		hexed("hashed", sha(ikm)), hexed("the ikm itself", ikm), hexed("ikm as salt", hmacOf(ikm, nil)))
	prk, context := fixed("prk", 32), fixed("context", 64)
	for _, w := range []string{"msg1", "digits", "pair box r", "root"} {
		first := hmacOf(prk, label(w), context, []byte{1})
		g.value(value{Name: "expand " + w, Op: "expand", PRK: enc(prk), Word: w, Context: enc(context), N: 32}, enc(first),
			hexed("no counter", hmacOf(prk, label(w), context)), hexed("counter 0", hmacOf(prk, label(w), context, []byte{0})),
			hexed("context first", hmacOf(prk, context, label(w), []byte{1})), hexed("no context", hmacOf(prk, label(w), []byte{1})),
			hexed("no zero byte", hmacOf(prk, []byte("answerback/1 "+w), context, []byte{1})))
	}
	first := hmacOf(prk, label("digits"), []byte{1})
	second := hmacOf(prk, first, label("digits"), []byte{2})
	g.value(value{Name: "expand to eight bytes", Op: "expand", PRK: enc(prk), Word: "digits", N: 8}, enc(first[:8]),
		hexed("the last eight", first[24:]), hexed("of the second block", second[:8]), hexed("without label", hmacOf(prk, []byte{1})[:8]))
	g.value(value{Name: "expand to 40 bytes", Op: "expand", PRK: enc(prk), Word: "digits", N: 40}, enc(cat(first, second[:8])),
		hexed("the first block twice", cat(first, first[:8])), hexed("second block not chained", cat(first, hmacOf(prk, label("digits"), []byte{2})[:8])),
		hexed("zeros behind", cat(first, make([]byte, 8))))
	return g
}

func chains() *group {
	g := &group{About: "HMAC-SHA-256 under one day's chain. op next, key (direction 1 or 2), reply_r and reply_w (nonce), topic (request, 24 bytes); op day: floor(ms / 86400000), as decimal text."}
	c, nonce, request := fixed("chain", 32), fixed("nonce", 12), fixed("request", 16)
	one, two := []byte{1}, []byte{2}
	g.value(value{Name: "the next day's chain", Op: "next", Chain: enc(c)}, enc(hmacOf(c, label("chain"), one)),
		hexed("no counter", hmacOf(c, label("chain"))), hexed("hashed", sha(label("chain"), c, one)), hexed("label of chain 0", hmacOf(c, label("chain 0"), one)))
	for d := byte(1); d <= 2; d++ {
		g.value(value{Name: fmt.Sprint("key of direction ", d), Op: "key", Chain: enc(c), Direction: int(d)}, enc(hmacOf(c, label("key"), []byte{d, 1})),
			hexed("the other direction", hmacOf(c, label("key"), []byte{3 - d, 1})), hexed("no counter", hmacOf(c, label("key"), []byte{d})),
			hexed("counter first", hmacOf(c, label("key"), []byte{1, d}, one)), hexed("the next day", hmacOf(hmacOf(c, label("chain"), one), label("key"), []byte{d, 1})))
	}
	r, w := hmacOf(c, label("reply"), nonce, one), hmacOf(c, label("reply"), nonce, two)
	g.value(value{Name: "reader key of a reply box", Op: "reply_r", Chain: enc(c), Nonce: enc(nonce)}, enc(r),
		hexed("the writer's", w), hexed("no counter", hmacOf(c, label("reply"), nonce)), hexed("another nonce", hmacOf(c, label("reply"), flip(nonce, 11, 1), one)))
	g.value(value{Name: "writer key of a reply box", Op: "reply_w", Chain: enc(c), Nonce: enc(nonce)}, enc(w),
		hexed("the reader's", r), hexed("HKDF's second block", hmacOf(c, r, label("reply"), nonce, two)), hexed("another nonce", hmacOf(c, label("reply"), flip(nonce, 0, 1), two)))
	topic := hmacOf(c, label("topic"), request)
	g.value(value{Name: "push topic", Op: "topic", Chain: enc(c), Request: enc(request)}, enc(topic[:24]),
		hexed("the last 24 bytes", topic[8:]), hexed("whole", topic), hexed("with a counter", hmacOf(c, label("topic"), request, one)[:24]))
	for _, ms := range []uint64{dayMS - 1, dayMS, now, 20787*dayMS - 1, 1<<53 - 1} {
		day := func(n uint64) string { return strconv.FormatUint(n, 10) }
		g.value(value{Name: fmt.Sprint("day of ", ms), Op: "day", MS: ms}, day(ms/dayMS),
			mistake{"rounded up", day(ms/dayMS + 1)}, mistake{"as seconds", day(ms/86400 + 7)}, mistake{"hours", day(ms/3600000 + 2)})
	}
	return g
}

func digits() *group {
	g := &group{About: "op digits: eight bytes, big endian, modulo 10^6, six decimal digits."}
	for _, n := range []uint64{0, 7, 999_999, 1_000_000, 1<<53 + 1, 1<<64 - 1, 402_117, 0x0102030405060708, binary.BigEndian.Uint64(fixed("eight", 8))} {
		eight := binary.BigEndian.AppendUint64(nil, n)
		right := fmt.Sprintf("%06d", n%1_000_000)
		wrong := []mistake{
			{"no leading zeros or a digit more", strconv.FormatUint(n%1_000_000, 10)}, {"little endian", fmt.Sprintf("%06d", binary.LittleEndian.Uint64(eight)%1_000_000)},
			{"rounded to a double", fmt.Sprintf("%06d", (n>>11<<11)%1_000_000)}, {"32 bits", fmt.Sprintf("%06d", uint32(n)%1_000_000)},
			{"modulo 999,999", fmt.Sprintf("%06d", n%999_999)}, {"seven digits", fmt.Sprintf("%07d", n%1_000_000)}, {"in hex", fmt.Sprintf("%06x", n)[:6]},
			{"reversed", reversed(right)}, {"one more", fmt.Sprintf("%06d", (n+1)%1_000_000)}, {"a space inside", right[:3] + " " + right[3:]},
		}
		g.value(value{Name: fmt.Sprintf("digits of %x", eight), Op: "digits", Eight: enc(eight)}, right, wrong...)
	}
	return g
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func mailboxes() *group {
	g := &group{About: `op box: H("box" || H("r" || r) || H("w" || w))[:20], each quoted word its label. The relay recomputes it from r and the hash of w, or the hash of r and w.`}
	for i := range 4 {
		r, w := fixed(fmt.Sprint("r", i), 32), fixed(fmt.Sprint("w", i), 32)
		hr, hw := sha(label("r"), r), sha(label("w"), w)
		box := sha(label("box"), hr, hw)
		g.value(value{Name: fmt.Sprint("mailbox ", i+1), Op: "box", R: enc(r), W: enc(w)}, enc(box[:20]),
			hexed("r and w swapped", sha(label("box"), sha(label("r"), w), sha(label("w"), r))[:20]),
			hexed("hashes swapped", sha(label("box"), hw, hr)[:20]), hexed("no inner labels", sha(label("box"), sha(r), sha(w))[:20]),
			hexed("keys not hashed", sha(label("box"), r, w)[:20]), hexed("the last 20 bytes", box[12:]), hexed("whole", box))
	}
	return g
}
