package agent

import (
	"encoding/binary"

	abcrypto "answerback/crypto"
)

// ratchetSize is the length of a ratchet's record in the chains file: stored day(4) || newest day opened(4) || newest day sealed(4) ||
// chain key(32), big endian, zero padded.
const ratchetSize = 64

func marshalRatchet(r abcrypto.Ratchet) (b [ratchetSize]byte) {
	binary.BigEndian.PutUint32(b[0:], uint32(r.Stored))
	binary.BigEndian.PutUint32(b[4:], uint32(r.Newest))
	binary.BigEndian.PutUint32(b[8:], uint32(r.Sealed))
	copy(b[12:44], r.Chain[:])
	return b
}

// unmarshalRatchet reads a record; not ok: these are no keys that could open or seal anything.
func unmarshalRatchet(b [ratchetSize]byte) (r abcrypto.Ratchet, ok bool) {
	r.Stored = abcrypto.Day(binary.BigEndian.Uint32(b[0:]))
	r.Newest = abcrypto.Day(binary.BigEndian.Uint32(b[4:]))
	r.Sealed = abcrypto.Day(binary.BigEndian.Uint32(b[8:]))
	copy(r.Chain[:], b[12:44])
	return r, r.Chain != (abcrypto.Chain{}) && uint64(r.Newest) == uint64(r.Stored)+1
}
