// The day ratchet, device side. chain[d+1] = HMAC(chain[d], "chain" || 1); key[d][dir] = HMAC(chain[d], "key" || dir || 1).
// Stored is the chain of the day before the newest message opened, as a non-extractable HMAC key. The device never looks at its own
// clock here: it seals with the newest day that it has opened and follows up to 400 days, so a wrong clock destroys nothing.

import { type Direction, HORIZON, MS_PER_DAY } from "./appendix.ts";
import { type Bytes, FormatError } from "./bytes.ts";
import { boxKey, hmacKey, mac } from "./kdf.ts";

/** chain = chain[stored]; newest = newest day opened, always stored + 1. */
export interface Ratchet {
  readonly stored: number;
  readonly newest: number;
  readonly chain: CryptoKey;
}

/** Thrown for a day that this side cannot follow. */
export class DayError extends FormatError {
  override name = "DayError";
}

/** The state after pairing: chain 0 belongs to the day before the code's last. */
export async function newRatchet(chain0: Bytes, expires: number): Promise<Ratchet> {
  const day = dayOf(expires);
  if (day < 1) throw new DayError("no day before the first");
  return { stored: day - 1, newest: day, chain: await hmacKey(chain0) };
}

/** The day of a time: whole days since 1970, at most what four bytes hold. */
export function dayOf(ms: number): number {
  return Math.min(Math.floor(ms / MS_PER_DAY), 2 ** 32 - 1);
}

export function nextChain(chain: CryptoKey): Promise<Bytes> {
  return mac(chain, "chain", Uint8Array.of(1));
}

export function keyBytes(chain: CryptoKey, dir: Direction): Promise<Bytes> {
  return mac(chain, "key", Uint8Array.of(dir, 1));
}

async function after(chain: CryptoKey, days: number): Promise<CryptoKey> {
  for (; days > 0; days--) chain = await hmacKey(await nextChain(chain));
  return chain;
}

async function at(r: Ratchet, day: number): Promise<CryptoKey> {
  if (day < r.stored || day - r.stored > HORIZON) throw new DayError("day out of reach");
  return after(r.chain, day - r.stored);
}

/** The AES-GCM key of one day and direction. */
export async function messageKey(r: Ratchet, day: number, dir: Direction): Promise<CryptoKey> {
  return boxKey(await keyBytes(await at(r, day), dir));
}

/** The state after a message of this day opened: the same, or with the stored chain moved up to the day before. */
export async function moved(r: Ratchet, day: number): Promise<Ratchet> {
  if (day <= r.newest) return r;
  return { stored: day - 1, newest: day, chain: await at(r, day - 1) };
}

/** Keys of the one-shot reply box of the device's message with this day and nonce. */
export async function replyBox(r: Ratchet, day: number, nonce: Bytes): Promise<{ r: Bytes; w: Bytes }> {
  const chain = await at(r, day);
  return { r: await mac(chain, "reply", nonce, Uint8Array.of(1)), w: await mac(chain, "reply", nonce, Uint8Array.of(2)) };
}

/** The push topic of a request, by which a card's push is replaced. */
export async function topic(r: Ratchet, day: number, requestId: Bytes): Promise<Bytes> {
  return (await mac(await at(r, day), "topic", requestId)).slice(0, 24);
}
