// What a device orders of its own accord: signed, numbered, sent again with the same bytes until the machine's state shows it.

import { TYPE } from "./appendix.ts";
import { orderMessage } from "./answer.ts";
import { delay, RESEND, Sleep } from "./backoff.ts";
import { unhex } from "./bytes.ts";
import type { MachineRecord } from "./records.ts";
import type { Session } from "./session.ts";
import type { Store } from "./store.ts";

const PATIENCE = 20_000;

export type Order =
  | { action: "unpair" } | { action: "resume" } | { action: "test_push" }
  | { action: "remove_device"; device_id: string } | { action: "pause"; minutes: number } | { action: "remove_rule"; rule: number }
  | { action: "lock_screen"; lock_screen: "answer" | "show" | "hide" };

/** Thrown when the machine did not do it in time. It may still: the order is valid when it arrives. */
export class OrderUnanswered extends Error {
  override name = "OrderUnanswered";
}

/** Signs an order once and sends it until done says that the machine's state shows it, or for 20 s. */
export async function order(store: Store, session: Session, what: Order, done: (m: MachineRecord) => boolean): Promise<void> {
  const { id, device } = session.record;
  const message = await orderMessage(await store.signKey(id), unhex(id), unhex(device), TYPE.admin, await store.nextSeq(id), what);
  const until = Date.now() + PATIENCE, sleep = new Sleep();
  for (let tries = 0; Date.now() < until; tries++) {
    const asked = Date.now();
    await session.send(TYPE.admin, message);
    for (const wait = delay(RESEND, tries); Date.now() < asked + wait; await sleep.for(50)) if (done(session.record)) return;
  }
  throw new OrderUnanswered(`answerback: no word from the machine on ${what.action}`);
}

/** Tells the machine that this device goes; one that cannot be reached keeps it in its roster until it is removed there. */
export async function farewell(store: Store, session: Session): Promise<boolean> {
  const { id, device } = session.record;
  const message = await orderMessage(await store.signKey(id), unhex(id), unhex(device), TYPE.admin, await store.nextSeq(id), { action: "unpair" } satisfies Order);
  for (let tries = 0; tries < 3; tries++) if ((await session.send(TYPE.admin, message)) === "sent") return true;
  return false;
}
