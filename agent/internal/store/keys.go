package store

import "encoding/binary"

// Key prefixes in the database. Numbers are 8 bytes, big endian, so that keys
// sort by number.
const (
	keyVersion   = "v"  // schema version, number
	prefixDevice = "d/" // + device id 16 -> JSON of the agent's
	prefixLog    = "l/" // + record index 8 -> record bytes
	prefixHash   = "h/" // + stored hash index 8 -> hash 32
	prefixRule   = "u/" // + rule id -> JSON of the agent's
	keyPolicy    = "a/applied"
	prefixSeq    = "s/" // + name -> number
	prefixMeta   = "m/" // + name -> bytes
)

// numberKey is prefix || n(8).
func numberKey(prefix string, n uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte(prefix), n)
}

// number reads 8 bytes; ok is false for any other length.
func number(b []byte) (n uint64, ok bool) {
	if len(b) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(b), true
}

func numberBytes(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
