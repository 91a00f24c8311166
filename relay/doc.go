// Package relay is the wire that the relay, the agent and the devices speak:
// mailbox ids, frames, limits, reasons and close codes. It imports the
// standard library only, and holds no type that could read a card: a payload
// is sealed bytes from end to end.
//
// # Mailboxes
//
// A mailbox (box) carries messages one way, from whoever knows the writer key
// w to whoever knows the reader key r. Both are 32 bytes that the two ends
// derive together and that no third party knows:
//
//	H(word, x..) = SHA-256("answerback/1 " || word || 0x00 || x..)
//	box          = H("box", H("r", r) || H("w", w))[:20]
//
// A reader shows r and H("w", w), a writer H("r", r) and w. The relay computes
// the id from either pair, so nobody can read with the writer's key or write
// with the reader's, nobody can hold a box that is not theirs, and the relay
// needs no user, no clock and no challenge.
//
// # Flow
//
//	reader -> relay:  LISTEN r H(w)                    at most 4 readers a box
//	relay -> reader:  LISTENING box                    nothing is sent before it
//	writer -> relay:  SEND tag H(r) w payload
//	relay -> reader:  MESSAGE box payload              to every reader of the box
//	relay -> writer:  SENT tag | UNSENT tag reason
//	agent -> relay:   PUSH tag .. body                 relay adds its VAPID signature
//	relay -> agent:   PUSHED tag status retry-after
//	agent -> relay:   ADMIT box                        private relays only
//	reader -> relay:  LEAVE box
//	relay -> any:     BYE reason                       then the close code 4000+reason
//
// SENT says "written to the socket of a live reader" and never more: what a
// person did is told by the agent's sealed receipt.
//
// # Frames
//
// One frame is one binary WebSocket message (subprotocol [Subprotocol], no
// compression). Integers are big endian. The first byte is the [Type]:
//
//	 1 LISTEN     r(32) H(w)(32)
//	 2 LISTENING  box(20)
//	 3 SEND       tag(8) H(r)(32) w(32) payload(1..)
//	 4 SENT       tag(8)
//	 5 UNSENT     tag(8) reason(1)
//	 6 MESSAGE    box(20) payload(1..)
//	 7 ADMIT      box(20)
//	 8 PUSH       tag(8) ttl(4, seconds) urgency(1) topic(24) len(2) endpoint body(1..)
//	 9 PUSHED     tag(8) status(2) retry-after(4, seconds)
//	10 LEAVE      box(20)
//	11 BYE        reason(1)
//
// Every frame has exactly one encoding. Parsers refuse a wrong type, a wrong
// length, a value that is not in a table, and whatever is over its limit.
package relay
