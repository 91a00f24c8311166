// One answer, from a tap to the core. Which card and which words are fixed at the tap; a failure says that nothing was sent.
import { signal } from "@preact/signals";
import { core, keyOf } from "./store.ts";
import { said } from "./outcome.tsx";
import { t } from "./i18n.ts";
import type { Decision, Waiting } from "../core/types.ts";

export interface Extra { words?: string; rule?: number; answers?: string }

/** Cards whose answer is being signed now (a passkey may be asked for); their buttons do not listen. */
export const signing = signal<ReadonlySet<string>>(new Set());

/** Why the last try of a card sent nothing, by card. */
export const failed = signal<ReadonlyMap<string, string>>(new Map());

function mark(key: string, busy: boolean): void {
  const next = new Set(signing.value);
  if (busy) next.add(key); else next.delete(key);
  signing.value = next;
}

function note(key: string, why: string | undefined): void {
  const next = new Map(failed.value);
  if (why === undefined) next.delete(key); else next.set(key, why);
  failed.value = next;
}

/** Signs and sends. Resolves true when the answer is on its way. */
export async function answer(w: Waiting, decision: Decision, extra: Extra = {}): Promise<boolean> {
  const key = keyOf(w);
  if (signing.peek().has(key) || w.progress.at !== "open") return false;
  mark(key, true);
  note(key, undefined);
  if (extra.words !== undefined) said.set(w.card.request_id, extra.words);
  try {
    await core().answer(w.machine, w.card.request_id, decision, extra);
    return true;
  } catch (e) {
    const passkey = e instanceof Error && e.name === "NotConfirmed";
    note(key, t(passkey ? "Passkey not confirmed. Nothing was sent." : "This phone could not sign. Nothing was sent."));
    return false;
  } finally { mark(key, false); }
}
