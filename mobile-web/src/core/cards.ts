// The cards of this phone, as the screens see them: what came, what was answered here, how it ended. Storage is the truth; this is its
// picture in memory.

import { noAllow } from "./allowable.ts";
import type { Bytes } from "./bytes.ts";
import { parseCard } from "./card.ts";
import type { AnswerRecord, CardRecord, End, MachineRecord } from "./records.ts";
import type { Store } from "./store.ts";
import type { Card, Past, Progress, Receipt, Settled, Waiting } from "./types.ts";

/** Where an answer without a receipt stands. */
export type Trying = Extract<Progress, { at: "sending" | "not_delivered" | "no_receipt" }>;

/** One card with all that is known of it. */
export interface Held { record: CardRecord; card: Card; answer?: AnswerRecord; trying?: Trying }

export const keyOf = (machine: string, requestId: string): string => `${machine}/${requestId}`;

/** The machine's clock now, as far as we know it. */
export const machineNow = (m: MachineRecord): number => Date.now() + m.clockOffset;

export class Cards {
  private readonly held = new Map<string, Held>();
  constructor(private readonly store: Store, private readonly changed: () => void) {}

  /** Reads storage again: at start, and when another window wrote. What this window has shown to its end stays. */
  async load(): Promise<void> {
    const [records, answers] = await Promise.all([this.store.cards(), this.store.answers()]);
    const there = new Set(records.map((r) => keyOf(r.machine, r.request_id)));
    for (const [key, h] of this.held) if (!there.has(key) && !h.record.end) this.held.delete(key);
    for (const record of records) this.hold(record);
    for (const answer of answers) this.answered(answer);
    this.changed();
  }

  /** Takes one record in; a card that cannot be read is none. */
  private hold(record: CardRecord): Held | undefined {
    const key = keyOf(record.machine, record.request_id), old = this.held.get(key);
    if (old) return Object.assign(old, { record });
    try {
      const held: Held = { record, card: parseCard(record.body) };
      this.held.set(key, held);
      return held;
    } catch {
      return undefined;
    }
  }

  get(machine: string, requestId: string): Held | undefined {
    return this.held.get(keyOf(machine, requestId));
  }

  /** Those of one machine that have not ended. */
  open(machine: string): Held[] {
    return [...this.held.values()].filter((h) => h.record.machine === machine && !h.record.end);
  }

  answers(): AnswerRecord[] {
    return [...this.held.values()].flatMap((h) => (h.answer && !h.record.end && !h.answer.receipt ? [h.answer] : []));
  }

  /** Keeps a card that came and returns it; throws FormatError when it is none. fresh: it was not here before. */
  async add(m: MachineRecord, body: Bytes): Promise<{ held: Held; fresh: boolean }> {
    const card = parseCard(body);
    const { record, fresh } = await this.store.addCard(m.id, card.request_id, body, { ...card.log, made: card.made }, Date.now());
    const held = this.hold(record);
    if (!held) throw new TypeError("storage: a kept card cannot be read");
    this.changed();
    return { held, fresh };
  }

  /** An answer of this device was stored, or changed. */
  answered(answer: AnswerRecord): void {
    const held = this.get(answer.machine, answer.request_id);
    if (!held) return;
    held.answer = answer;
    held.trying ??= { at: "sending", decision: answer.decision };
    this.changed();
  }

  trying(machine: string, requestId: string, trying: Trying): void {
    const held = this.get(machine, requestId);
    if (!held) return;
    held.trying = trying;
    this.changed();
  }

  /** Ends a card, in storage first. False: it had ended, or is unknown. */
  async end(machine: MachineRecord, requestId: string, end: End): Promise<boolean> {
    const held = this.get(machine.id, requestId);
    if (!held) return false;
    const record = await this.store.endCard(machine.id, requestId, end, past(machine, held, end));
    if (record) held.record = record;
    this.changed();
    return record !== undefined;
  }

  /** All, in order of arrival. */
  list(machines: Map<string, MachineRecord>): Waiting[] {
    return [...this.held.values()].flatMap((h) => {
      const m = machines.get(h.record.machine);
      return m ? [waiting(m, h)] : [];
    });
  }

  forget(machine: string): void {
    for (const [key, h] of this.held) if (h.record.machine === machine) this.held.delete(key);
    this.changed();
  }

  /** Our clock, ms: when the next open card expires; undefined: none is open. */
  nextExpiry(machines: Map<string, MachineRecord>): number | undefined {
    const times = [...this.held.values()].flatMap((h) => {
      const m = machines.get(h.record.machine);
      return m && !h.record.end && !h.answer ? [h.card.expires - m.clockOffset] : [];
    });
    return times.length ? Math.min(...times) : undefined;
  }
}

function waiting(m: MachineRecord, h: Held): Waiting {
  const w: Waiting = { machine: m.id, card: h.card, progress: progress(m, h), seen: h.record.seen };
  const why = noAllow(h.card, known(m, h));
  if (why !== undefined) w.noAllow = why;
  return w;
}

/** What this device knows beside the card. */
export function known(m: MachineRecord, h: Held): Parameters<typeof noAllow>[1] {
  const role = m.devices.find((d) => d.id === m.device)?.role;
  return {
    now: machineNow(m), logCut: h.record.logCut, already: h.record.already || h.answer !== undefined || h.record.end?.at === "receipt",
    watcher: role === "watcher", listed: m.rosters.includes(h.card.roster_hash),
  };
}

function progress(m: MachineRecord, h: Held): Progress {
  if (h.record.end) return h.record.end;
  if (h.answer?.receipt) return { at: "receipt", decision: h.answer.decision, receipt: h.answer.receipt };
  if (h.answer) return h.trying ?? { at: "sending", decision: h.answer.decision };
  return machineNow(m) >= h.card.expires ? { at: "expired" } : { at: "open" };
}

/** This device's answer was one that counted. */
function used(h: Held, end: End): boolean {
  return h.answer?.receipt !== undefined || (end.at === "receipt" && ["accepted", "counted", "undelivered"].includes(end.receipt.outcome));
}

/** The card's line of history. */
function past(m: MachineRecord, h: Held, end: End): Past {
  const { card } = h, said: Receipt | Settled | undefined = end.at === "receipt" ? end.receipt : end.at === "settled" ? end.settled : undefined;
  const line: Past = {
    machine: m.id, host: m.host, request_id: card.request_id, caller: card.caller, folder: card.folder, tool: card.tool, input: card.input, class: card.class,
    made: card.made, ended: said?.time ?? machineNow(m), outcome: said?.outcome ?? "expired", mine: used(h, end), log: card.log, call_digest: card.call_digest,
  };
  const decision = end.at === "receipt" ? end.decision : said?.decision;
  if (decision !== undefined) line.decision = decision;
  if (said?.device !== undefined) line.device = said.device;
  if (h.answer?.words) line.words = h.answer.words;
  return line;
}
