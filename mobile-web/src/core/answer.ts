// The exact bytes that a device signs for one card, and the signed orders beside it.
//   answer:  label(20) suite(1) agent(16) device(16) request(16) card_digest(32) decision(1) flags(1) via(1) made_ms(8) len(4) payload(<= 4 KiB)
//   message: answer || signature(64) || len(2) || passkey assertion

import { DECISION, MAX, SUITE, TYPE, VIA } from "./appendix.ts";
import { type Bytes, concat, FormatError, utf8, Writer } from "./bytes.ts";
import { sign } from "./ids.ts";
import { hash, sha256 } from "./kdf.ts";
import { label } from "./labels.ts";
import type { Decision } from "./types.ts";

export interface Answer {
  agent: Bytes;
  device: Bytes;
  request: Bytes;
  cardDigest: Bytes;
  decision: Decision;
  /** Which of the card's rules to make; absent: none. */
  rule?: number;
  via: keyof typeof VIA;
  made: number;
  /** deny: the person's words; answered: JSON answers by question; else empty. */
  payload: string;
}

/** What an answer to this very card body names. */
export function cardDigest(body: Bytes): Promise<Bytes> {
  return hash("card", body);
}

/** What a receipt names an answer by. A signature is never a name: some browsers make a new one each time. */
export function receiptHash(answer: Bytes): Promise<Bytes> {
  return hash("receipt", answer);
}

/** The challenge that a passkey signs for an answer. */
export function uvChallenge(answer: Bytes): Promise<Bytes> {
  return hash("uv", answer);
}

/** The statement's bytes; throws where the decision, the rule, the way and the payload do not fit each other. */
export function answerBytes(a: Answer): Bytes {
  const payload = utf8(a.payload), flags = a.rule === undefined ? 0 : 1 | (a.rule << 1);
  if (!fits(a, payload.length)) throw new FormatError("answer: its parts do not fit each other");
  return new Writer()
    .bytes(label("answer")).u8(SUITE).bytes(a.agent).bytes(a.device).bytes(a.request).bytes(a.cardDigest)
    .u8(DECISION[a.decision]).u8(flags).u8(VIA[a.via]).u64(a.made).u32(payload.length).bytes(payload).done();
}

function fits(a: Answer, length: number): boolean {
  const ids = a.agent.length === 16 && a.device.length === 16 && a.request.length === 16 && a.cardDigest.length === 32;
  const rule = a.rule === undefined || (a.decision === "allow" && a.via !== "notification" && Number.isInteger(a.rule) && a.rule >= 0 && a.rule <= 3);
  const payload = a.decision === "deny" ? length <= MAX.payload : a.decision === "answered" ? length > 0 && length <= MAX.payload : length === 0;
  return ids && rule && payload && Number.isSafeInteger(a.made) && a.made >= 0;
}

/** Signs and packs an answer for the envelope. */
export async function answerMessage(key: CryptoKey, answer: Bytes, assertion: Bytes = new Uint8Array(0)): Promise<Bytes> {
  return new Writer().bytes(answer).bytes(await sign(key, answer)).blob(assertion).done();
}

/** What the signature of a push, passkey or admin message covers; no other message may be signed so: label || suite || agent || device || type || seq(8) || SHA-256(body). */
export async function orderBytes(agent: Bytes, device: Bytes, type: number, seq: number, body: Bytes): Promise<Bytes> {
  const fits = type >= TYPE.push && type <= TYPE.admin && Number.isSafeInteger(seq) && seq >= 1 && body.length >= 1 && body.length <= MAX.body - 72;
  if (!fits) throw new FormatError("order: no such message");
  return new Writer().bytes(label("message")).u8(SUITE).bytes(agent).bytes(device).u8(type).u64(seq).bytes(await sha256(body)).done();
}

/** seq(8) || signature(64) || JSON: a push, passkey or admin message. */
export async function orderMessage(key: CryptoKey, agent: Bytes, device: Bytes, type: number, seq: number, json: object): Promise<Bytes> {
  const body = utf8(JSON.stringify(json));
  const signature = await sign(key, await orderBytes(agent, device, type, seq, body));
  return concat(new Writer().u64(seq).bytes(signature).done(), body);
}
