package card

import (
	"encoding/hex"
	"fmt"
)

// RequestID names one call: 16 random bytes that the agent makes for one hook connection. A caller's own ids are never keys.
type RequestID [16]byte

// String gives 32 lower-case hex digits.
func (id RequestID) String() string { return hex.EncodeToString(id[:]) }

// ParseRequestID reads what String writes, and nothing else.
func ParseRequestID(s string) (RequestID, error) {
	var id RequestID
	if !decodeHex(id[:], s) {
		return RequestID{}, fmt.Errorf("card: read request id: %w: 32 lower-case hex digits are expected", ErrFormat)
	}
	return id, nil
}

// shortAlphabet has no letter that is taken for a digit or another letter (i, l, o, u), so that ids can be typed from a screen.
const shortAlphabet = "abcdefghjkmnpqrstvwxyz0123456789"

// shortLetters is how many signs of the alphabet are letters: an id starts with one, so that it is never read as a flag or a number.
const shortLetters = 22

// ShortID is the name that people type for an open call, such as k7q2: four signs that follow from the id. Where another open call
// has the same four, it is five; open may hold id itself.
func ShortID(id RequestID, open ...RequestID) string {
	long := shortID(id)
	for _, other := range open {
		if other != id && shortID(other)[:4] == long[:4] {
			return long
		}
	}
	return long[:4]
}

func shortID(id RequestID) string {
	signs := []byte{shortAlphabet[int(id[0])%shortLetters]}
	for _, b := range id[1:5] {
		signs = append(signs, shortAlphabet[b%32])
	}
	return string(signs)
}
