package main

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"encoding/binary"

	abcrypto "answerback/crypto"
)

// machine is an agent's half of the pairing, written out from the formulas, so
// that the vectors do not rest on package pairing. Every step may be made wrong.
type machine struct {
	name   string
	key    ed25519.PrivateKey
	secret []byte
	eA     *ecdh.PrivateKey
	nonceA []byte
	b      bundle
}

func newMachine(name string) *machine {
	m := &machine{name: name, key: agentKey, secret: fixed(name+" s", 32), eA: x25519(name + " e_a"), nonceA: fixed(name+" N_a", 32), b: goodBundle()}
	m.b.ephemeral, m.b.commitment = m.eA.PublicKey().Bytes(), sha(label("commit"), m.nonceA)
	return m
}

func x25519(name string) *ecdh.PrivateKey {
	k, err := ecdh.X25519().NewPrivateKey(fixed(name, 32))
	if err != nil {
		panic(err)
	}
	return k
}

func (m *machine) iv(step string) *stream { return &stream{name: m.name + " iv " + step} }

func (m *machine) offer() []byte {
	return cat([]byte{1}, m.secret, sha(label("bundle"), m.b.bytes())[:16])
}

func (m *machine) h1() []byte { return sha(label("t1"), m.b.bytes()) }

// fromSecret derives from s alone.
func (m *machine) fromSecret(word string, context ...byte) []byte {
	return hmacOf(hmacOf(make([]byte, 32), m.secret), label(word), context, []byte{1})
}

func (m *machine) bundleMsg(b []byte) []byte {
	return cat([]byte{2}, abcrypto.SealBox(m.fromSecret("bundle"), b, label("bundle"), m.iv("bundle")))
}

func (m *machine) stopMsg(plain []byte) []byte {
	return cat([]byte{6}, abcrypto.SealBox(m.fromSecret("stop"), plain, cat(label("stop"), m.h1()), m.iv("stop")))
}

// met is what both know after msg1.
type met struct{ r, h2 []byte }

func (m *machine) meets(p *phone) met {
	shared, err := m.eA.ECDH(p.eD.PublicKey())
	if err != nil {
		panic(err)
	}
	return met{r: hmacOf(m.secret, shared), h2: sha(label("t2"), m.h1(), p.msg1(m)[1:])}
}

// last derives what depends on the whole transcript.
func (x met) last(word string, nonceA []byte) []byte {
	return hmacOf(x.r, label(word), x.h2, nonceA, []byte{1})
}

func (m *machine) confirms(x met, nonceA []byte) []byte {
	return ed25519.Sign(m.key, cat(label("confirm"), x.h2, nonceA))
}

func (m *machine) msg2(x met, plain []byte) []byte {
	key := hmacOf(x.r, label("msg2"), x.h2, []byte{1})
	return cat([]byte{4}, abcrypto.SealBox(key, plain, cat(label("msg2"), m.h1()), m.iv("msg2")))
}

func (m *machine) goodMsg2(x met) []byte { return m.msg2(x, cat(m.nonceA, m.confirms(x, m.nonceA))) }

func (m *machine) msg3(x met, plain []byte) []byte {
	return cat([]byte{5}, abcrypto.SealBox(x.last("msg3", m.nonceA), plain, cat(label("msg3"), m.h1()), m.iv("msg3")))
}

// finish is msg3's plaintext.
func finish(device, roster []byte, clock uint64) []byte {
	b := cat(device, binary.BigEndian.AppendUint32(nil, uint32(len(roster))), roster)
	return binary.BigEndian.AppendUint64(b, clock)
}

// phone is a device's half, written out.
type phone struct {
	key            ed25519.PrivateKey
	signer         ed25519.PrivateKey // who signs msg1; nil: nobody
	eD             *ecdh.PrivateKey
	nonceD, iv     []byte
	name, platform string
	more           [5]string // push endpoint, p256dh, auth, passkey id, passkey key
	public         []byte    // in the place of key's public part
	end, behind    []byte    // after the fields; after the signature
}

func newPhone(name string) *phone {
	k := signKey(name + " P_sig")
	return &phone{key: k, signer: k, eD: x25519(name + " e_d"), nonceD: fixed(name+" N_d", 32), iv: fixed(name+" iv", 12), name: "my phone", platform: "Android", public: publicOf(k)}
}

func (p *phone) id() []byte { return sha(label("device"), publicOf(p.key))[:16] }

func (p *phone) fields() []byte {
	out := cat(p.public, p.nonceD)
	for _, s := range append([]string{p.name, p.platform}, p.more[:]...) {
		out = cat(out, binary.BigEndian.AppendUint16(nil, uint16(len(s))), []byte(s))
	}
	return append(out, p.end...)
}

func (p *phone) msg1(m *machine) []byte {
	f := p.fields()
	sized := cat(binary.BigEndian.AppendUint32(nil, uint32(len(f))), f)
	public := p.eD.PublicKey().Bytes()
	sig := append([]byte{1}, make([]byte, 63)...)
	if p.signer != nil {
		sig = ed25519.Sign(p.signer, cat(label("pair"), m.h1(), public, sized))
	}
	shared, err := m.eA.ECDH(p.eD.PublicKey())
	if err != nil {
		panic(err)
	}
	key := hmacOf(hmacOf(m.secret, shared), label("msg1"), m.h1(), []byte{1})
	box := abcrypto.SealBox(key, cat(sized, sig, p.behind), cat(label("msg1"), m.h1()), &once{p.iv})
	return cat([]byte{3}, public, box)
}

// once gives fixed bytes.
type once struct{ b []byte }

func (o *once) Read(p []byte) (int, error) { return copy(p, o.b), nil }
