package crypto

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"testing"
)

func hmacOf(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

// RFC 5869 appendix A.1 and A.3.
func TestExtractAsInRFC5869(t *testing.T) {
	ikm := bytes.Repeat([]byte{0x0b}, 22)
	for salt, want := range map[string]string{
		"000102030405060708090a0b0c": "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
		"":                           "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
	} {
		if got := Extract(unhex(t, salt), ikm); hex.EncodeToString(got[:]) != want {
			t.Errorf("salt %q: %x", salt, got)
		}
	}
}

func TestExpandIsHMACOfTheLabelledInfo(t *testing.T) {
	prk := bytes.Repeat([]byte{7}, 32)
	first := hmacOf(prk, "answerback/1 msg1\x00context\x01")
	second := hmacOf(prk, string(first)+"answerback/1 msg1\x00context\x02")
	if got := Expand(prk, "msg1", []byte("context"), 40); !bytes.Equal(got, slices.Concat(first, second[:8])) {
		t.Errorf("%x", got)
	}
}

// What TypeScript computes with WebCrypto's HMAC.
func TestChainIsHMACAsWritten(t *testing.T) {
	c := testChain("a")
	nonce := []byte("twelve bytes")
	id := [16]byte([]byte("sixteen bytes..."))
	r, w := c.Reply(nonce)
	topic := c.Topic(id)
	next, toDevice, toAgent := c.Next(), c.Key(ToDevice), c.Key(ToAgent)
	for name, pair := range map[string]struct {
		got  []byte
		text string
	}{
		"next":      {next[:], "answerback/1 chain\x00\x01"},
		"to device": {toDevice[:], "answerback/1 key\x00\x01\x01"},
		"to agent":  {toAgent[:], "answerback/1 key\x00\x02\x01"},
		"reply r":   {r[:], "answerback/1 reply\x00twelve bytes\x01"},
		"reply w":   {w[:], "answerback/1 reply\x00twelve bytes\x02"},
		"topic":     {topic[:], "answerback/1 topic\x00sixteen bytes..."},
	} {
		if want := hmacOf(c[:], pair.text)[:len(pair.got)]; !bytes.Equal(pair.got, want) {
			t.Errorf("%s: %x, want %x", name, pair.got, want)
		}
	}
	if c.After(0) != c || c.After(3) != c.Next().Next().Next() {
		t.Error("After does not count days")
	}
}

func TestHashJoinsLabelAndParts(t *testing.T) {
	want := sha256.Sum256([]byte("answerback/1 card\x00bytes"))
	if got := Hash("card", []byte("by"), []byte("tes")); got != want || CardDigest([]byte("bytes")) != want {
		t.Errorf("%x", got)
	}
	seen := map[[32]byte]string{}
	for name, h := range map[string][32]byte{
		"card": CardDigest(nil), "call": CallDigest(nil), "receipt": ReceiptHash(nil), "uv": UVChallenge(nil),
		"roster": Hash(WordRoster), "plain": sha256.Sum256(nil),
	} {
		if other, dup := seen[h]; dup {
			t.Errorf("%s and %s hash alike", name, other)
		}
		seen[h] = name
	}
}

func TestDigits(t *testing.T) {
	for in, want := range map[string]string{
		"0000000000000000": "000000", "0000000000000007": "000007", "00000000000f4240": "000000",
		"00000000000f423f": "999999", "ffffffffffffffff": "551615", "0000000000062155": "401749",
	} {
		if got := Digits(unhex(t, in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestParseIDTakesOnlyWhatStringMakes(t *testing.T) {
	id := testDevice
	if got, err := ParseID(id.String()); err != nil || got != id {
		t.Fatalf("%v, %v", got, err)
	}
	s := id.String()
	for _, bad := range []string{"", s[:31], s + "0", s[:30], s + "00", " " + s[1:], "0x" + s[2:], string(bytes.ToUpper([]byte("abcdef" + s[6:]))), "g" + s[1:]} {
		if _, err := ParseID(bad); !errors.Is(err, ErrID) {
			t.Errorf("%q: %v", bad, err)
		}
		var into ID
		if err := into.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q unmarshals", bad)
		}
	}
	if AgentID(publicOf(testKey("device"))) == DeviceID(publicOf(testKey("device"))) {
		t.Error("one key has one id as agent and as device")
	}
}

func TestBoxRefuses(t *testing.T) {
	key, other := testChain("k"), testChain("other")
	sealed := SealBox(key[:], []byte("text"), []byte("aad"), &stream{name: "box"})
	if plain, err := OpenBox(key[:], sealed, []byte("aad")); err != nil || string(plain) != "text" {
		t.Fatalf("%q, %v", plain, err)
	}
	for i := range sealed {
		bad := slices.Clone(sealed)
		bad[i] ^= 0x80
		if _, err := OpenBox(key[:], bad, []byte("aad")); !errors.Is(err, ErrOpen) {
			t.Errorf("byte %d changed: %v", i, err)
		}
		if _, err := OpenBox(key[:], sealed[:i], []byte("aad")); !errors.Is(err, ErrOpen) {
			t.Errorf("cut to %d bytes: %v", i, err)
		}
	}
	if _, err := OpenBox(other[:], sealed, []byte("aad")); !errors.Is(err, ErrOpen) {
		t.Errorf("another key: %v", err)
	}
	if _, err := OpenBox(key[:], sealed, nil); !errors.Is(err, ErrOpen) {
		t.Errorf("another aad: %v", err)
	}
}

// Without a nonce, or with a short key, there is no safe way on.
func TestSealBoxPanicsWithoutRandomnessOrKey(t *testing.T) {
	mustPanic(t, "no randomness", func() { SealBox(make([]byte, 32), nil, nil, bytes.NewReader(make([]byte, 11))) })
	mustPanic(t, "a 16-byte key", func() { SealBox(make([]byte, 16), nil, nil, &stream{}) })
}

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", name)
		}
	}()
	f()
}
