// Package crypto holds the primitives of protocol 1: labels, key derivation,
// the day ratchet, the envelope, the signed statements, the check digits and
// the encryption of a Web Push body.
//
// Bytes go in and bytes come out. The package never looks at a clock, a file or
// a network and writes no log: times arrive as milliseconds since 1970 UTC, and
// randomness arrives as an io.Reader. With the same arguments every function
// gives the same bytes, which is how the vectors in testdata are made.
//
// Import it as abcrypto, so that it is not mistaken for the standard library's
// package of that name.
//
// Conventions of every format here: || joins, integers are big endian, str is
// len(2) || UTF-8, H is SHA-256, GCM is AES-256-GCM with a random 12-byte nonce
// in front and a 16-byte tag behind. A value of 0 is never valid for a byte that
// names something (see appendix.go).
package crypto
