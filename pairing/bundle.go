package pairing

import (
	"crypto/ed25519"
	"encoding/binary"

	abcrypto "answerback/crypto"
)

// Bundle is the agent's first message, B. The code's fingerprint names it, so
// nobody can change it; it is sealed under a key from s, so nobody else reads it.
//
//	suite(1) || A_sig.pub(32) || e_a.pub(32) || C_a(32) || expires(8) ||
//	str agent name || str host name || str relay URL || str app origin
type Bundle struct {
	AgentKey   ed25519.PublicKey // A_sig.pub
	Ephemeral  [32]byte          // e_a.pub, X25519, for this code only
	Commitment [32]byte          // C_a = H("commit" || N_a)
	ExpiresMS  uint64            // when the code ends, by the agent's clock; fixes the ratchet's first day
	AgentName  string
	HostName   string
	RelayURL   string
	AppOrigin  string
}

// Marshal returns B.
func (b Bundle) Marshal() []byte {
	out := append([]byte{abcrypto.Suite}, b.AgentKey...)
	out = append(append(out, b.Ephemeral[:]...), b.Commitment[:]...)
	out = binary.BigEndian.AppendUint64(out, b.ExpiresMS)
	out = appendStr(appendStr(out, b.AgentName), b.HostName)
	return appendStr(appendStr(out, b.RelayURL), b.AppOrigin)
}

// ParseBundle reads B. Whatever it takes, Marshal prints the same again. Errors:
// ErrVersion for another suite, crypto.ErrKey for a key that must not be
// trusted, ErrFormat for all else.
func ParseBundle(data []byte) (Bundle, error) {
	r := reader{b: data}
	suite := r.take(1)
	if r.bad {
		return Bundle{}, ErrFormat
	}
	if suite[0] != abcrypto.Suite {
		return Bundle{}, ErrVersion
	}
	b := Bundle{AgentKey: append(ed25519.PublicKey(nil), r.take(32)...), Ephemeral: r.array32(), Commitment: r.array32()}
	b.ExpiresMS = r.uint64()
	b.AgentName, b.HostName = string(r.str()), string(r.str())
	b.RelayURL, b.AppOrigin = string(r.str()), string(r.str())
	if !r.ok() || !b.fits() {
		return Bundle{}, ErrFormat
	}
	if err := abcrypto.CheckPublicKey(b.AgentKey); err != nil {
		return Bundle{}, err
	}
	return b, nil
}

// fits says whether the texts and the time are within their bounds. The time is
// after the first day of 1970, because the ratchet starts on the day before.
func (b Bundle) fits() bool {
	return isName(b.AgentName) && isName(b.HostName) && isURL(b.RelayURL) && isURL(b.AppOrigin) &&
		b.ExpiresMS <= abcrypto.MaxNumber && abcrypto.DayOf(b.ExpiresMS) > 0
}

// fingerprint returns H("bundle" || B)[:16].
func fingerprint(b []byte) [16]byte {
	h := abcrypto.Hash(abcrypto.WordBundle, b)
	return [16]byte(h[:16])
}
