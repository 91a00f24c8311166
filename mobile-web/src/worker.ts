// Registers the service worker. Its address is the only script URL made at run time, and the only one that the Trusted Types
// policy `answerback` lets through.

const WORKER = "/sw.js";

interface Policy { createScriptURL(url: string): unknown }
interface PolicyFactory { createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy }

/** The worker's address as the platform wants it: a TrustedScriptURL where there are Trusted Types, else the plain string. */
function workerURL(): string {
  const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
  if (factory === undefined) return WORKER;
  const policy = factory.createPolicy("answerback", {
    createScriptURL(url) {
      if (url !== WORKER) throw new TypeError("answerback: not the service worker's address");
      return url;
    },
  });
  return policy.createScriptURL(WORKER) as string;
}

/** Registers /sw.js; without one (private windows, old browsers) the app works, but not offline. */
export async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  if (!("serviceWorker" in navigator)) return undefined;
  return navigator.serviceWorker.register(workerURL(), { updateViaCache: "none" }).catch(() => undefined);
}
