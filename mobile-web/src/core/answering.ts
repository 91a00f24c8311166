// Makes one signed answer of what a person decided about one card; refuses what the card does not offer.

import { noAllow } from "./allowable.ts";
import { type Answer, answerBytes, answerMessage, cardDigest, receiptHash } from "./answer.ts";
import { hex, unhex } from "./bytes.ts";
import { type Held, known } from "./cards.ts";
import type { AnswerRecord, MachineRecord } from "./records.ts";
import { AlreadyAnswered } from "./store.ts";
import type { Decision } from "./types.ts";

/** The decision cannot be given on this card. */
export class NotOffered extends Error {
  override name = "NotOffered";
}

export interface Extra { words?: string; rule?: number; answers?: string }

/** Where the person decided: on a screen of the app, or on a notification. */
export type Where = "app" | "notification";

/** Throws AlreadyAnswered, NotOffered or FormatError; what it returns is to be stored before it is sent. */
export async function makeAnswer(m: MachineRecord, held: Held, decision: Decision, extra: Extra, key: CryptoKey, via: Where = "app"): Promise<AnswerRecord> {
  const { card, record } = held;
  if (held.answer) throw new AlreadyAnswered("this card has an answer");
  checkOffered(m, held, decision, extra);
  const answer: Answer = {
    agent: unhex(m.id), device: unhex(m.device), request: unhex(card.request_id), cardDigest: await cardDigest(record.body),
    decision, via, made: Date.now(), payload: payload(decision, extra), ...(extra.rule === undefined ? {} : { rule: extra.rule }),
  };
  const bytes = answerBytes(answer);
  return {
    machine: m.id, request_id: card.request_id, decision, message: await answerMessage(key, bytes), hash: hex(await receiptHash(bytes)), made: answer.made, sent: false,
    ...(extra.words ? { words: extra.words } : {}),
  };
}

function payload(decision: Decision, extra: Extra): string {
  return decision === "deny" ? (extra.words ?? "") : decision === "answered" ? (extra.answers ?? "") : "";
}

/** An Allow, and answers to a question, only where the card offers them; a Deny as long as anybody waits for one. */
function checkOffered(m: MachineRecord, held: Held, decision: Decision, extra: Extra): void {
  const { card, record } = held, why = noAllow(card, known(m, held));
  const kinds = { allow: ["call", "admin"], deny: ["call", "question", "admin"], answered: ["question"], hand_back: ["call", "question"] }[decision];
  const widens = decision === "allow" || decision === "answered";
  const over = record.end !== undefined || why === "expired" || why === "already" || why === "watcher";
  if (over || (widens && why !== undefined) || !kinds.includes(card.kind)) throw new NotOffered(`answerback: ${decision} is not offered on this card`);
  if (decision === "allow" && card.needs.via === "passkey") throw new NotOffered("answerback: this card needs a passkey, and this phone has none for the machine");
  if (extra.rule !== undefined && !card.rules.some((r) => r.id === extra.rule)) throw new NotOffered("answerback: the card states no such rule");
}
