// Makes one signed answer of what a person decided about one card; refuses what the card does not offer.

import { type Confirms, confirmedBy, noAllow } from "./allowable.ts";
import { type Answer, answerBytes, answerMessage, cardDigest, receiptHash, uvChallenge } from "./answer.ts";
import { type Bytes, hex, unhex } from "./bytes.ts";
import { type Held, known } from "./cards.ts";
import type { AnswerRecord, MachineRecord } from "./records.ts";
import { AlreadyAnswered } from "./store.ts";
import type { Decision } from "./types.ts";

/** The decision cannot be given on this card. */
export class NotOffered extends Error {
  override name = "NotOffered";
}

/** The passkey did not confirm it: the person said no, was not verified, or took too long. Nothing was signed. */
export class NotConfirmed extends Error {
  override name = "NotConfirmed";
}

export interface Extra { words?: string; rule?: number; answers?: string }

/** Where the person decided: on a screen of the app, or on a notification. */
export type Where = "app" | "notification";

/** Asks the person's passkey for its word on a challenge; rejects when there is none. */
export type Confirm = (challenge: Bytes) => Promise<Bytes>;

/** Throws AlreadyAnswered, NotOffered, NotConfirmed or FormatError; what it returns is to be stored before it is sent. */
export async function makeAnswer(m: MachineRecord, held: Held, decision: Decision, extra: Extra, key: CryptoKey, where: Where = "app", confirm?: Confirm): Promise<AnswerRecord> {
  const { card, record } = held;
  if (held.answer) throw new AlreadyAnswered("this card has an answer");
  const ask = checkOffered(m, held, decision, extra) === "passkey";
  if (ask && !confirm) throw new NotOffered("answerback: this needs a passkey, and there is no asking for it here");
  const answer: Answer = {
    agent: unhex(m.id), device: unhex(m.device), request: unhex(card.request_id), cardDigest: await cardDigest(record.body),
    decision, via: ask ? "passkey" : where, made: Date.now(), payload: payload(decision, extra), ...(extra.rule === undefined ? {} : { rule: extra.rule }),
  };
  const bytes = answerBytes(answer), assertion = ask ? await confirmed(confirm!(await uvChallenge(bytes))) : undefined;
  return {
    machine: m.id, request_id: card.request_id, decision, message: await answerMessage(key, bytes, assertion), hash: hex(await receiptHash(bytes)), made: answer.made, sent: false,
    ...(extra.words ? { words: extra.words } : {}),
  };
}

async function confirmed(asked: Promise<Bytes>): Promise<Bytes> {
  try {
    return await asked;
  } catch (e) {
    throw new NotConfirmed("answerback: the passkey did not confirm it", { cause: e });
  }
}

function payload(decision: Decision, extra: Extra): string {
  return decision === "deny" ? (extra.words ?? "") : decision === "answered" ? (extra.answers ?? "") : "";
}

/** An Allow, and answers to a question, only where the card offers them; a Deny as long as anybody waits for one. Says what confirms it. */
function checkOffered(m: MachineRecord, held: Held, decision: Decision, extra: Extra): Confirms {
  const { card, record } = held, why = noAllow(card, known(m, held));
  const kinds = { allow: ["call", "admin"], deny: ["call", "question", "admin"], answered: ["question"], hand_back: ["call", "question"] }[decision];
  const widens = decision === "allow" || decision === "answered";
  const over = record.end !== undefined || why === "expired" || why === "already" || why === "watcher";
  if (over || (widens && why !== undefined) || !kinds.includes(card.kind)) throw new NotOffered(`answerback: ${decision} is not offered on this card`);
  if (extra.rule !== undefined && !card.rules.some((r) => r.id === extra.rule)) throw new NotOffered("answerback: the card states no such rule");
  const own = m.devices.find((d) => d.id === m.device), by = widens ? confirmedBy(card, extra.rule !== undefined, own?.passkey ?? false, m.passkey !== undefined) : "app";
  if (by === undefined) throw new NotOffered("answerback: this needs a passkey, and this phone has none for the machine");
  return by;
}
