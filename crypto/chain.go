package crypto

import "math"

const msPerDay = 24 * 60 * 60 * 1000

// Day is a number of whole days since 1970 UTC, 4 bytes on the wire.
type Day uint32

// DayOf returns the day of a time in milliseconds since 1970 UTC. A time beyond
// the last day that four bytes can hold is in that last day.
func DayOf(ms uint64) Day {
	return Day(min(ms/msPerDay, math.MaxUint32))
}

// Chain is one day's key of a pairing's ratchet. Later days follow from it,
// earlier ones do not. The zero Chain is no key.
type Chain [32]byte

// Next returns the next day's chain: HMAC(chain, "chain" || 0x01).
func (c Chain) Next() Chain { return mac(c, WordChain, []byte{1}) }

// After returns the chain of that many days later. The cost is one HMAC a day,
// so a caller bounds days first.
func (c Chain) After(days int) Chain {
	for range days {
		c = c.Next()
	}
	return c
}

// Key returns the day's message key of one direction: HMAC(chain, "key" ||
// direction || 0x01).
func (c Chain) Key(d Direction) [32]byte { return mac(c, WordKey, []byte{byte(d), 1}) }

// Reply returns the mailbox keys of the one-shot reply box that belongs to the
// message with this nonce: reader key HMAC(chain, "reply" || nonce || 0x01),
// writer key the same with 0x02. They travel in no message.
func (c Chain) Reply(nonce []byte) (r, w [32]byte) {
	return mac(c, WordReply, nonce, []byte{1}), mac(c, WordReply, nonce, []byte{2})
}

// Topic returns the 24 bytes of a push topic (RFC 8030 section 5.4, as 32
// characters of base64url) for one request: a later push about the same request
// replaces the one before, and nobody else can tell which request it is.
func (c Chain) Topic(requestID [16]byte) [24]byte {
	m := mac(c, WordTopic, requestID[:])
	return [24]byte(m[:24])
}
