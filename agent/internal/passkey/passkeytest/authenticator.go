// Package passkeytest is an authenticator in Go, for tests: it makes a credential and asserts as a browser's would, and can be told to say
// something else.
package passkeytest

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/url"
	"slices"
	"testing"

	"answerback/agent/internal/passkey"
)

// The flags of an authenticator (WebAuthn level 3, section 6.1).
const (
	UserPresent    = 1 << 0
	UserVerified   = 1 << 2
	BackupEligible = 1 << 3
	BackupState    = 1 << 4
	Attested       = 1 << 6
	Extensions     = 1 << 7
)

// Authenticator holds one credential. What it says may be changed between assertions.
type Authenticator struct {
	ID     []byte
	Origin string // of the page
	Party  string // the relying party's id
	Flags  byte
	Count  uint32
	Type   string         // of the ceremony
	Extra  map[string]any // further members of the client data
	After  []byte         // what follows the 37 bytes of authenticator data
	// ClientData, if set, is given instead of the client data.
	ClientData []byte

	sign   func(data []byte) []byte
	public []byte
}

// New makes an authenticator with an Ed25519 credential (COSE alg -8) made in the app of an origin.
func New(t testing.TB, origin string) *Authenticator {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := with(t, origin)
	a.sign = func(data []byte) []byte { return ed25519.Sign(key, data) }
	a.public = append([]byte{0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20}, public...)
	return a
}

// NewP256 makes one with an ECDSA credential (COSE alg -7), as most phones have.
func NewP256(t testing.TB, origin string) *Authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.ECDH()
	if err != nil {
		t.Fatal(err)
	}
	a := with(t, origin)
	a.sign = func(data []byte) []byte {
		digest := sha256.Sum256(data)
		sig, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
		if err != nil {
			t.Fatal(err)
		}
		return sig
	}
	x, y := point.Bytes()[1:33], point.Bytes()[33:]
	a.public = slices.Concat([]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20}, x, []byte{0x22, 0x58, 0x20}, y)
	return a
}

func with(t testing.TB, origin string) *Authenticator {
	u, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 32)
	rand.Read(id)
	return &Authenticator{ID: id, Origin: origin, Party: u.Hostname(), Flags: UserPresent | UserVerified, Type: "webauthn.get"}
}

// PublicKey is the COSE key.
func (a *Authenticator) PublicKey() []byte { return a.public }

// Credential is what the agent keeps of it.
func (a *Authenticator) Credential(t testing.TB) passkey.Credential {
	t.Helper()
	c, err := passkey.Parse(a.ID, a.public, a.Origin)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Assert confirms a challenge, as an answer message carries it.
func (a *Authenticator) Assert(challenge [32]byte) []byte {
	client := a.ClientData
	if client == nil {
		client = a.client(challenge)
	}
	party := sha256.Sum256([]byte(a.Party))
	data := slices.Concat(party[:], []byte{a.Flags}, binary.BigEndian.AppendUint32(nil, a.Count), a.After)
	hash := sha256.Sum256(client)
	return passkey.Assertion{AuthenticatorData: data, ClientDataJSON: client, Signature: a.sign(slices.Concat(data, hash[:]))}.Bytes()
}

func (a *Authenticator) client(challenge [32]byte) []byte {
	members := map[string]any{"type": a.Type, "challenge": base64.RawURLEncoding.EncodeToString(challenge[:]), "origin": a.Origin, "crossOrigin": false}
	for name, value := range a.Extra {
		members[name] = value
	}
	out, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return out
}
