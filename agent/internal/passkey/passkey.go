// Package passkey checks that a person's passkey confirmed one answer: a WebAuthn assertion (W3C Web Authentication level 3, section 7.2)
// with user verification, whose challenge is the answer's own digest. So there is no session and nothing to remember between two answers: an
// assertion for one answer is none for any other.
//
// It proves that whoever held the authenticator was verified by it (a face, a finger, the screen lock) for these very bytes, on a page of
// this origin. It does not prove what the page showed, and a passkey that its maker syncs is any device of that account. The signature
// counter is not looked at: synced passkeys have none that means anything.
package passkey

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"

	abcrypto "answerback/crypto"
)

// The refusals of Parse and Verify. Each confirms nothing.
var (
	ErrCredential   = errors.New("the passkey is of no kind that this agent can check; pair the device again, with another passkey or with none")
	ErrForm         = errors.New("the passkey's assertion is not in its exact form")
	ErrCeremony     = errors.New("the passkey's assertion is for something else than an answer")
	ErrChallenge    = errors.New("the passkey confirmed another answer")
	ErrOrigin       = errors.New("the passkey was used on another page than this device's app")
	ErrRelyingParty = errors.New("the passkey belongs to another app")
	ErrUnverified   = errors.New("the passkey did not verify its user")
	ErrSignature    = errors.New("the signature is not this passkey's")
)

// maxID is the longest credential id (WebAuthn level 3, section 4).
const maxID = 1023

// Credential is the passkey of one device: its public key, and the origin of the app in which it was made. Its zero value confirms nothing.
type Credential struct {
	id     []byte
	key    []byte
	origin string
}

// Parse takes a credential as a device registered it: its id, 1 to 1,023 bytes, its public key as COSE in the one form that CTAP2 gives it
// (EdDSA with Ed25519, alg -8, 42 bytes; or ES256 with P-256, alg -7, 77 bytes), and the origin of the app that made it, like
// https://relay.example.org. Error: ErrCredential.
func Parse(id, publicKey []byte, origin string) (Credential, error) {
	origin = asBrowsersWrite(origin)
	if len(id) == 0 || len(id) > maxID || !canonical(publicKey) || hostOf(origin) == "" {
		return Credential{}, ErrCredential
	}
	if _, err := webauthncose.ParsePublicKey(publicKey); err != nil { // a point that is not on the curve
		return Credential{}, ErrCredential
	}
	return Credential{id: bytes.Clone(id), key: bytes.Clone(publicKey), origin: origin}, nil
}

// What stands before and between the coordinates of a COSE key (RFC 9053 section 7) in CTAP2's canonical CBOR.
var (
	ed25519Head = []byte{0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20}
	p256Head    = []byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20}
	p256Middle  = []byte{0x22, 0x58, 0x20}
)

// canonical says whether a key is of one of the two kinds, byte for byte, and one that only its holder can sign for.
func canonical(key []byte) bool {
	if x, ok := bytes.CutPrefix(key, ed25519Head); ok {
		return abcrypto.CheckPublicKey(x) == nil
	}
	xy, ok := bytes.CutPrefix(key, p256Head)
	return ok && len(xy) == 32+len(p256Middle)+32 && bytes.Equal(xy[32:32+len(p256Middle)], p256Middle)
}

// ID is the credential's id, which the device's browser finds it by.
func (c Credential) ID() []byte { return slices.Clone(c.id) }

// PublicKey is the COSE key, as it was registered.
func (c Credential) PublicKey() []byte { return slices.Clone(c.key) }

// Origin is where the app was that made it.
func (c Credential) Origin() string { return c.origin }

// Verify returns nil if assertion (see Assertion) was made by this passkey, in the app of its origin, with its user verified, for this very
// challenge, which is abcrypto.UVChallenge of the answer. The error is, or wraps, one of the refusals above.
func (c Credential) Verify(challenge [32]byte, assertion []byte) error {
	if len(c.key) == 0 {
		return ErrCredential
	}
	a, err := ParseAssertion(assertion)
	if err != nil {
		return err
	}
	client, err := parseClientData(a.ClientDataJSON)
	if err != nil {
		return err
	}
	var data protocol.AuthenticatorData
	if data.Unmarshal(a.AuthenticatorData) != nil {
		return fmt.Errorf("%w: its authenticator data", ErrForm)
	}
	want := base64.RawURLEncoding.EncodeToString(challenge[:])
	if err := c.means(client, data, want); err != nil {
		return err
	}
	return c.signed(a, client, data, want)
}

// means checks what the assertion says, each with a refusal of its own.
func (c Credential) means(client protocol.CollectedClientData, data protocol.AuthenticatorData, challenge string) error {
	party := sha256.Sum256([]byte(hostOf(c.origin)))
	switch {
	case client.Type != protocol.AssertCeremony:
		return ErrCeremony
	case client.Challenge != challenge:
		return ErrChallenge
	case client.Origin != c.origin || client.CrossOrigin:
		return ErrOrigin
	case !bytes.Equal(data.RPIDHash, party[:]):
		return ErrRelyingParty
	case !data.Flags.UserPresent() || !data.Flags.UserVerified():
		return ErrUnverified
	case data.Flags.HasAttestedCredentialData(): // only a registration has it
		return ErrForm
	}
	return nil
}

// signed has the library go through the whole procedure of section 7.2 again, the signature last.
func (c Credential) signed(a Assertion, client protocol.CollectedClientData, data protocol.AuthenticatorData, challenge string) error {
	p := protocol.ParsedCredentialAssertionData{
		Response: protocol.ParsedAssertionResponse{CollectedClientData: client, AuthenticatorData: data, Signature: a.Signature},
		Raw: protocol.CredentialAssertionResponse{AssertionResponse: protocol.AuthenticatorAssertionResponse{
			AuthenticatorResponse: protocol.AuthenticatorResponse{ClientDataJSON: a.ClientDataJSON},
			AuthenticatorData:     a.AuthenticatorData,
		}},
	}
	const noCrossOrigin, verifyUser, userPresent = false, true, true
	err := p.Verify(challenge, hostOf(c.origin), "", []string{c.origin}, nil, nil, protocol.TopOriginExplicitVerificationMode,
		noCrossOrigin, verifyUser, userPresent, c.key, protocol.SignaturePolicy{})
	if err != nil {
		return ErrSignature
	}
	return nil
}

// asBrowsersWrite drops the port that the scheme has by itself, which no browser writes.
func asBrowsersWrite(origin string) string {
	for scheme, port := range map[string]string{"https://": ":443", "http://": ":80"} {
		if strings.HasPrefix(origin, scheme) {
			return strings.TrimSuffix(origin, port)
		}
	}
	return origin
}

// hostOf is the relying party's id: the host of an origin, without its port. Empty: it is no origin as a browser writes one.
func hostOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || origin != u.Scheme+"://"+u.Host {
		return ""
	}
	return u.Hostname()
}
