// Runs the vectors of single functions: labels, derivation, chain, digits, mailboxes, keys.

import { concat, hex, unhex } from "../core/bytes.ts";
import { validPublicKey, verify } from "../core/ids.ts";
import { checkDigits, expand, extract, hash, hmacKey } from "../core/kdf.ts";
import { label, type Word } from "../core/labels.ts";
import { boxOf } from "../core/mailbox.ts";
import { dayOf, keyBytes, nextChain, type Ratchet, replyBox, topic } from "../core/ratchet.ts";
import { type Case, same, value } from "./check.ts";

interface Value extends Case {
  op: string; word: Word; parts?: string[]; salt?: string; ikm?: string; prk?: string; context?: string; n?: number; chain?: string;
  direction?: 1 | 2; nonce?: string; request?: string; ms?: number; eight?: string; r?: string; w?: string; out: string;
}

const bytes = (s: string | undefined): ReturnType<typeof unhex> => unhex(s ?? "");

/** A ratchet that stands at day 0 with this chain. */
async function standing(chain: string | undefined): Promise<Ratchet> {
  return { stored: 0, newest: 1, chain: await hmacKey(bytes(chain)) };
}

/** Expand takes its key as extract leaves it. */
const prkOf = (c: Value): Promise<CryptoKey> => hmacKey(bytes(c.prk));

const OPS: Record<string, (c: Value) => Promise<string | Uint8Array>> = {
  label: async (c) => label(c.word),
  hash: (c) => hash(c.word, ...(c.parts ?? []).map((p) => unhex(p))),
  expand: async (c) => expand(await prkOf(c), c.word, bytes(c.context), c.n),
  next: async (c) => nextChain((await standing(c.chain)).chain),
  key: async (c) => keyBytes((await standing(c.chain)).chain, c.direction!),
  reply_r: async (c) => (await replyBox(await standing(c.chain), 0, bytes(c.nonce))).r,
  reply_w: async (c) => (await replyBox(await standing(c.chain), 0, bytes(c.nonce))).w,
  topic: async (c) => topic(await standing(c.chain), 0, bytes(c.request)),
  day: async (c) => String(dayOf(c.ms!)),
  digits: async (c) => checkDigits(bytes(c.eight)),
  box: async (c) => (await boxOf({ r: bytes(c.r), w: bytes(c.w) })).id,
};

export async function runValue(c: Value): Promise<void> {
  if (c.op === "extract") return extracts(c);
  const op = OPS[c.op];
  if (!op) throw new Error(`unknown op ${c.op}`);
  value(c, await op(c));
}

/** What extract gives cannot be read, so it is compared by what it derives. */
async function extracts(c: Value): Promise<void> {
  const probe = async (key: CryptoKey): Promise<string> => hex(await expand(key, "root", concat(Uint8Array.of(7))));
  const [have, want] = [await probe(await extract(bytes(c.salt), bytes(c.ikm))), await probe(await hmacKey(bytes(c.out)))];
  same("extracts", have === want, c.expect === "ok");
}

interface KeyCase extends Case { op: string; key: string; message?: string; sig?: string }

/** check: may this key be accepted; verify: is this a signature by it. A key that may not be accepted verifies nothing. */
export async function runKey(c: KeyCase): Promise<void> {
  const key = unhex(c.key), accepted = validPublicKey(key);
  if (c.op === "check") return same("accepted", accepted, c.expect === "ok");
  same("verified", await verify(key, bytes(c.message), bytes(c.sig)), c.expect === "ok");
  same("accepted", accepted, c.expect !== "key");
}
