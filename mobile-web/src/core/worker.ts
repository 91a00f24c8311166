// Registers the service worker, and tells of a newer one: a new build is loaded when the person says so, never under their finger.

const WORKER = "/sw.js";

interface Policy { createScriptURL(url: string): unknown }
interface PolicyFactory { createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy }

/**
 * The worker's address as the platform wants it: a TrustedScriptURL where there are Trusted Types, else the plain string. It is the only
 * script URL made at run time, and the only one that the policy lets through.
 */
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

export class Worker {
  private registration: ServiceWorkerRegistration | undefined;
  private registering: Promise<void> = Promise.resolve();

  /** Without a service worker (private windows, old browsers) the app works, but not offline. ready: a newer build waits. */
  register(ready: () => void): void {
    if ("serviceWorker" in navigator) this.registering = this.registerNow(ready);
  }

  /** The registration once its worker runs; undefined where there can be none. */
  async running(): Promise<ServiceWorkerRegistration | undefined> {
    await this.registering;
    return this.registration && navigator.serviceWorker.ready;
  }

  private async registerNow(ready: () => void): Promise<void> {
    try {
      this.registration = await navigator.serviceWorker.register(workerURL(), { updateViaCache: "none" });
    } catch {
      return;
    }
    this.registration.addEventListener("updatefound", () => this.follow(this.registration?.installing, ready));
    if (this.newer) ready();
  }

  private follow(worker: ServiceWorker | null | undefined, ready: () => void): void {
    worker?.addEventListener("statechange", () => {
      if (this.newer) ready();
    });
  }

  /** A newer build is there, and this page still runs an older one. */
  get newer(): boolean {
    return Boolean(this.registration?.waiting && navigator.serviceWorker.controller);
  }

  /** Looks for a newer build. */
  look(): void {
    void this.registration?.update().catch(() => undefined);
  }

  /** Hands over to the newer build and loads the page from it. */
  use(): void {
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    this.registration?.waiting?.postMessage("use-new-version");
  }
}
