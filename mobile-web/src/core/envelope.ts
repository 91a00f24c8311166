// One sealed message: version(1) || day(4) || nonce(12) || AES-256-GCM(key[day][dir], aad = version || day || device_id, padded plaintext).

import { type Direction, ENVELOPE, TO_AGENT, TO_DEVICE, validType } from "./appendix.ts";
import { type Bytes, concat, FormatError, Writer } from "./bytes.ts";
import { NONCE, openBox, sealBox, TAG } from "./kdf.ts";
import { LARGEST, pad, SMALLEST, unpad } from "./padding.ts";
import { messageKey, moved, type Ratchet } from "./ratchet.ts";

const HEAD = 5, OVERHEAD = HEAD + NONCE + TAG;

/** Thrown for what is too short or too long to be a message. */
export class SizeError extends FormatError {
  override name = "SizeError";
}

export interface Message { type: number; body: Bytes; day: number; nonce: Bytes }

/** Seals for the agent, with the newest day opened. */
export function seal(r: Ratchet, device: Bytes, type: number, body: Uint8Array): Promise<Bytes> {
  return sealWith(r, device, TO_AGENT, r.newest, type, body);
}

/** The nonce of a sealed message. */
export const nonceOf = (sealed: Bytes): Bytes => sealed.slice(HEAD, HEAD + NONCE);

/** Seals with a chosen direction and day: seal's other half, and what a test of both ends needs. */
export async function sealWith(r: Ratchet, device: Bytes, dir: Direction, day: number, type: number, body: Uint8Array): Promise<Bytes> {
  if (!validType(dir, type)) throw new FormatError("unknown message type");
  const head = new Writer().u8(ENVELOPE).u32(day).done();
  const key = await messageKey(r, day, dir);
  return concat(head, await sealBox(key, pad(type, body), concat(head, device)));
}

/**
 * Opens a message from the agent. Returns it with the ratchet's next state, which the caller must keep; nothing moves unless it
 * opens. Throws SizeError, FormatError, DayError or OpenError.
 */
export function open(r: Ratchet, device: Bytes, sealed: Bytes): Promise<{ message: Message; next: Ratchet }> {
  return openWith(r, device, TO_DEVICE, sealed);
}

export async function openWith(r: Ratchet, device: Bytes, dir: Direction, sealed: Bytes): Promise<{ message: Message; next: Ratchet }> {
  if (sealed.length < SMALLEST + OVERHEAD || sealed.length > LARGEST + OVERHEAD) throw new SizeError("length of no message");
  if (sealed[0] !== ENVELOPE) throw new FormatError("unknown envelope version");
  const head = sealed.slice(0, HEAD);
  const day = new DataView(head.buffer).getUint32(1);
  const key = await messageKey(r, day, dir);
  const { type, body } = unpad(await openBox(key, sealed.slice(HEAD), concat(head, device)));
  if (!validType(dir, type)) throw new FormatError("unknown message type");
  return { message: { type, body, day, nonce: nonceOf(sealed) }, next: await moved(r, day) };
}
