// The push subscription: one for the whole app, made with the relay's VAPID key (RFC 8292), shared by every machine behind that relay.
// Page and service worker make it and announce it in the same way.

import { TYPE } from "./appendix.ts";
import { orderMessage } from "./answer.ts";
import { base64url, type Bytes, equal, FormatError, hex, unbase64url, unhex, utf8 } from "./bytes.ts";
import { sha256 } from "./kdf.ts";
import type { MachineRecord } from "./records.ts";
import type { Store } from "./store.ts";

/** Where a machine pushes to (RFC 8291): the push service's URL, a P-256 point of 65 bytes, 16 bytes of secret. Empty is none. */
export interface Target { endpoint: string; p256dh: Bytes; auth: Bytes }

export const NOWHERE: Target = { endpoint: "", p256dh: new Uint8Array(0), auth: new Uint8Array(0) };

/** settings["push"]: the person wants pushes, from the relay with this key (base64url). */
export interface Wanted { relay: string; key: string }

const WANTED = "push", POINT = 65, SECRET = 16;

export const wanted = (store: Store): Promise<Wanted | undefined> => store.setting<Wanted>(WANTED);
export const want = (store: Store, what: Wanted | undefined): Promise<void> => store.setSetting(WANTED, what);

/** The relay's key; "" says that it sends no pushes, undefined that it did not say. */
export async function relayKey(relay: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${relay}/v1/info`, { cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(8000) });
    const { vapid } = (await response.json()) as { vapid?: unknown };
    if (!response.ok || typeof vapid !== "string") return undefined;
    return vapid === "" || point(unbase64url(vapid)) ? vapid : undefined;
  } catch {
    return undefined; // out of reach, or no relay of ours
  }
}

const point = (b: Uint8Array): boolean => b.length === POINT && b[0] === 4;

/** Whether a subscription was made with this key. A browser that does not say which is believed. */
function madeWith(subscription: PushSubscription, key: Bytes): boolean {
  const had = subscription.options.applicationServerKey;
  return had === null || equal(new Uint8Array(had), key);
}

/**
 * The subscription with this key: the one that is there, else a new one; with fresh, always a new one. A browser keeps one key per app, so
 * one of another key goes first. Rejects where the person or the browser allows none.
 */
export async function subscribe(manager: PushManager, key: string, fresh: boolean): Promise<PushSubscription> {
  const raw = unbase64url(key), old = await manager.getSubscription();
  if (old && !fresh && madeWith(old, raw)) return old;
  await old?.unsubscribe();
  return manager.subscribe({ userVisibleOnly: true, applicationServerKey: raw });
}

/** What machines are told of it. Throws FormatError for one that no machine could use. */
export function targetOf(subscription: PushSubscription): Target {
  const part = (name: PushEncryptionKeyName): Bytes => new Uint8Array(subscription.getKey(name) ?? []);
  const target = { endpoint: subscription.endpoint, p256dh: part("p256dh"), auth: part("auth") };
  if (!point(target.p256dh) || target.auth.length !== SECRET || !/^https?:\/\/[!-~]{1,2000}$/.test(target.endpoint)) throw new FormatError("push: no subscription that can be used");
  return target;
}

/** A target's name, to know whether a machine has been told of this one. */
export async function markOf({ endpoint, p256dh, auth }: Target): Promise<string> {
  return endpoint === "" ? "" : hex(await sha256(utf8(`${endpoint} ${base64url(p256dh)} ${base64url(auth)}`)));
}

/** The signed message that announces a target to one machine, or takes the last one back. */
export async function announcement(store: Store, m: MachineRecord, { endpoint, p256dh, auth }: Target): Promise<Bytes> {
  const json = { endpoint, p256dh: base64url(p256dh), auth: base64url(auth) };
  return orderMessage(await store.signKey(m.id), unhex(m.id), unhex(m.device), TYPE.push, await store.nextSeq(m.id), json);
}
