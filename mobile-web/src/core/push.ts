// Pushes, as the page has to do with them: asks the person (in a tap only), keeps the one subscription alive, tells every machine of it, and
// has notifications of calls that were answered here taken away. Loaded after the first screen.

import { TYPE } from "./appendix.ts";
import type { Tidy } from "./notices.ts";
import { mustInstall } from "./platform.ts";
import type { MachineRecord } from "./records.ts";
import type { Session } from "./session.ts";
import type { Store } from "./store.ts";
import { announcement, markOf, NOWHERE, relayKey, subscribe, type Target, targetOf, want, type Wanted, wanted } from "./subscription.ts";
import type { PushState, Waiting } from "./types.ts";

/** A machine is told again after so long: it may have lost what it was told. */
const AGAIN = 86_400_000;
/** A machine that says after so long that it has no subscription has lost it. */
const HEARD = 10_000;
/** Wait before a machine that did not take it is told again. */
const PAUSE = 15_000;

export interface PushAround {
  store: Store;
  /** The app's own origin: whose relay counts while no machine is paired. */
  origin: string;
  /** The app's service worker once it runs; undefined where there is none. */
  running(): Promise<ServiceWorkerRegistration | undefined>;
  sessions(): Iterable<Session>;
  changed(): void;
}

export class Push {
  private registration: ServiceWorkerRegistration | undefined;
  private wanted: Wanted | undefined;
  /** The relay's key; undefined: not known; "": it sends no pushes. */
  private key: string | undefined;
  private now: { target: Target; mark: string } | undefined;
  private readonly tried = new Map<string, { mark: string; at: number }>();
  /** Calls on the screen that no longer wait. */
  private over = 0;
  private healed = false;
  private working: Promise<void> = Promise.resolve();

  private constructor(private readonly around: PushAround) {}

  /** Reads how things stand; where pushes were on, makes sure that they still are. Asks nobody anything. */
  static async start(around: PushAround): Promise<Push> {
    const push = new Push(around);
    await push.read();
    return push;
  }

  private async read(): Promise<void> {
    if (mustInstall() || !possible()) return;
    this.registration = await this.around.running();
    this.tidy(true);
    this.wanted = await wanted(this.around.store);
    this.key = await relayKey(this.relay());
    if (this.wanted && Notification.permission === "granted") await this.renew(false);
    else this.now = { target: NOWHERE, mark: "" };
  }

  get state(): PushState {
    if (mustInstall()) return "needs_install";
    if (this.registration === undefined || this.key === "") return "unsupported";
    if (Notification.permission === "denied") return "denied";
    if (this.wanted === undefined || Notification.permission !== "granted") return "off";
    return this.now === undefined || this.broken() ? "repair" : "on";
  }

  /** A machine that was told of the present subscription, and has had the time to hear of it, says that it does not work. */
  private broken(): boolean {
    const silent = (m: MachineRecord): boolean => m.push !== undefined && m.push !== "good" && m.told?.mark === this.now?.mark && Date.now() - (m.told?.at ?? 0) > HEARD;
    return this.now !== undefined && this.now.mark !== "" && [...this.around.sessions()].some((s) => s.online && silent(s.record));
  }

  /** Whose key counts: the relay that it was made for while a machine is behind it, else the oldest machine's. */
  private relay(): string {
    const machines = [...this.around.sessions()].map((s) => s.record).sort((a, b) => a.paired - b.paired);
    const kept = machines.find((m) => m.relay === this.wanted?.relay) ?? machines[0];
    return kept?.relay ?? this.around.origin;
  }

  /** In a tap. The browser's question comes first: it must not wait for anything. */
  async enable(): Promise<PushState> {
    const before = this.state;
    if (before !== "off" && before !== "on" && before !== "repair") return before;
    if ((await Notification.requestPermission()) !== "granted") return this.changed();
    await this.queue(() => this.renew(before === "repair"));
    return this.changed();
  }

  private changed(): PushState {
    this.around.changed();
    return this.state;
  }

  /** One thing at a time: two subscriptions made at once would each undo the other. */
  private queue(work: () => Promise<void>): Promise<void> {
    this.working = this.working.then(work, work);
    return this.working;
  }

  /** The subscription with the relay's present key, and the wish for it kept. A browser that refuses leaves a state that says so. */
  private async renew(fresh: boolean): Promise<void> {
    const relay = this.relay(), key = (await relayKey(relay)) ?? this.wanted?.key;
    this.key = key;
    if (key === undefined || key === "" || this.registration === undefined) return;
    this.wanted = { relay, key };
    await want(this.around.store, this.wanted);
    try {
      const target = targetOf(await subscribe(this.registration.pushManager, key, fresh));
      this.now = { target, mark: await markOf(target) };
    } catch (e) {
      console.warn("answerback: no push subscription", e);
      this.now = undefined;
    }
  }

  async disable(): Promise<void> {
    await this.queue(async () => {
      await want(this.around.store, undefined);
      this.wanted = undefined;
      this.now = { target: NOWHERE, mark: "" };
      const subscription = await this.registration?.pushManager.getSubscription();
      await subscription?.unsubscribe().catch(() => false);
    });
    this.changed();
  }

  /** A machine was unpaired. One that could not be told would go on pushing, so the subscription that it knows ends. */
  async parted(told: boolean): Promise<void> {
    this.tidy(true);
    if (this.wanted === undefined) return;
    if ([...this.around.sessions()].length === 0) return this.disable();
    if (!told) await this.queue(() => this.renew(true));
    this.changed();
  }

  /** Where pushes through this relay reach the device. Through one with another key than the subscription's they do not. */
  async target(relay: string): Promise<Target | undefined> {
    const { wanted, now } = this;
    if (wanted === undefined || now === undefined) return undefined;
    return relay === wanted.relay || (await relayKey(relay)) === wanted.key ? now.target : undefined;
  }

  /** The page came into view: the subscription may have died, and what the notifications said is on the screen now. */
  look(): void {
    this.tidy(true);
    if (this.wanted && Notification.permission === "granted") void this.queue(() => this.renew(false)).then(() => this.changed());
  }

  /** Something changed: machines that are there are told what they do not know yet. */
  follow(waiting: readonly Waiting[]): void {
    const over = waiting.filter((w) => w.progress.at !== "open").length;
    if (over > this.over) this.tidy(false);
    this.over = over;
    this.heal();
    for (const session of this.around.sessions()) if (session.online && this.stale(session.record)) void this.tell(session).catch(() => undefined);
  }

  /** A subscription that a push service refuses, or has forgotten, is replaced without being asked: once, or two faults would chase each other. */
  private heal(): void {
    if (this.healed || this.wanted === undefined || Notification.permission !== "granted" || !this.broken()) return;
    this.healed = true;
    void this.queue(() => this.renew(true)).then(() => this.changed());
  }

  private tidy(seen: boolean): void {
    this.registration?.active?.postMessage({ tidy: { seen } } satisfies Tidy);
  }

  private stale(m: MachineRecord): boolean {
    if (this.now === undefined) return false;
    const { mark } = this.now, last = this.tried.get(m.id);
    if (last?.mark === mark && Date.now() - last.at < PAUSE) return false;
    return m.told?.mark !== mark && (mark !== "" || m.told !== undefined) || (mark !== "" && Date.now() - (m.told?.at ?? 0) > AGAIN);
  }

  private async tell(session: Session): Promise<void> {
    const { store } = this.around, m = session.record;
    this.tried.set(m.id, { mark: this.now!.mark, at: Date.now() });
    setTimeout(() => this.around.changed(), PAUSE + 100);
    const target = (await this.target(m.relay)) ?? NOWHERE, mark = await markOf(target);
    if (mark === "" && m.told === undefined) return;
    if ((await session.send(TYPE.push, await announcement(store, m, target))) !== "sent") return;
    const told = { mark, at: Date.now() };
    await store.changeMachine(m.id, (r) => void (r.told = told));
    session.record.told = told;
  }
}

/** What a browser needs for pushes. */
const possible = (): boolean => "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
