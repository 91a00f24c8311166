package pairing

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"strings"

	abcrypto "answerback/crypto"
)

// PushSubscription is a browser's Web Push subscription (RFC 8030, RFC 8291);
// the zero value is none.
type PushSubscription struct {
	Endpoint string // an https URL; on loopback http, too
	P256dh   []byte // 65 bytes, an uncompressed P-256 point
	Auth     []byte // 16 bytes
}

// Passkey is a WebAuthn credential; the zero value is none.
type Passkey struct {
	ID        []byte // the credential id, at most 1,023 bytes
	PublicKey []byte // COSE key, at most MaxURL bytes
}

// maxCredential is the longest credential id (WebAuthn level 2 section 4).
const maxCredential = 1023

// fields are what the device says of itself in msg1, as the signature covers it:
//
//	P_sig.pub(32) || N_d(32) || str device name || str platform ||
//	str push endpoint || str p256dh || str auth || str passkey id || str passkey key
type fields struct {
	Key      ed25519.PublicKey
	Nonce    [32]byte // N_d
	Name     string
	Platform string
	Push     PushSubscription
	Passkey  Passkey
}

func (f fields) marshal() []byte {
	b := append([]byte(nil), f.Key...)
	b = append(b, f.Nonce[:]...)
	b = appendStr(appendStr(b, f.Name), f.Platform)
	b = appendStr(appendStr(b, f.Push.Endpoint), f.Push.P256dh)
	b = appendStr(b, f.Push.Auth)
	return appendStr(appendStr(b, f.Passkey.ID), f.Passkey.PublicKey)
}

// parseFields reads what marshal made and nothing else. Errors: crypto.ErrKey,
// ErrFormat.
func parseFields(data []byte) (fields, error) {
	r := reader{b: data}
	f := fields{Key: append(ed25519.PublicKey(nil), r.take(32)...), Nonce: r.array32()}
	f.Name, f.Platform = string(r.str()), string(r.str())
	f.Push = PushSubscription{Endpoint: string(r.str()), P256dh: r.str(), Auth: r.str()}
	f.Passkey = Passkey{ID: r.str(), PublicKey: r.str()}
	if !r.ok() || !f.fit() {
		return fields{}, ErrFormat
	}
	if err := abcrypto.CheckPublicKey(f.Key); err != nil {
		return fields{}, err
	}
	return f, nil
}

func (f fields) fit() bool {
	return isName(f.Name) && isText(f.Platform) && f.Push.fits() && f.Passkey.fits()
}

// fits says whether s is none, or whole and usable.
func (s PushSubscription) fits() bool {
	if s.Endpoint == "" {
		return len(s.P256dh) == 0 && len(s.Auth) == 0
	}
	_, err := ecdh.P256().NewPublicKey(s.P256dh)
	return err == nil && len(s.Auth) == 16 && isURL(s.Endpoint) && (strings.HasPrefix(s.Endpoint, "https://") || isLoopback(s.Endpoint))
}

// isLoopback accepts a push service on the relay's own machine, which may speak http.
func isLoopback(endpoint string) bool {
	for _, origin := range []string{"http://localhost", "http://127.0.0.1", "http://[::1]"} {
		if rest, ok := strings.CutPrefix(endpoint, origin); ok && rest != "" && (rest[0] == ':' || rest[0] == '/') {
			return true
		}
	}
	return false
}

// fits says whether p is none, or whole.
func (p Passkey) fits() bool {
	if len(p.ID) == 0 {
		return len(p.PublicKey) == 0
	}
	return len(p.ID) <= maxCredential && len(p.PublicKey) > 0 && len(p.PublicKey) <= MaxURL
}
