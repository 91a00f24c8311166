package webpush

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"
)

// verify is a push service's side of RFC 8292: it checks the token of an
// Authorization header under the key that stands beside it.
func verify(t testing.TB, header string) (claims, string) {
	t.Helper()
	rest, ok := strings.CutPrefix(header, "vapid t=")
	token, key, both := strings.Cut(rest, ", k=")
	parts := strings.Split(token, ".")
	if !ok || !both || len(parts) != 3 {
		t.Fatalf("no vapid header: %q", header)
	}
	decode := func(s string) []byte {
		b, err := b64.DecodeString(s)
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		return b
	}
	point := decode(key)
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil || len(point) != 65 {
		t.Fatalf("k is no point: %v", err)
	}
	var head struct{ Typ, Alg string }
	var c claims
	if err := json.Unmarshal(decode(parts[0]), &head); err != nil || head.Typ != "JWT" || head.Alg != "ES256" {
		t.Fatalf("head %+v, %v", head, err)
	}
	if err := json.Unmarshal(decode(parts[1]), &c); err != nil {
		t.Fatal(err)
	}
	sig, digest := decode(parts[2]), sha256.Sum256([]byte(parts[0]+"."+parts[1]))
	if len(sig) != 64 || !ecdsa.Verify(public, digest[:], new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])) {
		t.Fatalf("the signature of %q does not hold", header)
	}
	return c, key
}

// RFC 8292 section 2.4, figure 1.
const rfcHeader = "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0." +
	"i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"

func TestVerifierTakesTheExampleOfRFC8292(t *testing.T) {
	got, _ := verify(t, rfcHeader)
	if want := (claims{Audience: "https://push.example.net", Ends: 1453523768, Subject: "mailto:push@example.com"}); got != want {
		t.Errorf("%+v", got)
	}
}

// TestTokenIsTheExampleOfRFC8292: but for the signature, which is another each
// time, our token is the RFC's, byte for byte.
func TestTokenIsTheExampleOfRFC8292(t *testing.T) {
	tokens := newTokens(newKey(t), "mailto:push@example.com")
	got, err := tokens.sign("https://push.example.net", time.Unix(1453523768, 0))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimPrefix(rfcHeader, "vapid t=")
	if n := strings.LastIndex(want, "."); got[:strings.LastIndex(got, ".")] != want[:n] {
		t.Errorf("%s\nthe RFC has\n%s", got, want[:n])
	}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func header(t *testing.T, tokens *tokens, origin string, now time.Time) string {
	t.Helper()
	h, err := tokens.header(origin, now)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestTokenNamesOriginEndAndSubject(t *testing.T) {
	tokens, now := newTokens(newKey(t), "https://relay.example.org"), time.Now()
	got, key := verify(t, header(t, tokens, "https://fcm.googleapis.com", now))
	if want := (claims{"https://fcm.googleapis.com", now.Add(12 * time.Hour).Unix(), "https://relay.example.org"}); got != want || key != tokens.public {
		t.Errorf("%+v, key %s", got, key)
	}
}

// TestB057_TokenWithoutContact: Mozilla's service has refused tokens without a subject.
func TestB057_TokenWithoutContact(t *testing.T) {
	got, _ := verify(t, header(t, newTokens(newKey(t), ""), "https://fcm.googleapis.com", time.Now()))
	if got.Subject != "https://localhost" {
		t.Errorf("subject %q", got.Subject)
	}
}

func TestTokenIsKeptForItsOrigin(t *testing.T) {
	tokens, now := newTokens(newKey(t), ""), time.Now()
	first := header(t, tokens, "https://a.example.org", now)
	for name, c := range map[string]struct {
		origin string
		at     time.Time
		same   bool
	}{
		"a little later":     {"https://a.example.org", now.Add(10 * time.Hour), true},
		"in its last hour":   {"https://a.example.org", now.Add(11*time.Hour + time.Second), false},
		"another origin":     {"https://b.example.org", now, false},
		"the clock set back": {"https://a.example.org", now.Add(-48 * time.Hour), false},
	} {
		again := newTokens(tokens.key, "")
		again.kept["https://a.example.org"] = tokens.kept["https://a.example.org"]
		h := header(t, again, c.origin, c.at)
		if (h == first) != c.same {
			t.Errorf("%s: the same token: %v", name, h == first)
		}
		got, _ := verify(t, h)
		if left := time.Unix(got.Ends, 0).Sub(c.at); left < 59*time.Minute || left > 12*time.Hour {
			t.Errorf("%s: ends in %v", name, left)
		}
	}
}

func TestTokensAreFew(t *testing.T) {
	tokens, now := newTokens(newKey(t), ""), time.Now()
	for i := range 3 * maxTokens {
		header(t, tokens, fmt.Sprintf("https://h%d.push.apple.com", i), now)
		if len(tokens.kept) > maxTokens {
			t.Fatalf("%d tokens are kept", len(tokens.kept))
		}
	}
}

func TestNewRefusesOtherKeys(t *testing.T) {
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]*ecdsa.PrivateKey{"none": nil, "empty": {}, "P-384": p384} {
		if _, err := New(Options{Key: key}); err == nil {
			t.Errorf("key %s is taken", name)
		}
	}
}
