package main

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"math/big"
	"slices"
)

// keyCase is a public key, alone or with a signature.
type keyCase struct {
	Name    string `json:"name"`
	Op      string `json:"op"`
	Expect  string `json:"expect"`
	Key     string `json:"key"`
	Message string `json:"message,omitempty"`
	Sig     string `json:"sig,omitempty"`
}

// smallOrder are the 14 encodings of small order, in hex.
func smallOrder() []string {
	repeat := func(first, rest, last byte) string {
		return enc(cat([]byte{first}, bytes.Repeat([]byte{rest}, 30), []byte{last}))
	}
	return []string{
		repeat(1, 0, 0), repeat(1, 0, 0x80), repeat(0, 0, 0), repeat(0, 0, 0x80),
		repeat(0xec, 0xff, 0x7f), repeat(0xec, 0xff, 0xff), repeat(0xed, 0xff, 0x7f), repeat(0xed, 0xff, 0xff), repeat(0xee, 0xff, 0x7f), repeat(0xee, 0xff, 0xff),
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
	}
}

func keys() *group {
	g := &group{About: "op check: whether an Ed25519 public key may be accepted; op verify: whether sig is one by key over message. A key of small order has none."}
	pub, message := publicOf(deviceKey), []byte("one call")
	sig := ed25519.Sign(deviceKey, message)
	check := func(name, expect, key string) { g.add(keyCase{Name: name, Op: "check", Expect: expect, Key: key}) }
	verify := func(name, expect, key string, message, sig []byte) {
		g.add(keyCase{Name: name, Op: "verify", Expect: expect, Key: key, Message: enc(message), Sig: enc(sig)})
	}
	for _, k := range []ed25519.PrivateKey{deviceKey, agentKey, signKey("third")} {
		check("a real key, "+enc(publicOf(k)[:2]), "ok", enc(publicOf(k)))
		verify("its signature, "+enc(publicOf(k)[:2]), "ok", enc(publicOf(k)), message, ed25519.Sign(k, message))
	}
	nobody := append([]byte{1}, make([]byte, 63)...) // R = identity, S = 0
	for i, k := range smallOrder() {
		check(fmt.Sprint("small order ", i+1), "key", k)
		verify(fmt.Sprint("nobody's signature under small order ", i+1), "key", k, message, nobody)
	}
	for first := 0xef; first <= 0xff; first += 4 {
		check(fmt.Sprintf("not canonical, %x", first), "key", enc(cat([]byte{byte(first)}, bytes.Repeat([]byte{0xff}, 30), []byte{0x7f})))
	}
	check("31 bytes", "key", enc(pub[:31]))
	check("33 bytes", "key", enc(pub)+"00")
	check("no bytes", "key", "")
	verify("another message", "signature", enc(pub), []byte("another call"), sig)
	verify("another key", "signature", enc(publicOf(agentKey)), message, sig)
	verify("R changed", "signature", enc(pub), message, flip(sig, 0, 1))
	verify("S changed", "signature", enc(pub), message, flip(sig, 32, 1))
	verify("S + L", "signature", enc(pub), message, cat(sig[:32], plusOrder(sig[32:])))
	verify("63 bytes", "signature", enc(pub), message, sig[:63])
	verify("65 bytes", "signature", enc(pub), message, append(slices.Clone(sig), 0))
	verify("zeros", "signature", enc(pub), message, make([]byte, 64))
	verify("identity and zero under a real key", "signature", enc(pub), message, nobody)
	return g
}

// plusOrder adds the group's order to a little-endian scalar: the same scalar,
// written otherwise (RFC 8032 section 8.4).
func plusOrder(s []byte) []byte {
	l, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	b := slices.Clone(s)
	slices.Reverse(b)
	out := new(big.Int).Add(new(big.Int).SetBytes(b), l).FillBytes(make([]byte, 32))
	slices.Reverse(out)
	return out
}
