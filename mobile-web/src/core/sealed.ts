// A machine's envelope with its keys in storage: opening moves the day ratchet, under a lock that every window of the app shares.

import type { Bytes } from "./bytes.ts";
import { type Message, nonceOf, open, seal } from "./envelope.ts";
import type { BoxKeys } from "./mailbox.ts";
import { replyBox } from "./ratchet.ts";
import type { Store } from "./store.ts";

/** Opens a message of the machine's and keeps the moved ratchet before anybody acts on the message. */
export function openFrom(store: Store, machine: string, device: Bytes, sealed: Bytes): Promise<Message> {
  return locked(`answerback/ratchet/${machine}`, async () => {
    const before = await store.ratchet(machine);
    const { message, next } = await open(before, device, sealed);
    if (next !== before) await store.moveRatchet(machine, next);
    return message;
  });
}

export async function sealTo(store: Store, machine: string, device: Bytes, type: number, body: Bytes): Promise<Bytes> {
  return seal(await store.ratchet(machine), device, type, body);
}

/** A message whose receipt is to come into a reply box of its own, with that box's keys. */
export async function sealForReply(store: Store, machine: string, device: Bytes, type: number, body: Bytes): Promise<{ sealed: Bytes; reply: BoxKeys }> {
  const ratchet = await store.ratchet(machine), sealed = await seal(ratchet, device, type, body);
  return { sealed, reply: await replyBox(ratchet, ratchet.newest, nonceOf(sealed)) };
}

async function locked<T>(name: string, work: () => Promise<T>): Promise<T> {
  let out: T | undefined;
  await navigator.locks.request(name, async () => {
    out = await work();
  });
  return out as T;
}
