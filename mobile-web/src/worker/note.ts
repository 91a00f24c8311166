// One notification: what it carries, and how it comes up. The same tag replaces the one before; WebKit does not do that, so there the old one is
// closed first (elsewhere that would close the new one: it has the same name). Every push shows something: a platform that sees a push
// without a notification takes the subscription away.

import type { Carried } from "../core/notices.ts";
import { worker } from "./scope.ts";

export interface Action { action: "allow" | "deny" | "open"; title: string }

export interface Note {
  tag: string;
  title: string;
  body: string;
  actions: Action[];
  data: Carried;
  /** Says how something ended: no sound, no buzz. */
  silent: boolean;
}

interface FullOptions extends NotificationOptions { actions: Action[] }

const WEBKIT = /AppleWebKit\//.test(navigator.userAgent) && !/Chrom(?:e|ium)\//.test(navigator.userAgent);

let queue: Promise<unknown> = Promise.resolve();

/** One after the other: whoever looks at the notifications and changes them must find them as it saw them. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = queue.then(work);
  queue = done.catch(() => undefined);
  return done;
}

/** The notifications that are up. */
export async function shown(): Promise<{ carried: Carried; tag: string; close(): void }[]> {
  const all = await worker.registration.getNotifications();
  return all.map((n) => ({ carried: (n.data ?? { at: "note", machine: "", request: "" }) as Carried, tag: n.tag, close: () => n.close() }));
}

export async function close(tag: string): Promise<void> {
  for (const old of await worker.registration.getNotifications({ tag })) old.close();
}

export async function show(note: Note, lang: string): Promise<void> {
  if (WEBKIT) await close(note.tag);
  const { title, tag, body, actions, data, silent } = note;
  const options: FullOptions = {
    tag, body, actions, data, silent, lang, dir: "ltr", icon: "/icons/icon-192.png", badge: "/icons/badge-96.png", requireInteraction: data.at === "open" || data.at === "group",
  };
  await worker.registration.showNotification(title, options);
}
