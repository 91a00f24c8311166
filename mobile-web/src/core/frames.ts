// The relay's wire, as far as a device speaks it: one frame per WebSocket binary message, the first byte is the type, numbers big endian.

import { FRAME } from "./appendix.ts";
import { type Bytes, concat, FormatError, hex, Reader, Writer } from "./bytes.ts";

export const SUBPROTOCOL = "answerback.relay.v1";
export const MAX_FRAME = 264 << 10;

/** LISTEN: 1 || r(32) || H("w" || w)(32). */
export function listenFrame(r: Bytes, hw: Bytes): Bytes {
  return concat(Uint8Array.of(FRAME.listen), r, hw);
}

/** SEND: 3 || tag(8) || H("r" || r)(32) || w(32) || payload. */
export function sendFrame(tag: Bytes, hr: Bytes, w: Bytes, payload: Bytes): Bytes {
  return new Writer().u8(FRAME.send).bytes(tag).bytes(hr).bytes(w).bytes(payload).done();
}

/** LEAVE: 10 || box(20). */
export function leaveFrame(box: Bytes): Bytes {
  return concat(Uint8Array.of(FRAME.leave), box);
}

/** What a relay says to a device. Boxes and tags are hex, ready to be map keys. */
export type Incoming =
  | { type: "listening"; box: string }
  | { type: "sent"; tag: string }
  | { type: "unsent"; tag: string; reason: number }
  | { type: "message"; box: string; payload: Bytes }
  | { type: "bye"; reason: number };

/** Reads one frame; exact lengths, and only the types that a relay sends to a device. */
export function parseFrame(frame: Bytes): Incoming {
  if (frame.length > MAX_FRAME) throw new FormatError("frame too large");
  const r = new Reader(frame);
  const got = readFrame(r);
  r.end();
  return got;
}

function readFrame(r: Reader): Incoming {
  switch (r.u8()) {
    case FRAME.listening: return { type: "listening", box: hex(r.bytes(20)) };
    case FRAME.sent: return { type: "sent", tag: hex(r.bytes(8)) };
    case FRAME.unsent: return { type: "unsent", tag: hex(r.bytes(8)), reason: reason(r.u8(), 7) };
    case FRAME.message: return { type: "message", box: hex(r.bytes(20)), payload: some(r.rest()) };
    case FRAME.bye: return { type: "bye", reason: reason(r.u8(), 11) };
    default: throw new FormatError("unknown frame type");
  }
}

function reason(n: number, last: number): number {
  if (n < 1 || n > last) throw new FormatError("unknown reason");
  return n;
}

function some(payload: Bytes): Bytes {
  if (payload.length === 0) throw new FormatError("empty message");
  return payload;
}
