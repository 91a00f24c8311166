// The core: machines, cards, answers, pairing. createCore() reads storage, connects, and goes on sending what had no receipt yet.

import { makeAnswer } from "./answering.ts";
import type { Bytes } from "./bytes.ts";
import { Cards, type Held, machineNow } from "./cards.ts";
import { Links } from "./link.ts";
import type { Order } from "./orders.ts";
import { Outbox } from "./outbox.ts";
import { type Page, thisPage } from "./page.ts";
import { ours, pairLater } from "./pair-later.ts";
import type { Push } from "./push.ts";
import type { MachineRecord } from "./records.ts";
import { Session } from "./session.ts";
import { Store } from "./store.ts";
import type { Target } from "./subscription.ts";
import { Worker } from "./worker.ts";
import type { Core, Decision, LockScreen, Machine, NewPasskey, Pairing, PairStep, Past, PushState, Waiting } from "./types.ts";

/** Storage is the truth for every window of the app; this one's picture of it, and its connections. */
class AppCore implements Core {
  private readonly store = new Store();
  private readonly links = new Links();
  private readonly cards = new Cards(this.store, () => this.changed());
  private readonly sessions = new Map<string, Session>();
  private readonly outbox = new Outbox(this.store, this.cards, (id) => this.sessions.get(id));
  private readonly listeners = new Set<() => void>();
  private readonly others = new BroadcastChannel("answerback");
  private readonly worker = new Worker();
  private push: Push | undefined;
  private machineList: Machine[] = [];
  private waitingList: Waiting[] = [];
  private expiry: ReturnType<typeof setTimeout> | undefined;
  private due = false;

  constructor(private readonly page: Page) {}

  async start(): Promise<void> {
    await this.store.tidy(Date.now());
    await this.reload();
    this.others.onmessage = () => void this.reload();
    this.page.onWake(() => this.wake());
    this.worker.register(() => this.changed());
    void this.startPush().catch((e: unknown) => console.warn("answerback: no push", e));
  }

  /** Loaded when the first screen stands: nothing waits for it. */
  private async startPush(): Promise<void> {
    const { Push } = await import("./push.ts");
    const running = (): Promise<ServiceWorkerRegistration | undefined> => this.worker.running();
    this.push = await Push.start({ store: this.store, origin: this.page.origin, running, sessions: () => this.sessions.values(), changed: () => this.changed() });
    this.changed();
  }

  /** Storage as it is now: at start, and when another window wrote. */
  private async reload(): Promise<void> {
    const records = await this.store.machines();
    for (const id of [...this.sessions.keys()]) if (!records.some((m) => m.id === id)) this.drop(id);
    for (const m of records) this.adopt(m);
    await this.cards.load();
    this.outbox.start();
    this.changed();
  }

  /** Takes a machine's record in. One that was paired anew has other keys, so its session is another. */
  private adopt(m: MachineRecord): void {
    const old = this.sessions.get(m.id);
    if (old?.record.device === m.device) {
      old.record = { ...m, lastHeard: Math.max(m.lastHeard, old.record.lastHeard) };
      return;
    }
    if (old) this.drop(m.id);
    const { store, cards, links } = this;
    this.sessions.set(m.id, new Session(m, {
      store, cards, links, visible: () => this.page.visible(), changed: () => this.changed(), wrote: () => this.tellOthers(), reachable: (id) => this.outbox.wake(id),
    }));
  }

  private drop(id: string): void {
    this.sessions.get(id)?.stop();
    this.sessions.delete(id);
    this.cards.forget(id);
  }

  private tellOthers(): void {
    this.others.postMessage("changed");
  }

  private wake(): void {
    this.links.retry();
    this.worker.look();
    this.push?.look();
    for (const session of this.sessions.values()) session.shown();
    this.changed();
  }

  /** Makes the lists new once per turn, however many things changed in it. */
  private changed(): void {
    if (this.due) return;
    this.due = true;
    queueMicrotask(() => {
      this.due = false;
      this.renew();
      for (const listener of [...this.listeners]) listener();
    });
  }

  private renew(): void {
    const records = new Map([...this.sessions].map(([id, s]) => [id, s.record]));
    this.machineList = [...this.sessions.values()].map(view);
    this.waitingList = this.cards.list(records);
    this.push?.follow(this.waitingList);
    clearTimeout(this.expiry);
    const next = this.cards.nextExpiry(records);
    if (next !== undefined) this.expiry = setTimeout(() => void this.expire(), Math.min(Math.max(next - Date.now(), 0) + 50, 2 ** 31 - 1));
  }

  /** Ends the open cards whose time is over and that nobody answered here. */
  private async expire(): Promise<void> {
    for (const { record } of this.sessions.values())
      for (const h of this.cards.open(record.id)) if (!h.answer && machineNow(record) >= h.card.expires) await this.cards.end(record, h.card.request_id, { at: "expired" });
    this.changed();
  }

  private session(machine: string): Session {
    const session = this.sessions.get(machine);
    if (!session) throw new Error("answerback: no such machine");
    return session;
  }

  machines(): Machine[] {
    return this.machineList;
  }

  waiting(): Waiting[] {
    return this.waitingList;
  }

  async history(): Promise<Past[]> {
    return (await this.store.history()).sort((a, b) => b.ended - a.ended);
  }

  subscribe(onChange: () => void): () => void {
    this.listeners.add(onChange);
    return () => this.listeners.delete(onChange);
  }

  pair(link: string, deviceName: string, onStep: (s: PairStep) => void): Pairing {
    const offer = ours(link, this.page.origin);
    void navigator.storage?.persist?.().catch(() => false);
    const push = async (relay: string): Promise<Target | undefined> => this.push?.target(relay);
    return pairLater({ store: this.store, links: this.links, platform: this.page.platform, push, paired: (m) => this.paired(m) }, offer, deviceName, onStep);
  }

  private paired(m: MachineRecord): void {
    this.drop(m.id);
    this.adopt(m);
    this.changed();
    this.tellOthers();
  }

  async answer(machine: string, requestId: string, decision: Decision, extra: { words?: string; rule?: number; answers?: string } = {}): Promise<void> {
    const { record } = this.session(machine), held = this.cards.get(machine, requestId);
    if (!held) throw new Error("answerback: no such card");
    const answer = await makeAnswer(record, held, decision, extra, await this.store.signKey(machine), "app", (challenge) => this.confirm(record, held, challenge));
    await this.store.addAnswer(answer);
    this.cards.answered(answer);
    this.outbox.start();
    this.tellOthers();
  }

  /** Asks the person's passkey. When the card ends meanwhile, the browser's question goes away. */
  private async confirm(m: MachineRecord, held: Held, challenge: Bytes): Promise<Bytes> {
    const stop = new AbortController(), undo = this.subscribe(() => { if (held.record.end) stop.abort(); });
    try {
      const { confirmWith } = await import("./webauthn.ts");
      return await confirmWith(m.passkey!, challenge, held.card.expires - machineNow(m), stop.signal);
    } finally {
      undo();
    }
  }

  async makePasskey(host: string): Promise<NewPasskey> {
    return (await import("./webauthn.ts")).makePasskey(host);
  }

  async unpair(machine: string): Promise<void> {
    const session = this.session(machine), { farewell } = await import("./orders.ts");
    const told = await farewell(this.store, session).catch(() => false);
    await this.store.removeMachine(machine);
    this.drop(machine);
    this.changed();
    this.tellOthers();
    void this.push?.parted(told);
  }

  private async order(machine: string, what: Order, done: (m: MachineRecord) => boolean): Promise<void> {
    const { order } = await import("./orders.ts");
    return order(this.store, this.session(machine), what, done);
  }

  removeDevice(machine: string, device: string): Promise<void> {
    return this.order(machine, { action: "remove_device", device_id: device }, (m) => !m.devices.some((d) => d.id === device));
  }

  pause(machine: string, minutes: number): Promise<void> {
    return this.order(machine, { action: "pause", minutes }, (m) => m.pauseUntil > machineNow(m));
  }

  resume(machine: string): Promise<void> {
    return this.order(machine, { action: "resume" }, (m) => m.pauseUntil <= machineNow(m));
  }

  removeRule(machine: string, rule: number): Promise<void> {
    return this.order(machine, { action: "remove_rule", rule }, (m) => !m.rules.some((r) => r.id === rule));
  }

  setLockScreen(machine: string, choice: Exclude<LockScreen, "">): Promise<void> {
    return this.order(machine, { action: "lock_screen", lock_screen: choice }, (m) => m.lockScreen === choice);
  }

  pushState(): PushState {
    return this.push?.state ?? "unknown";
  }

  async enablePush(): Promise<PushState> {
    return this.push?.enable() ?? "unknown";
  }

  async disablePush(): Promise<void> {
    await this.push?.disable();
  }

  testPush(machine: string): Promise<void> {
    const asked = machineNow(this.session(machine).record);
    return this.order(machine, { action: "test_push" }, (m) => m.lastPush >= asked);
  }

  speaks(language: string): void {
    void this.store.setSetting("language", language).catch(() => undefined);
  }

  retry(): void {
    this.wake();
  }

  newVersion(): boolean {
    return this.worker.newer;
  }

  useNewVersion(): void {
    this.worker.use();
  }

  async about(): Promise<{ build: string; origin: string; persisted: boolean }> {
    const persisted = (await navigator.storage?.persisted?.().catch(() => false)) ?? false;
    return { build: __BUILD__, origin: this.page.origin, persisted };
  }
}

/** A machine as the screens see it. */
function view(s: Session): Machine {
  const { id, name, host, relay, device, deviceName, devices, logSize, lastPush, paired, clockOffset, trouble, rules, callers, pauseUntil, lockScreen, lastHeard } = s.record;
  const m: Machine = { id, name, host, relay, online: s.online, device, deviceName, devices, logSize, lastPush, paired, clockOffset, rules, callers, pauseUntil, lockScreen, lastHeard, passkey: s.record.passkey !== undefined };
  if (trouble !== undefined) m.trouble = trouble;
  return m;
}

/** Reads storage and connects. Rejects when this browser keeps nothing. */
export async function createCore(): Promise<Core> {
  const core = new AppCore(thisPage);
  await core.start();
  return core;
}
