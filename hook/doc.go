// Package hook is the small process that a caller starts to ask, and the
// frames that it speaks with the agent.
//
// The process reads the caller's JSON from standard input without looking
// into it, writes one CALL to the agent's socket, and waits on that same
// connection for one VERDICT, which it prints. It holds no other state. When
// no whole VERDICT arrives, whatever the reason, it prints the constant bytes
// of the table in fallback.go: that caller's no opinion, which is never an
// Allow.
//
// The package uses the standard library only (and x/sys on macOS, for the
// peer's uid), no JSON, and reads no environment: it must start in about a
// millisecond, and it must not be able to fail in a caller's dialect. What a
// call means is known to the agent alone, through package hook/caller.
//
// # Frames
//
// Every frame is
//
//	type(1) || len(4) || body(len)
//
// with big endian integers, except BEAT, which is its type byte alone. A
// string is len(2) || UTF-8. Type 0 and every type not listed are refused.
//
//	1 CALL         hook -> agent   version(1) || str caller || str event || flags(1)
//	                               || wait_ms(4) || elapsed_ms(4) || stdin_len(4) || stdin
//	2 HELD         agent -> hook   version(1) || request_id(16) || wait_ms(4)
//	3 BEAT         agent -> hook   no length and no body
//	4 VERDICT      agent -> hook   exit(1) || len(4) || stdout || len(4) || stderr
//	5 UNSUPPORTED  agent -> hook   version(1), the one that the agent speaks
//	6 CONTROL      CLI  -> agent   a JSON object; JSON lines follow both ways
//
// One conversation: CALL, then HELD within 5 s of the hook's start, then a
// BEAT every second, then one VERDICT. A VERDICT may come without HELD, when
// the agent needs to ask nobody. Both waits, the one in CALL and the one in
// HELD, are counted from the start of the hook process.
package hook
