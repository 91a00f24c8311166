// Sends each signed answer again and again, the same bytes, until its receipt is here. It tells apart what the relay never took
// (not delivered) and what it took without a word from the machine (no receipt yet: the call may have run).

import { TYPE } from "./appendix.ts";
import { delay, RESEND, Sleep } from "./backoff.ts";
import { type Cards, keyOf, type Trying } from "./cards.ts";
import type { AnswerRecord } from "./records.ts";
import type { Session } from "./session.ts";
import type { Store } from "./store.ts";

/** Until then an answer is simply under way. */
const QUIET = 2500;
/** After so long without a receipt an answer is only sent when the machine comes back, and given up when nobody can want it any more. */
const BUSY = 20 * 60_000, KEPT = 2 * 86_400_000;

export class Outbox {
  private readonly senders = new Map<string, Sleep>();
  constructor(private readonly store: Store, private readonly cards: Cards, private readonly session: (machine: string) => Session | undefined) {}

  /** Starts sending every stored answer that has no receipt; those that are being sent already go on. */
  start(): void {
    for (const a of this.cards.answers()) {
      const key = keyOf(a.machine, a.request_id);
      if (this.senders.has(key)) continue;
      this.senders.set(key, new Sleep());
      void this.run(a).finally(() => this.senders.delete(key));
    }
  }

  /** The machine, or its relay, is back: try at once. */
  wake(machine?: string): void {
    for (const [key, sleep] of this.senders) if (machine === undefined || key.startsWith(`${machine}/`)) sleep.wake();
  }

  /** The answer as it stands; undefined once it needs no more sending. */
  private wanted(a: AnswerRecord): AnswerRecord | undefined {
    const held = this.cards.get(a.machine, a.request_id);
    return held?.answer && !held.answer.receipt && !held.record.end ? held.answer : undefined;
  }

  private async run(first: AnswerRecord): Promise<void> {
    const sleep = this.senders.get(keyOf(first.machine, first.request_id))!;
    for (let tries = 0; ; tries++) {
      const answer = this.wanted(first), session = this.session(first.machine);
      if (!answer || !session) return;
      if (Date.now() - answer.made > KEPT) return this.giveUp(answer, session);
      await this.once(answer, session);
      const wait = this.pauseAfter(answer, tries);
      this.show(first, tries, Date.now() + wait);
      await sleep.for(wait);
    }
  }

  private async once(answer: AnswerRecord, session: Session): Promise<void> {
    const sent = await session.send(TYPE.answer, answer.message).catch(() => "offline" as const);
    if (sent !== "sent" || answer.sent) return;
    const kept = await this.store.changeAnswer(answer.machine, answer.request_id, (a) => void (a.sent = true));
    if (kept) this.cards.answered(kept);
  }

  private pauseAfter(answer: AnswerRecord, tries: number): number {
    return Date.now() - answer.made > BUSY ? KEPT / 48 : delay(RESEND, tries);
  }

  private show(first: AnswerRecord, tries: number, nextTry: number): void {
    const answer = this.wanted(first);
    if (!answer) return;
    const { decision } = answer;
    const late = Date.now() - answer.made > QUIET;
    const trying: Trying = answer.sent ? (late ? { at: "no_receipt", decision, nextTry } : { at: "sending", decision }) : tries > 0 ? { at: "not_delivered", decision, nextTry } : { at: "sending", decision };
    this.cards.trying(answer.machine, answer.request_id, trying);
  }

  private async giveUp(answer: AnswerRecord, session: Session): Promise<void> {
    await this.cards.end(session.record, answer.request_id, { at: "expired" });
  }
}
