// Byte values of protocol 1, as its Appendix A lists them. 0 is never valid, and an unknown value is refused.

export const SUITE = 1;
export const ENVELOPE = 1;
export const OFFER = 1;
export const VERSION = 1;

/** Which way a message goes; also the number of the mailbox that it lies in. */
export type Direction = 1 | 2;
export const TO_DEVICE = 1, TO_AGENT = 2;

/** Message types in the envelope: below 16 from the agent, above from a device. */
export const TYPE = { card: 1, receipt: 2, settled: 3, state: 4, page: 5, pointer: 6, hello: 17, fetch: 18, seen: 19, answer: 20, push: 21, passkey: 22, admin: 23 } as const;

export function validType(dir: Direction, type: number): boolean {
  return dir === TO_DEVICE ? type >= TYPE.card && type <= TYPE.pointer : type >= TYPE.hello && type <= TYPE.admin;
}

export const DECISION = { allow: 1, deny: 2, answered: 3, hand_back: 4 } as const;

/** How a decision was made: 1 notification, 2 app (both the app's word), 3 passkey (proven). */
export const VIA = { notification: 1, app: 2, passkey: 3 } as const;

/** Pairing messages: the first byte of what lies in a pairing box. */
export const PAIR = { hello: 1, bundle: 2, msg1: 3, msg2: 4, msg3: 5, stop: 6 } as const;

/** Relay frames. */
export const FRAME = { listen: 1, listening: 2, send: 3, sent: 4, unsent: 5, message: 6, admit: 7, push: 8, pushed: 9, leave: 10, bye: 11 } as const;

export const UNSENT = { nobody: 1, slow: 2, large: 3, limited: 4, notAdmitted: 5, draining: 6, timeout: 7 } as const;

/** Name at most 64 bytes, URL and key at most 2,048; numbers at most 2^53 - 1. */
export const MAX = { name: 64, url: 2048, payload: 4096, depth: 64, body: (256 << 10) - 5 } as const;

/** Days ahead of the stored chain that a side can follow. */
export const HORIZON = 400;
export const MS_PER_DAY = 86_400_000;
