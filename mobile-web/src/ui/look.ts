// A card as the screens need it: its call read once, and what may be offered. Reading 256 KB takes a while, so it is kept per card.
import { confirmedBy, type Confirms } from "../core/allowable.ts";
import { readCall, type Call } from "./call.ts";
import { questionsOf, type Question } from "./questions.ts";
import { hiddenIn } from "./hidden.ts";
import { remaining } from "./due.tsx";
import { machineOf } from "./store.ts";
import type { Card, NoAllow, Waiting } from "../core/types.ts";
import type { Field } from "./call.ts";

export interface Look {
  call: Call;
  /** Of a question card that can be read. */
  asked?: { questions: Question[]; rest: Field[] } | undefined;
  hidden: boolean;
}

const kept = new WeakMap<Card, Look>();

/** Reads a card, or gives what was read. */
export function look(card: Card): Look {
  const was = kept.get(card);
  if (was !== undefined) return was;
  const call = readCall(card);
  const made: Look = { call, asked: card.kind === "question" ? questionsOf(card.input) : undefined, hidden: hiddenIn(call).total > 0 };
  kept.set(card, made);
  return made;
}

/** The core's reasons against an Allow, and the screen's own: a passkey is needed and this phone has none there. */
export type Against = NoAllow | "no_passkey";

/** How an Allow is confirmed here, with or without a rule; undefined: it cannot be. */
export function confirms(w: Waiting, rule: boolean): Confirms | undefined {
  const m = machineOf(w.machine);
  return m === undefined ? "app" : confirmedBy(w.card, rule, m.devices.some((d) => d.id === m.device && d.passkey), m.passkey);
}

/** Why no Allow can be offered now. */
export function against(w: Waiting): Against | undefined {
  if (w.noAllow !== undefined) return w.noAllow;
  if (remaining(w) <= 0) return "expired";
  if (w.card.cut !== undefined) return "too_large";
  const { call, asked } = look(w.card);
  if (call.broken || (w.card.kind === "question" && asked === undefined)) return "undecodable";
  if (call.empty) return "empty";
  return confirms(w, false) === undefined ? "no_passkey" : undefined;
}

/** With these there is nothing to press at all. */
export const noBar = (why: Against | undefined): boolean => why === "expired" || why === "already" || why === "watcher";

const SHORT = 300, FIELD = 120;

/** A call that a list shows whole: one line, few short fields, nothing hidden. */
export function fitsList(card: Card): boolean {
  const { call, hidden } = look(card);
  const body = call.bodies[0];
  if (card.kind !== "call" || call.doing !== "run" || body?.of !== "text" || hidden) return false;
  return body.lines.length === 1 && body.lines[0]!.length <= SHORT && call.rest.length <= 3 && call.rest.every((f) => f.text.length <= FIELD && !f.text.includes("\n"));
}

/** Allow in a list: a routine call, shown whole there, with nothing more needed. */
export const allowInList = (w: Waiting): boolean =>
  against(w) === undefined && w.card.class === "routine" && w.card.needs.via !== "passkey" && w.card.needs.quorum <= 1 && (w.card.changes?.length ?? 0) === 0 && fitsList(w.card);
