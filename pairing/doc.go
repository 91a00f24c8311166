// Package pairing is the handshake by which a device becomes one that an agent
// listens to: the offer in the QR code, and two state machines, AgentSide and
// DeviceSide. Bytes go in and bytes come out; whoever dials, waits, draws or
// asks a person is elsewhere. Times are milliseconds since 1970 UTC and are
// given, as is randomness.
//
// The code carries a 256-bit secret s by light and a fingerprint of what the
// agent will say first. Messages go through two mailboxes whose keys follow from
// s (PairBoxes):
//
//	device                                    agent
//	hello                              ->
//	                                   <-     bundle: its keys, a commitment, names
//	"Pair with <agent> on <host>?"
//	msg1: keys, name, signature        ->     the first valid one locks the code
//	                                   <-     msg2: the committed nonce, signature
//	shows six digits                          the person types them here
//	                                   <-     msg3: the roster, the agent's clock
//
// Two things make the six digits mean something. The agent commits to its nonce
// before it sees anything of the device, so nobody can choose a nonce that gives
// other digits; and it signs the transcript, so a phone shows digits only for
// the agent whose code it scanned. A photo of the code is worth nothing: its
// thief locks it first and the rightful phone shows no digits, or comes second
// and aborts it. Whoever reads a thief's digits to the person still wins.
//
// The six digits only confirm. Every key comes from s and an X25519 exchange, so
// a recording of the whole pairing gives nothing to guess at.
//
// Nothing repeats by itself: a side sends its last message again until it hears
// the next one, and both sides answer a repeated message with the same bytes.
package pairing
