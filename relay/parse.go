package relay

import (
	"errors"
	"fmt"
)

// Parsers return one of these two, wrapped.
var (
	ErrMalformed = errors.New("malformed frame")
	ErrTooLarge  = errors.New("frame over its limit")
)

// exact checks the type and the one length that a frame can have.
func exact(b []byte, t Type, size int) error {
	if TypeOf(b) != t || len(b) != size {
		return bad(t, ErrMalformed)
	}
	return nil
}

// atLeast checks the type, that something follows the header, and the limit.
func atLeast(b []byte, t Type, header, limit int) error {
	if TypeOf(b) != t || len(b) <= header {
		return bad(t, ErrMalformed)
	}
	if len(b) > limit {
		return bad(t, ErrTooLarge)
	}
	return nil
}

func bad(t Type, err error) error { return fmt.Errorf("relay: parse %v: %w", t, err) }
