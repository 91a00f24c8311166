// What the page does to the notifications that the service worker showed: those of calls that no longer wait go.

import type { Waiting } from "./types.ts";

/** What every notification of ours carries. open: it waits for an answer; group: several do; ended: it says how one ended; note: anything else. */
export interface Carried { at: "open" | "group" | "ended" | "note"; machine: string; request: string }

const carried = (n: Notification): Partial<Carried> => (n.data ?? {}) as Partial<Carried>;

/** Closes the notifications of calls that were answered, or ended, while the app knows of it. */
export async function clearWaiting(registration: ServiceWorkerRegistration, waiting: readonly Waiting[]): Promise<void> {
  const over = new Set(waiting.filter((w) => w.progress.at !== "open").map((w) => w.card.request_id));
  if (over.size === 0) return;
  const busy = new Set(waiting.filter((w) => w.progress.at === "open").map((w) => w.machine));
  for (const n of await registration.getNotifications()) {
    const { at, machine = "", request = "" } = carried(n);
    if ((at === "open" && over.has(request)) || (at === "group" && !busy.has(machine))) n.close();
  }
}

/** Closes what only told something: a person who looks at the app has it on the screen. */
export async function clearShown(registration: ServiceWorkerRegistration): Promise<void> {
  for (const n of await registration.getNotifications()) if (carried(n).at === "ended" || carried(n).at === "note") n.close();
}
