// The service worker of the tests: the app's own handlers, driven from outside. The browser's tools deliver pushes as text, so a push carries
// its bytes in hex; a tap is an event made here, since only a person's is real. What would open or raise a window is noted. Never shipped.

import { base64url, unhex } from "../core/bytes.ts";
import { arrive } from "../worker/arrive.ts";
import { onNotificationClick, onPushSubscriptionChange, onTidy } from "../worker/handlers.ts";
import { inTurn } from "../worker/note.ts";
import { worker } from "../worker/scope.ts";

/** Notifications that were up once: a tap on one of them can come again. */
const kept = new Map<string, Notification>();
const opened: string[] = [];

Object.defineProperty(worker.clients, "openWindow", { value: async (url: string) => (opened.push(url), null) });

worker.addEventListener("install", (e) => e.waitUntil(worker.skipWaiting()));
worker.addEventListener("activate", (e) => e.waitUntil(worker.clients.claim()));
worker.addEventListener("push", (e) => e.waitUntil(arrive(bytes(e.data?.text() ?? ""))));
worker.addEventListener("message", onTidy);
worker.addEventListener("message", (e) => {
  if (e.ports[0]) e.waitUntil(serve(e.data as Ask, e.ports[0]));
});

function bytes(text: string): ReturnType<typeof unhex> {
  try {
    return unhex(text);
  } catch {
    return new TextEncoder().encode(text); // a push of somebody else's
  }
}

type Ask = { tap: string; action: string } | { opened: true } | { list: true } | { clear: true } | { renew: string };

async function serve(ask: Ask, port: MessagePort): Promise<void> {
  try {
    port.postMessage({ value: await answer(ask) });
  } catch (e) {
    port.postMessage({ error: String(e) });
  }
}

function answer(ask: Ask): unknown {
  if ("tap" in ask) return tap(ask.tap, ask.action);
  if ("renew" in ask) return renew(ask.renew);
  return "list" in ask ? list() : "clear" in ask ? clear() : opened;
}

/** The browser makes the subscription void and gives another. */
async function renew(endpoint: string): Promise<string> {
  const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]), point = await crypto.subtle.exportKey("raw", pair.publicKey);
  let asked = "";
  Object.assign(PushManager.prototype, {
    getSubscription: async () => null,
    subscribe: async (o: { applicationServerKey: Uint8Array }) => (asked = base64url(o.applicationServerKey), { endpoint, options: { applicationServerKey: null }, getKey: (name: string) => (name === "auth" ? new ArrayBuffer(16) : point) }),
  });
  const event = new ExtendableEvent("pushsubscriptionchange"), work: Promise<unknown>[] = [];
  Object.defineProperty(event, "waitUntil", { value: (p: Promise<unknown>) => void work.push(p) });
  onPushSubscriptionChange(event);
  await Promise.all(work);
  return asked;
}

/** What is up. In turn: Chromium takes a notification that is listed while it comes up for one that is gone. */
function list(): Promise<object[]> {
  return inTurn(async () => {
    const all = (await worker.registration.getNotifications()) as (Notification & { actions: { action: string; title: string }[] })[];
    for (const n of all) if (!kept.has(n.tag)) kept.set(n.tag, n);
    return all.map(({ tag, title, body, silent, actions }) => ({ tag, title, body, silent, actions: actions.map((a) => a.action), labels: actions.map((a) => a.title) }));
  });
}

function clear(): Promise<void> {
  return inTurn(async () => (await worker.registration.getNotifications()).forEach((n) => n.close()));
}

/** One tap; resolves when all that the handler asked to be waited for is done. */
async function tap(tag: string, action: string): Promise<boolean> {
  await list();
  const notification = kept.get(tag);
  if (!notification) throw new Error(`no notification ${tag}`);
  const event = new NotificationEvent("notificationclick", { notification, action });
  const work: Promise<unknown>[] = [];
  Object.defineProperty(event, "waitUntil", { value: (p: Promise<unknown>) => void work.push(p) });
  onNotificationClick(event);
  await Promise.all(work);
  return work.length > 0;
}
