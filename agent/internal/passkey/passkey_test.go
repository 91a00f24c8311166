package passkey_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"answerback/agent/internal/passkey"
	"answerback/agent/internal/passkey/passkeytest"
)

const origin = "https://relay.example.org"

var challenge = sha256.Sum256([]byte("an answer"))

// kinds are the two keys that a passkey may have.
var kinds = map[string]func(testing.TB, string) *passkeytest.Authenticator{"Ed25519": passkeytest.New, "P-256": passkeytest.NewP256}

func TestConfirms(t *testing.T) {
	for kind, make := range kinds {
		for _, origin := range []string{origin, "https://relay.example.org:8443", "http://localhost:7380"} {
			a := make(t, origin)
			if err := a.Credential(t).Verify(challenge, a.Assert(challenge)); err != nil {
				t.Errorf("%s at %s: %v", kind, origin, err)
			}
		}
	}
}

// The port that a scheme has by itself is in no origin that a browser writes, however the relay's address was given.
func TestDefaultPort(t *testing.T) {
	for given, written := range map[string]string{origin + ":443": origin, "http://localhost:80": "http://localhost", origin + ":80": origin + ":80"} {
		a := passkeytest.New(t, written)
		c, err := passkey.Parse(a.ID, a.PublicKey(), given)
		if err == nil {
			err = c.Verify(challenge, a.Assert(challenge))
		}
		if err != nil {
			t.Errorf("%s: %v", given, err)
		}
	}
}

// A synced passkey counts nothing, or from a device's own start: the counter neither has to grow nor to stay.
func TestCounterIsNotLookedAt(t *testing.T) {
	a := passkeytest.New(t, origin)
	c := a.Credential(t)
	for _, a.Count = range []uint32{7, 7, 3, 0, 1<<32 - 1} {
		if err := c.Verify(challenge, a.Assert(challenge)); err != nil {
			t.Errorf("counter %d: %v", a.Count, err)
		}
	}
}

func TestSyncedPasskeyAndUnknownMembers(t *testing.T) {
	a := passkeytest.NewP256(t, origin)
	a.Flags |= passkeytest.BackupEligible | passkeytest.BackupState
	a.Extra = map[string]any{"other_keys_can_be_added_here": "do not compare clientDataJSON against a template", "tokenBinding": map[string]string{"status": "supported"}}
	if err := a.Credential(t).Verify(challenge, a.Assert(challenge)); err != nil {
		t.Error(err)
	}
}

func TestRefuses(t *testing.T) {
	other := sha256.Sum256([]byte("another answer"))
	for name, c := range map[string]struct {
		change func(a *passkeytest.Authenticator)
		want   error
	}{
		"no user verification":  {func(a *passkeytest.Authenticator) { a.Flags = passkeytest.UserPresent }, passkey.ErrUnverified},
		"nobody there":          {func(a *passkeytest.Authenticator) { a.Flags = passkeytest.UserVerified }, passkey.ErrUnverified},
		"no flag at all":        {func(a *passkeytest.Authenticator) { a.Flags = 0 }, passkey.ErrUnverified},
		"another relying party": {func(a *passkeytest.Authenticator) { a.Party = "example.org" }, passkey.ErrRelyingParty},
		"a party with its port": {func(a *passkeytest.Authenticator) { a.Party = "relay.example.org:443" }, passkey.ErrRelyingParty},
		"another origin":        {func(a *passkeytest.Authenticator) { a.Origin = "https://evil.example.org" }, passkey.ErrOrigin},
		"another scheme":        {func(a *passkeytest.Authenticator) { a.Origin = "http://relay.example.org" }, passkey.ErrOrigin},
		"another port":          {func(a *passkeytest.Authenticator) { a.Origin = "https://relay.example.org:444" }, passkey.ErrOrigin},
		"an origin with a path": {func(a *passkeytest.Authenticator) { a.Origin = origin + "/p" }, passkey.ErrOrigin},
		"an origin in capitals": {func(a *passkeytest.Authenticator) { a.Origin = "HTTPS://RELAY.EXAMPLE.ORG" }, passkey.ErrOrigin},
		"no origin":             {func(a *passkeytest.Authenticator) { a.Origin = "" }, passkey.ErrOrigin},
		"in a foreign frame":    {func(a *passkeytest.Authenticator) { a.Extra = map[string]any{"crossOrigin": true} }, passkey.ErrOrigin},
		"below another page":    {func(a *passkeytest.Authenticator) { a.Extra = map[string]any{"topOrigin": origin} }, passkey.ErrOrigin},
		"a registration":        {func(a *passkeytest.Authenticator) { a.Type = "webauthn.create" }, passkey.ErrCeremony},
		"no ceremony":           {func(a *passkeytest.Authenticator) { a.Type = "" }, passkey.ErrCeremony},
		"crossOrigin as text":   {func(a *passkeytest.Authenticator) { a.Extra = map[string]any{"crossOrigin": "false"} }, passkey.ErrForm},
		"crossOrigin null":      {func(a *passkeytest.Authenticator) { a.Extra = map[string]any{"crossOrigin": nil} }, passkey.ErrForm},
		"challenge null":        {func(a *passkeytest.Authenticator) { a.Extra = map[string]any{"challenge": nil} }, passkey.ErrForm},
		"challenge padded": {func(a *passkeytest.Authenticator) {
			a.Extra = map[string]any{"challenge": base64.URLEncoding.EncodeToString(challenge[:])}
		}, passkey.ErrChallenge},
		"challenge in base64": {func(a *passkeytest.Authenticator) {
			a.Extra = map[string]any{"challenge": base64.StdEncoding.EncodeToString(challenge[:])}
		}, passkey.ErrChallenge},
		"another answer": {func(a *passkeytest.Authenticator) {
			a.Extra = map[string]any{"challenge": base64.RawURLEncoding.EncodeToString(other[:])}
		}, passkey.ErrChallenge},
		"no challenge":                {func(a *passkeytest.Authenticator) { a.Extra = map[string]any{"challenge": ""} }, passkey.ErrChallenge},
		"Challenge beside it":         {func(a *passkeytest.Authenticator) { a.Extra = map[string]any{"Challenge": "x"} }, passkey.ErrForm},
		"bytes after the flags":       {func(a *passkeytest.Authenticator) { a.After = []byte{0} }, passkey.ErrForm},
		"extensions that are none":    {func(a *passkeytest.Authenticator) { a.Flags |= passkeytest.Extensions }, passkey.ErrForm},
		"extensions that are junk":    {func(a *passkeytest.Authenticator) { a.Flags |= passkeytest.Extensions; a.After = []byte{0xff} }, passkey.ErrForm},
		"a registration's data":       {func(a *passkeytest.Authenticator) { a.Flags |= passkeytest.Attested; a.After = attested(a) }, passkey.ErrForm},
		"authenticator data too long": {func(a *passkeytest.Authenticator) { a.Flags |= passkeytest.Extensions; a.After = make([]byte, 2000) }, passkey.ErrForm},
	} {
		for kind, make := range kinds {
			a := make(t, origin)
			key := a.Credential(t)
			c.change(a)
			if err := key.Verify(challenge, a.Assert(challenge)); !errors.Is(err, c.want) {
				t.Errorf("%s, %s: %v, want %v", name, kind, err, c.want)
			}
		}
	}
}

// attested is what only a registration's authenticator data has.
func attested(a *passkeytest.Authenticator) []byte {
	return slices.Concat(make([]byte, 16), []byte{0, byte(len(a.ID))}, a.ID, a.PublicKey())
}

// What two readers of the client data could read in two ways is read in none, though it is rightly signed.
func TestClientDataIsStrict(t *testing.T) {
	right := fmt.Sprintf(`{"type":"webauthn.get","challenge":%q,"origin":%q,"crossOrigin":false}`, base64.RawURLEncoding.EncodeToString(challenge[:]), origin)
	a := passkeytest.New(t, origin)
	key := a.Credential(t)
	a.ClientData = []byte(right)
	if err := key.Verify(challenge, a.Assert(challenge)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"twice":                  strings.Replace(right, `{`, `{"origin":"https://evil.example.org",`, 1),
		"twice, in two cases":    strings.Replace(right, `{`, `{"ORIGIN":"https://evil.example.org",`, 1),
		"in capitals":            strings.Replace(right, `"type"`, `"Type"`, 1),
		"trailing bytes":         right + "x",
		"two objects":            right + right,
		"a byte order mark":      "\ufeff" + right,
		"not UTF-8":              strings.Replace(right, `}`, ",\"x\":\"\xff\"}", 1),
		"an array":               "[" + right + "]",
		"cut":                    right[:len(right)-1],
		"empty":                  "{}",
		"nothing":                "",
		"no type":                strings.Replace(right, `"type"`, `"kind"`, 1),
		"type a number":          strings.Replace(right, `"webauthn.get"`, `1`, 1),
		"deep":                   strings.Replace(right, `{`, `{"x":`+strings.Repeat("[", 2000)+strings.Repeat("]", 1900)+`,`, 1),
		"longer than any":        strings.Replace(right, `{`, `{"x":"`+strings.Repeat("x", 4096)+`",`, 1),
		"a comma too many":       strings.Replace(right, `}`, `,}`, 1),
		"a name without a value": strings.Replace(right, `}`, `,"x"}`, 1),
	} {
		a.ClientData = []byte(text)
		if err := key.Verify(challenge, a.Assert(challenge)); !errors.Is(err, passkey.ErrForm) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnotherPasskey(t *testing.T) {
	for kind, make := range kinds {
		own, other := make(t, origin), make(t, origin)
		other.ID = own.ID
		if err := own.Credential(t).Verify(challenge, other.Assert(challenge)); !errors.Is(err, passkey.ErrSignature) {
			t.Errorf("%s: another key: %v", kind, err)
		}
	}
	a, b := passkeytest.New(t, origin), passkeytest.NewP256(t, origin)
	if err := a.Credential(t).Verify(challenge, b.Assert(challenge)); !errors.Is(err, passkey.ErrSignature) {
		t.Errorf("a key of another kind: %v", err)
	}
	if err := (passkey.Credential{}).Verify(challenge, a.Assert(challenge)); !errors.Is(err, passkey.ErrCredential) {
		t.Errorf("the zero credential: %v", err)
	}
}

// Every byte of an assertion is bound: changed, missing or added, it confirms nothing.
func TestEveryByteCounts(t *testing.T) {
	for kind, make := range kinds {
		a := make(t, origin)
		key, right := a.Credential(t), a.Assert(challenge)
		for i := range right {
			for _, flip := range []byte{0x01, 0x20, 0x80, 0xff} {
				wrong := bytes.Clone(right)
				wrong[i] ^= flip
				if key.Verify(challenge, wrong) == nil {
					t.Errorf("%s: byte %d with %#x changed still confirms", kind, i, flip)
				}
			}
			if key.Verify(challenge, right[:i]) == nil {
				t.Errorf("%s: the first %d bytes still confirm", kind, i)
			}
		}
		if err := key.Verify(challenge, append(bytes.Clone(right), 0)); !errors.Is(err, passkey.ErrForm) {
			t.Errorf("%s: a byte more: %v", kind, err)
		}
	}
}

// A public key has one spelling, and is one that only its holder can sign for.
func TestCredentialsThatAreNone(t *testing.T) {
	a, p := passkeytest.New(t, origin), passkeytest.NewP256(t, origin)
	offCurve := bytes.Clone(p.PublicKey())
	offCurve[len(offCurve)-1] ^= 1
	change := func(key []byte, at int, to byte) []byte {
		key = bytes.Clone(key)
		key[at] = to
		return key
	}
	keys := map[string][]byte{
		"none":               nil,
		"small order":        append(bytes.Clone(a.PublicKey()[:10]), append([]byte{1}, make([]byte, 31)...)...),
		"Ed25519, cut":       a.PublicKey()[:41],
		"Ed25519, longer":    append(bytes.Clone(a.PublicKey()), 0),
		"Ed25519 as ES256":   change(a.PublicKey(), 4, 0x26),
		"Ed448":              change(a.PublicKey(), 6, 0x07),
		"P-256, cut":         p.PublicKey()[:76],
		"P-256, longer":      append(bytes.Clone(p.PublicKey()), 0),
		"P-256 as EdDSA":     change(p.PublicKey(), 4, 0x27),
		"P-384 by name":      change(p.PublicKey(), 6, 0x02),
		"y by another name":  change(p.PublicKey(), 42, 0x23),
		"not on the curve":   offCurve,
		"the point of zeros": append(bytes.Clone(p.PublicKey()[:10]), slices.Concat(make([]byte, 32), []byte{0x22, 0x58, 0x20}, make([]byte, 32))...),
		"RSA":                {0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x41, 0x03, 0x21, 0x41, 0x03},
	}
	for name, key := range keys {
		if _, err := passkey.Parse(a.ID, key, origin); !errors.Is(err, passkey.ErrCredential) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, id := range map[string][]byte{"no id": nil, "an id too long": make([]byte, 1024)} {
		if _, err := passkey.Parse(id, a.PublicKey(), origin); !errors.Is(err, passkey.ErrCredential) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, origin := range []string{"", "relay.example.org", "https://", "https://relay.example.org/", "https://relay.example.org/p", "https://you@relay.example.org",
		"android:apk-key-hash:x", "https://relay.example.org?x", "HTTPS://relay.example.org"} {
		if _, err := passkey.Parse(a.ID, a.PublicKey(), origin); !errors.Is(err, passkey.ErrCredential) {
			t.Errorf("origin %q: %v", origin, err)
		}
	}
}

// What Parse was given may change afterwards, and what it gives away too: the credential stays.
func TestCredentialIsItsOwn(t *testing.T) {
	a := passkeytest.New(t, origin)
	id, key := bytes.Clone(a.ID), bytes.Clone(a.PublicKey())
	c, err := passkey.Parse(id, key, origin)
	if err != nil {
		t.Fatal(err)
	}
	clear(id)
	clear(key)
	clear(c.ID())
	clear(c.PublicKey())
	if !bytes.Equal(c.ID(), a.ID) || !bytes.Equal(c.PublicKey(), a.PublicKey()) || c.Origin() != origin {
		t.Error("the credential changed from outside")
	}
	if err := c.Verify(challenge, a.Assert(challenge)); err != nil {
		t.Error(err)
	}
}

func FuzzVerify(f *testing.F) {
	a, p := passkeytest.New(f, origin), passkeytest.NewP256(f, origin)
	key, plain := a.Credential(f), a.Assert(challenge)
	a.Flags, a.After = a.Flags|passkeytest.Extensions, []byte{0xa0} // an empty map: some authenticators say that they did nothing
	extended := a.Assert(challenge)
	for _, seed := range [][]byte{plain, extended, p.Assert(challenge)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		parsed, err := passkey.ParseAssertion(b)
		if err == nil && !bytes.Equal(parsed.Bytes(), b) {
			t.Error("an assertion was read that prints otherwise")
		}
		if signed := bytes.Equal(b, plain) || bytes.Equal(b, extended); signed != (key.Verify(challenge, b) == nil) {
			t.Errorf("confirms: %v, for %x", !signed, b)
		}
	})
}
