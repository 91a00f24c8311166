// One paired machine: greets it, reads what it says, sends what this device has to say. What is read goes through one queue, in order.

import { TYPE } from "./appendix.ts";
import { delay, GREET, Sleep } from "./backoff.ts";
import { type Bytes, FormatError, unhex, utf8 } from "./bytes.ts";
import { type Cards, machineNow } from "./cards.ts";
import { OpenError } from "./kdf.ts";
import type { Link, Links, Sent } from "./link.ts";
import { boxOf } from "./mailbox.ts";
import { parseReceipt, parseSettled, parseState, type State } from "./messages.ts";
import type { End, MachineRecord } from "./records.ts";
import { openFrom, sealTo } from "./sealed.ts";
import { KeyLost, type Store } from "./store.ts";
import type { Receipt, Settled } from "./types.ts";

/** A visible page asks again this often whether the machine is there. */
const REFRESH = 60_000;
/** How long after a state its words on missing and unknown cards wait for messages under way. */
const SETTLE_IN = 1500;
/** How long the word that a card has ended waits for the receipt of our own answer to it. */
const RECEIPT_IN = 3000;
const MAX_ROSTERS = 16;
/** Greetings without a word back until the machine counts as out of reach. */
const SILENT = 3;

export interface Surroundings {
  store: Store;
  cards: Cards;
  links: Links;
  /** A person can see the page now. */
  visible(): boolean;
  changed(): void;
  /** Storage was written: other windows of the app shall read it. */
  wrote(): void;
  /** The link to the machine is up again: whoever waits to send may try at once. */
  reachable(machine: string): void;
}

export class Session {
  /** The link is up and the machine has spoken over it. */
  online = false;
  private queue: Promise<void> = Promise.resolve();
  private readonly release: () => void;
  private readonly link: Link;
  private leave: (() => void) | undefined;
  private readonly pause = new Sleep();
  private greeting = 0;
  /** Messages that opened: whether the machine has spoken since. */
  private words = 0;
  private stopped = false;

  constructor(public record: MachineRecord, private readonly around: Surroundings) {
    ({ link: this.link, release: this.release } = around.links.use(record.relay));
    void this.start();
  }

  private async start(): Promise<void> {
    const leave = await this.link.listen(this.record.inbox, {
      message: (payload) => this.enqueue(payload),
      listening: () => this.listening(),
      lost: () => this.lost(),
    });
    if (this.stopped) leave();
    else this.leave = leave;
  }

  stop(): void {
    this.stopped = true;
    this.greeting++;
    this.pause.wake();
    this.leave?.();
    this.release();
  }

  private get device(): Bytes {
    return unhex(this.record.device, 16);
  }

  /** Seals and sends one message. Never throws for the network; throws KeyLost when the keys are gone. */
  async send(type: number, body: Bytes): Promise<Sent> {
    const to = { hr: (await boxOf(this.record.outbox)).hr, w: this.record.outbox.w };
    return this.link.send(to, await sealTo(this.around.store, this.record.id, this.device, type, body));
  }

  private sendJSON(type: number, json: object): Promise<Sent> {
    return this.send(type, utf8(JSON.stringify(json)));
  }

  private listening(): void {
    void this.greet();
    this.around.reachable(this.record.id);
  }

  private lost(): void {
    this.greeting++;
    this.setOnline(false);
  }

  private setOnline(online: boolean): void {
    if (this.online === online) return;
    this.online = online;
    this.around.changed();
  }

  /** Says hello until the machine speaks, then now and then while somebody looks. A new greeting ends the one before. */
  async greet(): Promise<void> {
    const mine = ++this.greeting;
    this.pause.wake();
    for (let tries = 0; mine === this.greeting; tries++) {
      const before = this.words;
      const sent = await this.sendJSON(TYPE.hello, { app: __BUILD__, protocols: [1], visible: this.around.visible() }).catch((e) => this.lostKeys(e));
      if (mine !== this.greeting) return;
      if (typeof sent === "object" || tries >= SILENT) this.setOnline(false);
      await this.pause.for(delay(GREET, tries));
      if (this.words === before) continue;
      tries = -1;
      do await this.pause.for(REFRESH); while (mine === this.greeting && !this.around.visible());
    }
  }

  /** The browser dropped a key of this machine's: nothing can be read or signed any more. */
  private lostKeys(e: unknown): "offline" {
    if (e instanceof KeyLost) {
      this.record.trouble = "keys";
      this.setOnline(false);
      this.around.changed();
    }
    return "offline";
  }

  /** The page came into view: what is open has been seen, and what is known may be old. */
  shown(): void {
    if (this.link.up) void this.greet();
    for (const h of this.around.cards.open(this.record.id)) this.seen(h.card.request_id);
  }

  private seen(requestId: string): void {
    void this.sendJSON(TYPE.seen, { request_id: requestId, visible: this.around.visible() }).catch(() => undefined);
  }

  private enqueue(payload: Bytes): void {
    this.queue = this.queue.then(() => this.read(payload)).catch((e: unknown) => {
      // Noise in the box, or a message of another version: nothing is known by it.
      this.lostKeys(e);
      if (!(e instanceof OpenError || e instanceof FormatError || e instanceof KeyLost)) console.warn("answerback: a message could not be taken in", e);
    });
  }

  private async read(payload: Bytes): Promise<void> {
    if (this.stopped) return;
    const message = await openFrom(this.around.store, this.record.id, this.device, payload);
    this.words++;
    this.record.lastHeard = Date.now();
    this.setOnline(true);
    switch (message.type) {
      case TYPE.card: return this.readCard(message.body);
      case TYPE.receipt: return this.readReceipt(parseReceipt(message.body));
      case TYPE.settled: return this.readSettled(parseSettled(message.body));
      case TYPE.state: return this.readState(parseState(message.body));
    }
  }

  private async change(change: (m: MachineRecord) => void): Promise<void> {
    const { id, lastHeard } = this.record;
    const record = await this.around.store.changeMachine(id, (m) => {
      m.lastHeard = lastHeard;
      change(m);
    });
    if (record) this.record = record;
    this.around.changed();
    this.around.wrote();
  }

  private async readCard(body: Bytes): Promise<void> {
    if (this.record.trouble === "version") return;
    const { held, fresh } = await this.around.cards.add(this.record, body);
    if (!fresh) return;
    this.around.wrote();
    this.seen(held.card.request_id);
    await this.change((m) => {
      m.logSize = Math.max(m.logSize, held.card.log.size);
      if (held.record.logCut) m.trouble = "log";
    });
    if (!this.record.rosters.includes(held.card.roster_hash)) void this.greet(); // its state will say which roster that is
  }

  /** Only a receipt that names the bytes that were sent says anything. */
  private async readReceipt(receipt: Receipt): Promise<void> {
    const held = this.around.cards.get(this.record.id, receipt.request_id), answer = held?.answer;
    if (!held || !answer || answer.hash !== receipt.answer) return;
    if (receipt.outcome !== "counted") {
      return this.end(receipt.request_id, { at: "receipt", decision: answer.decision, receipt });
    }
    const kept = await this.around.store.changeAnswer(this.record.id, receipt.request_id, (a) => void (a.receipt = receipt));
    if (kept) this.around.cards.answered(kept);
    this.around.wrote();
  }

  /** A card ends once, and its id is never used again, so an old "settled" that comes again says nothing new. */
  private async readSettled(settled: Settled): Promise<void> {
    const held = this.around.cards.get(this.record.id, settled.request_id);
    if (!held) return;
    const end = (): Promise<void> => this.end(settled.request_id, { at: "settled", settled });
    if (held.answer && !held.answer.receipt && !held.record.end) setTimeout(() => void end(), RECEIPT_IN);
    else await end();
  }

  private async end(requestId: string, end: End): Promise<void> {
    if (await this.around.cards.end(this.record, requestId, end)) this.around.wrote();
  }

  private async readState(s: State): Promise<void> {
    if (s.seq <= this.record.stateSeq) return; // a repetition, or another window was first and will say so
    const offset = s.time - Date.now();
    await this.change((m) => {
      if (s.seq > m.stateSeq) takeState(m, s, offset);
    });
    setTimeout(() => void this.compare(s), SETTLE_IN);
  }

  /** Cards that the machine no longer holds open were withdrawn while we were away; those that we lack are fetched. */
  private async compare(s: State): Promise<void> {
    if (this.stopped || s.seq < this.record.stateSeq) return;
    for (const { card, answer } of this.around.cards.open(this.record.id)) {
      if (answer || s.open.includes(card.request_id) || card.made >= s.time) continue;
      const settled: Settled = { seq: s.seq, request_id: card.request_id, outcome: machineNow(this.record) >= card.expires ? "expired" : "withdrawn", time: s.time };
      await this.end(card.request_id, { at: "settled", settled });
    }
    for (const id of s.open) if (!this.around.cards.get(this.record.id, id)) void this.sendJSON(TYPE.fetch, { request_id: id }).catch(() => undefined);
  }
}

function takeState(m: MachineRecord, s: State, offset: number): void {
  Object.assign(m, {
    stateSeq: s.seq, name: s.agent, host: s.host, clockOffset: offset, devices: s.devices, rules: s.rules, callers: s.callers, pauseUntil: s.pause_until,
    lockScreen: s.lock_screen, lastPush: s.last_push, push: s.push, logSize: s.log.size,
  });
  const approver = s.devices.some((d) => d.id === m.device && d.role === "approver");
  if (approver && !m.rosters.includes(s.roster_hash)) m.rosters = [...m.rosters, s.roster_hash].slice(-MAX_ROSTERS);
  if (!s.protocols.includes(1)) m.trouble = "version";
  else if (!s.devices.some((d) => d.id === m.device)) m.trouble = "removed";
  else if (m.trouble === "version" || m.trouble === "removed") delete m.trouble;
}
