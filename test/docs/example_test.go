package docs

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// This file does what docs/protocol.md asks of a third party: it derives the worked example with the standard library alone, from the
// formulas on that page and two vectors, and holds the page to every value.

// value is one line of the example: its name, and its bytes or text.
type value struct{ name, text string }

func label(word string) []byte { return []byte("answerback/1 " + word + "\x00") }

func hash(word string, parts ...[]byte) []byte {
	h := sha256.Sum256(append(label(word), bytes.Join(parts, nil)...))
	return h[:]
}

func extract(t *testing.T, salt, ikm []byte) []byte {
	t.Helper()
	prk, err := hkdf.Extract(sha256.New, ikm, salt)
	if err != nil {
		t.Fatal(err)
	}
	return prk
}

func expand(t *testing.T, prk []byte, n int, word string, context ...[]byte) []byte {
	t.Helper()
	out, err := hkdf.Expand(sha256.New, prk, string(append(label(word), bytes.Join(context, nil)...)), n)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mac(key []byte, word string, parts ...[]byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(append(label(word), bytes.Join(parts, nil)...))
	return m.Sum(nil)
}

// opened is the plaintext of nonce(12) || GCM.
func opened(t *testing.T, key, box, aad []byte) []byte {
	t.Helper()
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gcm.Open(nil, box[:12], box[12:], aad)
	if err != nil {
		t.Fatalf("a box of the example does not open: %v", err)
	}
	return plain
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// vector reads one case of a vector file into v.
func vector(t *testing.T, file, name string, v any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "crypto/testdata/vectors", file))
	if err != nil {
		t.Fatal(err)
	}
	var group struct{ Cases []json.RawMessage }
	if err := json.Unmarshal(raw, &group); err != nil {
		t.Fatal(err)
	}
	for _, c := range group.Cases {
		var named struct{ Name string }
		if json.Unmarshal(c, &named) == nil && named.Name == name {
			if err := json.Unmarshal(c, v); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("%s has no case %q", file, name)
}

// pairingVector is what the example takes of pairing.json.
type pairingVector struct {
	Offer, Msg1, Digits, Device, Chain string
	Seed                               string `json:"device_seed"`
	ED                                 string `json:"e_d"`
	Messages, Boxes                    []string
	PairBoxes                          []string `json:"pair_boxes"`
}

// pairingExample derives a pairing from s, the device's keys and the agent's messages.
func pairingExample(t *testing.T) []value {
	t.Helper()
	var v pairingVector
	vector(t, "pairing.json", "to the end", &v)
	offer := unhex(t, v.Offer)
	s, fp := offer[1:33], offer[33:]
	prk := extract(t, nil, s)
	b := opened(t, expand(t, prk, 32, "bundle"), unhex(t, v.Messages[0])[1:], label("bundle"))
	if !bytes.Equal(hash("bundle", b)[:16], fp) {
		t.Fatal("the bundle is not the code's")
	}
	h1 := hash("t1", b)
	r := extract(t, s, agreed(t, unhex(t, v.ED), b[33:65]))
	msg1 := unhex(t, v.Msg1)[1:]
	h2 := hash("t2", h1, msg1)
	plain1 := opened(t, expand(t, r, 32, "msg1", h1), msg1[32:], append(label("msg1"), h1...))
	plain2 := opened(t, expand(t, r, 32, "msg2", h2), unhex(t, v.Messages[1])[1:], append(label("msg2"), h1...))
	na := plain2[:32]
	checkSignatures(t, b, h1, h2, msg1[:32], plain1, plain2)
	six := fmt.Sprintf("%06d", binary.BigEndian.Uint64(expand(t, r, 8, "digits", h2, na))%1_000_000)
	k := expand(t, r, 32, "root", h2, na)
	chain := expand(t, k, 32, "chain 0")
	br, bw := expand(t, k, 32, "box r", []byte{1}), expand(t, k, 32, "box w", []byte{1})
	if six != v.Digits || hex.EncodeToString(chain) != v.Chain || hex.EncodeToString(br) != v.Boxes[0] || hex.EncodeToString(bw) != v.Boxes[1] {
		t.Fatal("the formulas do not give what the vector says")
	}
	return []value{
		{"code", base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(offer)},
		hexed("s", s), hexed("fp", fp), hexed("PRK_s", prk), hexed("H1", h1), hexed("e_d.pub", msg1[:32]), hexed("R", r), hexed("H2", h2),
		hexed("N_a", na), {"digits", six}, hexed("K", k), hexed("chain[d0]", chain), hexed("box r, 1", br), hexed("box w, 1", bw),
		hexed("mailbox 1", hash("box", hash("r", br), hash("w", bw))[:20]), hexed("agent_id", hash("agent", b[1:33])[:16]),
		hexed("device_id", hash("device", plain1[4:36])[:16]),
	}
}

// agreed is X25519.
func agreed(t *testing.T, private, public []byte) []byte {
	t.Helper()
	own, err := ecdh.X25519().NewPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	other, err := ecdh.X25519().NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := own.ECDH(other)
	if err != nil {
		t.Fatal(err)
	}
	return shared
}

// checkSignatures holds both ends to the bytes that the page says are signed, and the agent to its commitment.
func checkSignatures(t *testing.T, b, h1, h2, ephemeral, plain1, plain2 []byte) {
	t.Helper()
	n := binary.BigEndian.Uint32(plain1)
	fields, sig := plain1[:4+n], plain1[4+n:]
	if !ed25519.Verify(fields[4:36], bytes.Join([][]byte{label("pair"), h1, ephemeral, fields}, nil), sig) {
		t.Error("the device's signature does not cover what the page says")
	}
	if !ed25519.Verify(b[1:33], bytes.Join([][]byte{label("confirm"), h2, plain2[:32]}, nil), plain2[32:]) {
		t.Error("the agent's signature does not cover what the page says")
	}
	if !bytes.Equal(hash("commit", plain2[:32]), b[65:97]) {
		t.Error("N_a is not what the agent committed to")
	}
}

func hexed(name string, b []byte) value { return value{name, hex.EncodeToString(b)} }

// messageExample opens one sealed message and takes one answer apart.
func messageExample(t *testing.T) []value {
	t.Helper()
	var m struct {
		Chain, Device, Sealed, Body string
		ReplyR                      string `json:"reply_r"`
		ReplyW                      string `json:"reply_w"`
	}
	vector(t, "envelope.json", "0 days after the newest", &m)
	sealed := unhex(t, m.Sealed)
	hdr, nonce := sealed[:5], sealed[5:17]
	next := mac(unhex(t, m.Chain), "chain", []byte{1})
	key := mac(next, "key", []byte{1, 1})
	plain := opened(t, key, sealed[5:], append(append([]byte{}, hdr...), unhex(t, m.Device)...))
	n := binary.BigEndian.Uint32(plain[1:])
	replyR, replyW := mac(next, "reply", nonce, []byte{1}), mac(next, "reply", nonce, []byte{2})
	if len(plain) != 512 || hex.EncodeToString(replyR) != m.ReplyR || hex.EncodeToString(replyW) != m.ReplyW {
		t.Fatal("the formulas do not give what the vector says")
	}
	return []value{
		{"chain[20786]", m.Chain}, hexed("hdr", hdr), hexed("nonce", nonce), hexed("chain[20787]", next), hexed("key[20787][1]", key),
		hexed("type, len", plain[:5]), {"body", string(plain[5 : 5+n])}, hexed("reply r", replyR), hexed("reply w", replyW),
	}
}

// answerExample takes the signed bytes apart.
func answerExample(t *testing.T) []value {
	t.Helper()
	var a struct{ Out, Receipt, Challenge string }
	vector(t, "answer.json", "allow from the notification", &a)
	b := unhex(t, a.Out)
	if hex.EncodeToString(hash("receipt", b)) != a.Receipt || hex.EncodeToString(hash("uv", b)) != a.Challenge {
		t.Fatal("the formulas do not give what the vector says")
	}
	return []value{
		hexed("label", b[:20]), hexed("suite", b[20:21]), hexed("agent_id", b[21:37]), hexed("device_id", b[37:53]), hexed("request_id", b[53:69]),
		hexed("card_digest", b[69:101]), hexed("decision, flags, via", b[101:104]), hexed("made_ms", b[104:112]), hexed("payload_len", b[112:]),
		{"receipt hash", a.Receipt}, {"challenge", a.Challenge},
	}
}

// TestWorkedExample holds the page to the values that its own formulas give.
func TestWorkedExample(t *testing.T) {
	text := section(t, page(t, "docs/protocol.md"), "## Example")
	for _, v := range append(append(pairingExample(t), messageExample(t)...), answerExample(t)...) {
		if line := fmt.Sprintf("    %-21s %s", v.name, v.text); !hasLine(text, line) {
			t.Errorf("docs/protocol.md, Example: this line is missing:\n%s", line)
		}
	}
}

// TestAppendixB: the first bytes of everything that is signed, and how long a statement without variable parts is.
func TestAppendixB(t *testing.T) {
	text := section(t, page(t, "docs/protocol.md"), "## Appendix B: what is signed, and why none can be read as another")
	for _, s := range []struct{ word, length string }{
		{"pair", fmt.Sprintf("%d + 32 + 32 + 4 + F", len(label("pair")))},
		{"answer", fmt.Sprintf("%d and the payload", len(label("answer"))+1+16+16+16+32+1+1+1+8+4)},
		{"message", fmt.Sprint(len(label("message")) + 1 + 16 + 16 + 1 + 8 + 32)},
		{"confirm", fmt.Sprint(len(label("confirm")) + 32 + 32)},
	} {
		first, last := fmt.Sprintf("| `%x` (\"%s\") |", label(s.word), s.word), "| "+s.length+" |"
		found := false
		for _, line := range strings.Split(text, "\n") {
			found = found || strings.Contains(line, first) && strings.HasSuffix(line, last)
		}
		if !found {
			t.Errorf("docs/protocol.md, Appendix B: no row holds %s and ends with %s", first, last)
		}
	}
}
