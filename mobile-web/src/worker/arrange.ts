// Which notifications of one machine are up: one per call, or, when more than a few wait, one line for all of them.

import { machineNow } from "../core/cards.ts";
import type { Held } from "../core/cards.ts";
import type { MachineRecord } from "../core/records.ts";
import type { Desk } from "./desk.ts";
import { close, type Note, show, shown } from "./note.ts";
import { groupNote, groupTag, waitsNote } from "./waits.ts";

/** So many calls of one machine have each a notification of its own. */
const SINGLE = 5;

const waits = (m: MachineRecord) => (h: Held): boolean => h.answer === undefined && machineNow(m) < h.card.expires;

/** Shows one more note of a machine's. waiting: how many calls the machine says are open, where it says so. */
export async function arrange(desk: Desk, m: MachineRecord, note: Note, waiting = 0): Promise<void> {
  const open = desk.cards.open(m.id).filter(waits(m)), up = (await shown()).filter((n) => n.carried.machine === m.id), { lang } = desk.voice;
  const grouped = up.some((n) => n.carried.at === "group"), fresh = note.data.at === "open";
  const singles = up.filter((n) => n.carried.at === "open" && n.tag !== note.tag);
  const pointed = singles.filter((n) => !desk.cards.get(m.id, n.carried.request)).length + (fresh && !desk.cards.get(m.id, note.data.request) ? 1 : 0);
  const n = Math.max(open.length + pointed, waiting);
  if (n > SINGLE) {
    for (const single of [...singles, ...up.filter((u) => u.tag === note.tag)]) single.close();
    return show(groupNote(m, n, desk.voice, !fresh), lang);
  }
  if (grouped) await spread(desk, m, open.filter((h) => h.card.request_id !== note.tag));
  await show(note, lang);
}

/** Few wait again: each has its own notification back, without a sound. */
async function spread(desk: Desk, m: MachineRecord, open: Held[]): Promise<void> {
  await close(groupTag(m.id));
  for (const held of open) await show(waitsNote(m, held, desk.voice, true), desk.voice.lang);
}
