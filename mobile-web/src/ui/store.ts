// What the core says, as signals: every screen reads from here, and only from here.
import { computed, signal } from "@preact/signals";
import type { Core, Machine, PushState, Waiting } from "../core/types.ts";

export const machines = signal<Machine[]>([]);
export const waiting = signal<Waiting[]>([]);
/** A newer build of the app is ready. */
export const newer = signal(false);
/** Whether pushes reach this phone. */
export const push = signal<PushState>("unknown");

let bound: Core | undefined;

/** The core that answers. */
export function core(): Core {
  if (bound === undefined) throw new Error("ui: no core is bound");
  return bound;
}

/** Reads the core now and at each of its changes; returns the undo. */
export function bind(c: Core): () => void {
  bound = c;
  const read = () => { machines.value = c.machines(); waiting.value = c.waiting(); newer.value = c.newVersion(); push.value = c.pushState(); };
  read();
  return c.subscribe(read);
}

/** A card's identity on this phone: the machine and the request. */
export const keyOf = (w: { machine: string; card: { request_id: string } }): string => `${w.machine}/${w.card.request_id}`;

export const machineOf = (id: string): Machine | undefined => machines.value.find((m) => m.id === id);

/** The machine's clock minus ours. */
export const offsetOf = (id: string): number => machineOf(id)?.clockOffset ?? 0;

/** Its deadline by this phone's clock. */
export const deadline = (w: Waiting): number => w.card.expires - offsetOf(w.machine);

/** Still to be answered here, or answered and not yet settled: what counts as waiting. */
export const isOpen = (w: Waiting): boolean => w.progress.at !== "receipt" && w.progress.at !== "settled" && w.progress.at !== "expired";

/** The cards that wait, nearest deadline first. */
export const open = computed(() => waiting.value.filter(isOpen).sort((a, b) => deadline(a) - deadline(b)));
