// The worker's handlers for pushes and notifications, by name. Each keeps the worker awake until its work is done.

import type { Bytes } from "../core/bytes.ts";
import type { Carried, Tidy } from "../core/notices.ts";
import { announce } from "./announce.ts";
import { arrive } from "./arrive.ts";
import { clicked } from "./click.ts";
import { tidy } from "./tidy.ts";

export function onPush(event: PushEvent): void {
  event.waitUntil(arrive(payloadOf(event)));
}

/** The bytes as they were sealed; a push without any is one that cannot be read. */
function payloadOf(event: PushEvent): Bytes {
  return new Uint8Array(event.data?.arrayBuffer() ?? new ArrayBuffer(0));
}

export function onNotificationClick(event: NotificationEvent): void {
  const { tag, data } = event.notification;
  event.waitUntil(clicked(tag, event.action, (data ?? { at: "note", machine: "", request: "" }) as Carried));
}

/** Swept away: the call waits on, and nobody is told. */
export function onNotificationClose(): void {
  // nothing: no decision is read out of it
}

/** The browser made the subscription void. */
export function onPushSubscriptionChange(event: ExtendableEvent): void {
  event.waitUntil(announce());
}

/** The page says that calls were answered or ended in the app. */
export function onTidy(event: ExtendableMessageEvent): void {
  const asked = (event.data as Partial<Tidy> | null)?.tidy;
  if (asked) event.waitUntil(tidy(asked.seen));
}
