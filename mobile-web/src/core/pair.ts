// Pairs with a machine: drives the handshake (pairing.ts) over the pairing's own mailboxes, tests the storage before anything is made for
// keeping, asks the person once, shows the digits, and keeps what came of it.

import { delay, GREET, Sleep } from "./backoff.ts";
import { type Bytes, hex } from "./bytes.ts";
import type { Bundle } from "./bundle.ts";
import { hash } from "./kdf.ts";
import type { Link, Links } from "./link.ts";
import { boxOf } from "./mailbox.ts";
import { parseRoster } from "./messages.ts";
import { type Offer } from "./offer.ts";
import { DevicePairing, PairError, type Paired, type PairEvent, type SignKey } from "./pairing.ts";
import type { MachineRecord } from "./records.ts";
import { keepsKeys } from "./selftest.ts";
import type { Store } from "./store.ts";
import { markOf, type Target } from "./subscription.ts";
import type { NewPasskey, Pairing, PairStep } from "./types.ts";

/** Without a connection to the relay; with one, but nobody listens behind the code. */
const UNREACHABLE_IN = 20_000, UNUSED_IN = 10_000;

/** Whether a passkey can be made for this page: browsers make none for an address of numbers, nor in an insecure page. */
const makesPasskeys = (host = location.hostname): boolean => isSecureContext && "PublicKeyCredential" in globalThis && !/^\[|^[\d.]+$/.test(host);

export interface PairAround {
  store: Store;
  links: Links;
  /** What this device calls its platform: "iOS", "Android", ... */
  platform: string;
  /** Where pushes through this relay reach the device; undefined while they are off. */
  push(relay: string): Promise<Target | undefined>;
  /** A machine was paired and kept. */
  paired(machine: MachineRecord): void;
}

/** Starts a pairing; every step, the last one too, comes by onStep. */
export function pair(around: PairAround, offer: Offer, deviceName: string, onStep: (s: PairStep) => void): Pairing {
  const attempt = new Attempt(around, offer, deviceName, onStep);
  void attempt.run();
  return { confirm: (passkey) => attempt.agree(true, passkey), cancel: () => attempt.agree(false) };
}

class Attempt {
  private readonly events: PairEvent[] = [];
  private fault: unknown;
  private readonly sleep = new Sleep();
  private queue: Promise<void> = Promise.resolve();
  private agreed: boolean | undefined;
  private passkey: NewPasskey | undefined;
  private name: string | undefined;
  private over = false;

  constructor(private readonly around: PairAround, private readonly offer: Offer, private readonly deviceName: string, private readonly step: (s: PairStep) => void) {}

  /** The person's word on "Pair with ...?", and the passkey that they made there; a no at any time ends it. */
  agree(yes: boolean, passkey?: NewPasskey): void {
    if (this.agreed === undefined) this.passkey = passkey;
    this.agreed = yes;
    if (!yes) this.fault = new PairError("cancelled");
    this.sleep.wake();
  }

  async run(): Promise<void> {
    this.tell({ at: "connecting" });
    const { link, release } = this.around.links.use(this.offer.relay);
    try {
      await this.handshake(link);
    } catch (e) {
      if (!(e instanceof PairError)) console.warn("answerback: the pairing failed", e);
      this.tell({ at: "stopped", why: e instanceof PairError ? e.stop : "bad", ...(this.name === undefined ? {} : { name: this.name }) });
    } finally {
      this.over = true;
      release();
    }
  }

  private tell(step: PairStep): void {
    if (!this.over) this.step(step);
  }

  private async handshake(link: Link): Promise<void> {
    const pairing = await DevicePairing.start(this.offer);
    const leave = await link.listen(pairing.boxes[1], { message: (m) => this.take(pairing, m), listening: () => this.sleep.wake(), lost: () => undefined });
    const to = { hr: (await boxOf(pairing.boxes[2])).hr, w: pairing.boxes[2].w };
    try {
      const { bundle } = await this.until("bundle", () => link.send(to, pairing.hello()), link);
      await this.ask(bundle);
      const key = await newSignKey(), push = await this.around.push(this.offer.relay);
      const msg1 = await pairing.confirm(key, this.deviceName, this.around.platform, push, this.passkey);
      const { digits } = await this.until("digits", () => link.send(to, msg1));
      this.tell({ at: "digits", digits, name: bundle.agentName });
      const { paired } = await this.until("paired", () => link.send(to, msg1));
      await this.keep(paired, key, push);
    } finally {
      leave();
    }
  }

  private take(pairing: DevicePairing, message: Bytes): void {
    this.queue = this.queue.then(async () => {
      const event = await pairing.receive(message);
      if (event) this.events.push(event);
    }).catch((e: unknown) => {
      this.fault ??= e;
    }).finally(() => this.sleep.wake());
  }

  /** Sends the same message until the wanted event comes. link: give up when the relay, or whoever drew the code, cannot be reached. */
  private async until<K extends string>(want: K, send: () => Promise<unknown>, link?: Link): Promise<Extract<PairEvent, Record<K, unknown>>> {
    const start = Date.now();
    for (let tries = 0; ; tries++) {
      if (this.fault !== undefined) throw this.fault;
      const event = this.events.find((e) => want in e);
      if (event) return event as Extract<PairEvent, Record<K, unknown>>;
      const left = link ? start + (link.up ? UNUSED_IN : UNREACHABLE_IN) - Date.now() : Infinity;
      if (left <= 0) throw new PairError(link?.up ? "used" : "unreachable");
      await this.orEvent(send());
      if (!this.events.some((e) => want in e) && this.fault === undefined) await this.sleep.for(Math.min(delay(GREET, tries), left));
    }
  }

  /** Waits for a send to be taken, but no longer than for the next message: the answer may overtake the relay's word. */
  private async orEvent(sent: Promise<unknown>): Promise<void> {
    await Promise.race([sent, this.sleep.for(6000)]);
  }

  private async ask(bundle: Bundle): Promise<void> {
    this.name = bundle.hostName;
    this.tell({ at: "testing" });
    if (!(await keepsKeys())) throw new PairError("no_storage");
    this.tell({ at: "confirm", name: bundle.agentName, host: bundle.hostName, relay: new URL(this.offer.relay).host, passkey: makesPasskeys() });
    while (this.agreed === undefined && this.fault === undefined) await this.sleep.for(60_000);
    if (this.fault !== undefined) throw this.fault;
    this.tell({ at: "testing" });
  }

  private async keep(paired: Paired, key: SignKey, push: Target | undefined): Promise<void> {
    const machine = await record(paired, this.offer.relay, this.deviceName, this.passkey);
    if (push) machine.told = { mark: await markOf(push), at: Date.now() };
    await this.around.store.addMachine(machine, key.privateKey, paired.ratchet);
    this.around.paired(machine);
    this.tell({ at: "paired", machine: machine.id, name: machine.name, host: machine.host });
  }
}

async function newSignKey(): Promise<SignKey> {
  const pair = (await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"])) as CryptoKeyPair;
  return { privateKey: pair.privateKey, publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)) };
}

/** What is kept of a pairing. The roster came with the last message, so the first card can be checked before the first state. */
async function record(p: Paired, relay: string, deviceName: string, passkey: NewPasskey | undefined): Promise<MachineRecord> {
  const members = parseRoster(p.roster), own = members.find((m) => m.id === p.device && m.key === hex(p.deviceKey));
  return {
    id: p.agent, name: p.bundle.agentName, host: p.bundle.hostName, relay, device: p.device, deviceName, agentKey: p.agentKey,
    inbox: p.boxes[1], outbox: p.boxes[2], paired: Date.now(), clockOffset: p.agentClock - Date.now(), stateSeq: 0,
    devices: members.map(({ key: _, ...m }) => ({ ...m, passkey: m.id === p.device && passkey !== undefined, last_seen: 0, paired: 0 })),
    rosters: own?.role === "approver" ? [hex(await hash("roster", p.roster))] : [],
    rules: [], callers: [], pauseUntil: 0, lockScreen: "", lastPush: 0, lastHeard: 0, logSize: 0,
    ...(passkey && { passkey: { id: passkey.id, transports: passkey.transports } }),
  };
}
