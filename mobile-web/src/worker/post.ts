// Sending from a worker: one POST, no socket. A message goes to the machine's box; a receipt comes back in the same request, through a reply box
// that exists for it alone.

import { TYPE } from "../core/appendix.ts";
import { type Bytes, concat, random, unhex, utf8 } from "../core/bytes.ts";
import { listenFrame, sendFrame } from "../core/frames.ts";
import { boxOf } from "../core/mailbox.ts";
import { parseReceipt } from "../core/messages.ts";
import type { AnswerRecord, MachineRecord } from "../core/records.ts";
import { openFrom, sealForReply, sealTo } from "../core/sealed.ts";
import type { Store } from "../core/store.ts";
import type { Receipt } from "../core/types.ts";

/** For one request; the relay is asked to wait a second less. */
const PATIENCE = 8000, WAIT = 7, PAUSE = 1000;

/** What one request gave: the machine's word; the relay took it, or may have; it did not. */
type Posted = { reply: Bytes } | "taken" | "refused";

async function post(m: MachineRecord, sealed: Bytes, listen: Bytes | undefined): Promise<Posted> {
  const to = await boxOf(m.outbox), frame = sendFrame(random(8), to.hr, m.outbox.w, sealed);
  const address = `${m.relay}/v1/send${listen ? `?wait=${WAIT}` : ""}`, signal = AbortSignal.timeout(PATIENCE);
  try {
    const response = await fetch(address, { method: "POST", body: listen ? concat(listen, frame) : frame, signal, cache: "no-store", credentials: "omit", redirect: "error" });
    if (response.status === 200) return { reply: new Uint8Array(await response.arrayBuffer()) };
    return [204, 408, 503].includes(response.status) ? "taken" : "refused";
  } catch {
    return signal.aborted ? "taken" : "refused"; // cut off while it waited: nobody knows how far it came
  }
}

/** Where a signed answer stands after this worker's tries. */
export type Delivery = { receipt: Receipt } | "not_delivered" | "no_receipt";

/** Sends an answer, and the same bytes once more when no receipt came. Only a receipt that names those bytes is one. */
export async function deliver(store: Store, m: MachineRecord, answer: AnswerRecord): Promise<Delivery> {
  const { sealed, reply } = await sealForReply(store, m.id, unhex(m.device), TYPE.answer, answer.message);
  const listen = listenFrame(reply.r, (await boxOf(reply)).hw);
  let taken = answer.sent;
  for (let tries = 0; tries < 2; tries++) {
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    const posted = await post(m, sealed, listen);
    if (posted !== "refused") taken = true;
    const receipt = typeof posted === "object" ? await receiptIn(store, m, answer, posted.reply) : undefined;
    if (receipt) return { receipt };
  }
  return taken ? "no_receipt" : "not_delivered";
}

async function receiptIn(store: Store, m: MachineRecord, answer: AnswerRecord, reply: Bytes): Promise<Receipt | undefined> {
  try {
    const message = await openFrom(store, m.id, unhex(m.device), reply);
    const receipt = message.type === TYPE.receipt ? parseReceipt(message.body) : undefined;
    return receipt?.answer === answer.hash && receipt.request_id === answer.request_id ? receipt : undefined;
  } catch {
    return undefined; // noise in the box
  }
}

/** Tells the machine that the push arrived. It says nothing of a person: nobody need be looking. */
export async function saySeen(store: Store, m: MachineRecord, request: string): Promise<void> {
  const body = utf8(JSON.stringify({ request_id: request, visible: false }));
  await post(m, await sealTo(store, m.id, unhex(m.device), TYPE.seen, body), undefined);
}

/** Sends one signed message without waiting; false: the relay did not take it. */
export async function sendOnce(store: Store, m: MachineRecord, type: number, body: Bytes): Promise<boolean> {
  return (await post(m, await sealTo(store, m.id, unhex(m.device), type, body), undefined)) !== "refused";
}
