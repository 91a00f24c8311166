package crypto

import (
	"encoding/binary"
	"errors"
)

// Sizes of an envelope, in bytes. The plaintext is type(1) || len(4) || body ||
// zeros, padded to the smallest of 512, 1024, 2048, 2560 and the multiples of
// 16,384 up to 262,144 that holds it, so that the relay cannot tell a card from
// a revocation. With the 2,560 bucket a message fits every push service.
const (
	headSize  = 5
	maxPadded = 256 << 10
	// MaxBody is the longest body of a message.
	MaxBody = maxPadded - headSize
	// PushBody is the longest body of a message that still goes into a push.
	PushBody = 2560 - headSize
)

// Faults of a message.
var (
	// ErrFormat is returned for a message whose form is not exactly that of
	// protocol 1. Where it was sealed with the right key, the other side is of
	// another version or broken.
	ErrFormat = errors.New("crypto: parse message: it is not exactly of the form of protocol 1; update the older side")
	// ErrSize is returned for what is longer than the protocol carries.
	ErrSize = errors.New("crypto: message: it is too long or too short; a body holds at most 262,139 bytes")
)

// padded returns the size of the bucket for n bytes, or 0 if there is none.
func padded(n int) int {
	for _, b := range [...]int{512, 1024, 2048, 2560} {
		if n <= b {
			return b
		}
	}
	const step = 16 << 10
	if n > maxPadded {
		return 0
	}
	return (n + step - 1) / step * step
}

// pad returns the plaintext of a message.
func pad(typ byte, body []byte) ([]byte, error) {
	n := padded(headSize + len(body))
	if n == 0 {
		return nil, ErrSize
	}
	out := make([]byte, n)
	out[0] = typ
	binary.BigEndian.PutUint32(out[1:], uint32(len(body)))
	copy(out[headSize:], body)
	return out, nil
}

// unpad is the inverse of pad. It refuses a bucket that is not the smallest and
// padding that is not zero: one message has one plaintext.
func unpad(plain []byte) (typ byte, body []byte, err error) {
	if len(plain) < headSize {
		return 0, nil, ErrFormat
	}
	n := uint64(binary.BigEndian.Uint32(plain[1:]))
	if n > MaxBody || padded(headSize+int(n)) != len(plain) {
		return 0, nil, ErrFormat
	}
	end := headSize + int(n)
	for _, b := range plain[end:] {
		if b != 0 {
			return 0, nil, ErrFormat
		}
	}
	return plain[0], plain[headSize:end:end], nil
}
