// Package caller knows how each coding tool asks and which bytes it obeys.
//
// One file per caller holds both halves: Parse turns the bytes that the caller
// wrote to its hook's standard input into a Call, and Reply turns a Verdict
// into the exact bytes and exit code that this caller obeys. A new caller is
// one more file with its adapter, and one line in For.
//
// Parsing is strict and bounded: at most MaxInput bytes of UTF-8, one JSON
// object, no name twice in one object (also when only the case differs), at
// most 64 levels, nothing behind it, and each known field of its own type. A
// field that is not known is passed over, because callers' payloads grow. The
// call's own input is never decoded and encoded again: Call.Input is the
// caller's bytes.
//
// The zero Verdict is no opinion, and no Reply is an Allow unless the Verdict
// says so and the Call can be allowed.
package caller
