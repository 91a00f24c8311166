// Package card holds what agent and device say to each other: the card (one call, whole), the receipt, what settles a card
// elsewhere, the agent's state, and what a device sends besides its answer. It also holds the judgement that both ends must
// share: whether a card may offer an Allow, how hidden characters are made visible, and what makes an answer a Verified one.
//
// Every message body is one UTF-8 JSON object (RFC 8259). Ids and hashes are lower-case hex; times are milliseconds since 1970
// UTC; numbers are whole, from 0 to 2^53-1. Each message has one function that names its members, and that function both
// writes and reads, so that the two cannot drift. Parsing is strict: an unknown or missing member, a name that comes twice, a
// null, another type, bad UTF-8, a lone surrogate, trailing bytes, nesting deeper than 64, or a length over its bound is
// refused. Members may come in any order; Marshal writes them in one order, and what it writes parses to the same bytes again.
//
// The answer is not JSON: its exact bytes are in package crypto, and VerifyAnswer alone can make a Verified of them.
package card
