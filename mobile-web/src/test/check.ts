// What the vector runners share: a case, and the fault word that an error of the core stands for.

import { KeyError, SuiteError } from "../core/bundle.ts";
import { FormatError, hex } from "../core/bytes.ts";
import { SizeError } from "../core/envelope.ts";
import { OpenError } from "../core/kdf.ts";
import { OfferError } from "../core/offer.ts";
import { DayError } from "../core/ratchet.ts";

export interface Case { name: string; expect: string }

/** Runs one case of its file; throws when it comes out otherwise than the case says. */
export type Runner = (c: never) => Promise<void>;

export function same(what: string, have: unknown, want: unknown): void {
  if (have !== want) throw new Error(`${what}: have ${JSON.stringify(have)}, want ${JSON.stringify(want)}`);
}

/** A value of one function: "ok" is the right one, "differs" is what a plausible mistake would give. */
export function value(c: { expect: string; out: string }, have: string | Uint8Array): void {
  const text = typeof have === "string" ? have : hex(have);
  if (c.expect === "ok") same("value", text, c.out);
  else if (c.expect !== "differs" || text === c.out) throw new Error(`the value of a mistake came out: ${text}`);
}

/** The word of a refusal; plain is the word for a FormatError in this file. */
export function faultOf(e: unknown, plain: string): string {
  const words: [new (m?: string) => Error, string][] = [
    [SizeError, "size"], [DayError, "day"], [OpenError, "open"], [KeyError, "key"], [SuiteError, "version"], [OfferError, "offer"], [FormatError, plain],
  ];
  const word = words.find(([type]) => e instanceof type)?.[1];
  if (word === undefined) throw e;
  return word;
}

/** Runs what may be refused, and holds the outcome to the case's word. Undefined: it was refused, rightly. */
export async function outcome<T>(c: Case, plain: string, run: () => T | Promise<T>): Promise<T | undefined> {
  let got: T;
  try {
    got = await run();
  } catch (e) {
    same("outcome", faultOf(e, plain), c.expect);
    return undefined;
  }
  same("outcome", "ok", c.expect);
  return got;
}
