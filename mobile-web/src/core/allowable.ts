// Whether a card may offer an Allow. The first half judges the card by itself, as agent/card does, so an Allow that should not have been
// offered is refused by the agent too; the second half is what only this device knows.

import { scanHalves, type Value } from "./json.ts";
import type { Card, NoAllow } from "./types.ts";
import { hiddenKind } from "./visible.ts";

/** Only what can be shown whole, read and judged can be allowed. */
export function cardNoAllow(card: Card): NoAllow | undefined {
  if (card.cut !== undefined) return "too_large";
  if (card.kind === "admin") return undefined;
  if (/^\p{White_Space}*$/u.test(card.input)) return "empty";
  let v: Value;
  try {
    v = scanHalves(card.input);
  } catch {
    return "undecodable";
  }
  if (v.kind === "null") return "empty";
  if (v.kind !== "object") return "undecodable";
  return blank(v) || v.members.some((m) => COMMANDS.includes(m.name.toLowerCase()) && blank(m.value)) ? "empty" : undefined;
}

/** Members that hold what will run: where one is blank, whatever stands beside it is decoration. */
const COMMANDS = ["command", "cmd", "script", "code"];

/** Nothing in it that a person could judge. */
function blank(v: Value): boolean {
  switch (v.kind) {
    case "null": return true;
    case "string": return Array.from(v.text).every((c) => c === " " || !["half", undefined].includes(hiddenKind(c.codePointAt(0)!))); // half a character is shown, and judged
    case "array": return v.items.every(blank);
    case "object": return v.members.every((m) => blank(m.value));
    default: return false;
  }
}

/** How this device may confirm an Allow. */
export type Confirms = "app" | "passkey";

/**
 * How an Allow of this card is confirmed, by the machine's own rule (agent/card, VerifyAnswer): with the passkey where the card says so and,
 * where the machine knows one of this device, for what cannot be taken back, for what the machine asks for itself, and for a rule. Undefined:
 * it cannot be confirmed here. known: the machine lists a passkey of this device; kept: its id is here.
 */
export function confirmedBy(card: Card, rule: boolean, known: boolean, kept: boolean): Confirms | undefined {
  const needed = card.needs.via === "passkey" || (known && (card.class === "destructive" || card.kind === "admin" || rule));
  if (!needed) return "app";
  return known && kept ? "passkey" : undefined;
}

/** What this device knows beside the card. */
export interface Known {
  /** The machine's clock now, as far as we know it, ms. */
  now: number;
  /** The log's head on the card is smaller than one seen, or differs at the same size. */
  logCut: boolean;
  /** This device has answered it, or has shown an Allow for it and lost the card since. */
  already: boolean;
  watcher: boolean;
  /** This device stands, as an approver, in the roster that the card names. */
  listed: boolean;
}

/** Why the card offers no Allow here and now; undefined when it offers one. */
export function noAllow(card: Card, known: Known): NoAllow | undefined {
  if (known.now >= card.expires) return "expired";
  if (known.already) return "already";
  if (known.watcher) return "watcher";
  if (known.logCut) return "log";
  return cardNoAllow(card) ?? (known.listed ? undefined : "roster");
}
