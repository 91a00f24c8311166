package webpush

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

const (
	tokenLife  = 12 * time.Hour // RFC 8292 section 2 and Apple allow 24
	tokenSpare = time.Hour      // a token that ends sooner is made anew: clocks differ
	maxTokens  = 64             // origins that a token is kept for
)

// someSubject stands in where the operator gave none: Mozilla's service has
// refused tokens without the claim.
const someSubject = "https://localhost"

// tokens makes the Authorization header of RFC 8292 section 3 and keeps it for
// each origin: Apple asks not to make one for each push.
type tokens struct {
	key     *ecdsa.PrivateKey
	public  string
	subject string

	mu   sync.Mutex
	kept map[string]token
}

type token struct {
	header string
	ends   time.Time
}

func newTokens(key *ecdsa.PrivateKey, subject string) *tokens {
	point, err := key.PublicKey.Bytes()
	if err != nil {
		panic("webpush: a P-256 key without a point: " + err.Error())
	}
	return &tokens{key: key, public: b64.EncodeToString(point), subject: subject, kept: map[string]token{}}
}

// isP256 says whether the key can sign and be told.
func isP256(key *ecdsa.PrivateKey) bool {
	if key == nil || key.Curve != elliptic.P256() {
		return false
	}
	_, err := key.PublicKey.Bytes()
	return err == nil
}

// header returns `vapid t=TOKEN, k=KEY` for an origin.
func (t *tokens) header(origin string, now time.Time) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, ok := t.kept[origin]
	if left := old.ends.Sub(now); ok && left > tokenSpare && left <= tokenLife {
		return old.header, nil
	}
	ends := now.Add(tokenLife)
	signed, err := t.sign(origin, ends)
	if err != nil {
		return "", err
	}
	if len(t.kept) >= maxTokens {
		clear(t.kept)
	}
	made := token{header: "vapid t=" + signed + ", k=" + t.public, ends: ends}
	t.kept[origin] = made
	return made.header, nil
}

// claims are those of RFC 8292 section 2.
type claims struct {
	Audience string `json:"aud"`
	Ends     int64  `json:"exp"` // seconds since 1970
	Subject  string `json:"sub"`
}

// sign makes a JWT (RFC 7519) with ES256 (RFC 7518 section 3.4): r(32) || s(32).
func (t *tokens) sign(origin string, ends time.Time) (string, error) {
	c := claims{Audience: origin, Ends: ends.Unix(), Subject: t.subject}
	if c.Subject == "" {
		c.Subject = someSubject
	}
	text, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("webpush: sign token: %w", err)
	}
	input := b64.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + b64.EncodeToString(text)
	digest := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(rand.Reader, t.key, digest[:])
	if err != nil {
		return "", fmt.Errorf("webpush: sign token: %w", err)
	}
	var sig [64]byte
	r.FillBytes(sig[:32])
	s.FillBytes(sig[32:])
	return input + "." + b64.EncodeToString(sig[:]), nil
}
