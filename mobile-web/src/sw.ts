// The service worker: keeps the app's own files so that it opens without a network, and answers for it while it is closed (worker/). It
// holds no call and no answer: those are in IndexedDB, and what comes from a relay is never cached.
/// <reference path="./globals.d.ts" />
import { onNotificationClick, onNotificationClose, onPush, onPushSubscriptionChange, onTidy } from "./worker/handlers.ts";
import { worker } from "./worker/scope.ts";

const CACHE = `answerback-${__BUILD__}`;

/** Everything of this build, or nothing: a half-filled shell would open a broken app. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(__SHELL__.map((path) => new Request(path, { cache: "reload" })));
}

/** Drops the files of earlier builds. Pages that still run one keep what they have loaded. */
async function activate(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("answerback-") && name !== CACHE).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

const PAGES = ["/", "/p", "/P"];

/** A load of one of the app's pages is the shell; the shell's other files are answered from the cache; the rest goes to the network. */
function shellPath(request: Request): string | undefined {
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== worker.location.origin) return undefined;
  if (request.mode === "navigate") return PAGES.includes(url.pathname) ? "/" : undefined;
  return __SHELL__.includes(url.pathname) ? url.pathname : undefined;
}

async function answer(path: string, request: Request): Promise<Response> {
  const kept = await (await caches.open(CACHE)).match(path);
  return kept ?? fetch(request);
}

function onInstall(event: ExtendableEvent): void {
  event.waitUntil(install());
}

function onActivate(event: ExtendableEvent): void {
  event.waitUntil(activate());
}

function onFetch(event: FetchEvent): void {
  const path = shellPath(event.request);
  if (path !== undefined) event.respondWith(answer(path, event.request));
}

/** The person tapped "use the new version": see the update note in Settings. */
function onMessage(event: ExtendableMessageEvent): void {
  if (event.data === "use-new-version") event.waitUntil(worker.skipWaiting());
}

worker.addEventListener("install", onInstall);
worker.addEventListener("activate", onActivate);
worker.addEventListener("fetch", onFetch);
worker.addEventListener("message", onMessage);
worker.addEventListener("message", onTidy);
worker.addEventListener("push", onPush);
worker.addEventListener("notificationclick", onNotificationClick);
worker.addEventListener("notificationclose", onNotificationClose);
worker.addEventListener("pushsubscriptionchange", onPushSubscriptionChange as EventListener);
