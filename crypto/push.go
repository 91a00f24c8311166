package crypto

import (
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
)

// Sizes of a Web Push body, in bytes.
const (
	// PushOverhead is what an encrypted push is longer than its plaintext:
	// salt(16) || record size(4) || key length(1) || key(65), then one delimiter
	// and a 16-byte tag behind the text.
	PushOverhead = 16 + 4 + 1 + 65 + 1 + TagSize
	// MaxPush is the longest plaintext. Firefox on Android refuses bodies above
	// about 3,070 bytes; a body of 2,800 reaches every browser.
	MaxPush = 2800 - PushOverhead
)

// ErrPush is returned for a subscription or a text that cannot be encrypted.
var ErrPush = errors.New("crypto: seal push: the subscription's keys are not a P-256 point and 16 bytes, or the text is over 2,697 bytes; let the device subscribe again")

// SealPush encrypts text for a browser's push subscription, as one record with
// no padding of its own (RFC 8291, RFC 8188 section 2: aes128gcm). p256dh is the
// subscription's public key, 65 bytes uncompressed; auth its 16 bytes of secret.
// random gives the 16 bytes of salt and then the sender's key, made anew for
// every push.
func SealPush(p256dh, auth, text []byte, random io.Reader) ([]byte, error) {
	receiver, err := ecdh.P256().NewPublicKey(p256dh)
	if err != nil || len(auth) != 16 || len(text) > MaxPush {
		return nil, ErrPush
	}
	var salt [16]byte
	if _, err := io.ReadFull(random, salt[:]); err != nil {
		return nil, err
	}
	sender, err := newP256(random)
	if err != nil {
		return nil, err
	}
	shared, err := sender.ECDH(receiver)
	if err != nil {
		return nil, ErrPush
	}
	public := sender.PublicKey().Bytes()
	key, nonce := pushKeys(shared, auth, salt[:], p256dh, public)
	hdr := pushHeader(salt, public)
	return newGCM(key).Seal(hdr, nonce, append(append([]byte(nil), text...), 2), nil), nil
}

// pushHeader is RFC 8188 section 2.1. The record size is that of a whole body,
// so that there is always one record.
func pushHeader(salt [16]byte, public []byte) []byte {
	hdr := binary.BigEndian.AppendUint32(append([]byte(nil), salt[:]...), 4096)
	return append(append(hdr, byte(len(public))), public...)
}

// pushKeys is RFC 8291 section 3.4. Its info strings are the RFC's, not ours.
func pushKeys(shared, auth, salt, receiver, sender []byte) (key, nonce []byte) {
	info := append(append([]byte("WebPush: info\x00"), receiver...), sender...)
	return recordKeys(expandRaw(Extract(auth, shared), string(info), 32), salt)
}

// recordKeys is RFC 8188 sections 2.2 and 2.3, for the first record.
func recordKeys(ikm, salt []byte) (key, nonce []byte) {
	prk := Extract(salt, ikm)
	return expandRaw(prk, "Content-Encoding: aes128gcm\x00", 16), expandRaw(prk, "Content-Encoding: nonce\x00", NonceSize)
}

func expandRaw(prk [32]byte, info string, n int) []byte {
	out, err := hkdf.Expand(sha256.New, prk[:], info, n)
	if err != nil {
		panic("crypto: expand: " + err.Error())
	}
	return out
}

// newP256 takes 32 random bytes until they are a private key. The first 32 are,
// but for a chance of 2^-32.
func newP256(random io.Reader) (*ecdh.PrivateKey, error) {
	var b [32]byte
	for {
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return nil, err
		}
		if key, err := ecdh.P256().NewPrivateKey(b[:]); err == nil {
			return key, nil
		}
	}
}
