// The notification that says where an answer stands, or how a call ended. It takes the place of the call's own, without a sound. "Allowed" and
// "Denied" stand on it only by the machine's receipt.

import { type Held, machineNow } from "../core/cards.ts";
import type { MachineRecord } from "../core/records.ts";
import type { Decision, Progress, Receipt, Settled } from "../core/types.ts";
import { visible } from "../core/visible.ts";
import type { Note } from "./note.ts";
import { offerOf } from "./offer.ts";
import type { Sentence, Voice } from "./words.ts";

/** A note on one request, without buttons but Open where something is left to do. */
export function endNote(m: MachineRecord, request: string, title: string, body: string, v: Voice, open = false): Note {
  return { tag: request, title, body, actions: open ? [{ action: "open", title: v.t("Open") }] : [], data: { at: open ? "note" : "ended", machine: m.id, request }, silent: true };
}

/** Time and the call's beginning, where the call may be shown at all. */
function about(m: MachineRecord, held: Held | undefined, at: number, v: Voice): string {
  const line = held && offerOf(m, held).call?.text.split("\n", 1)[0];
  return [v.second(at), ...(line ? [line] : [])].join(" · ");
}

/** Where the card stands, if it does not simply wait. */
export function stateNote(m: MachineRecord, held: Held, v: Voice): Note | undefined {
  const p = progressOf(m, held), request = held.card.request_id;
  if (p === undefined) return undefined;
  const at = p.at === "receipt" ? p.receipt.time : p.at === "settled" ? p.settled.time : machineNow(m);
  const open = p.at === "not_delivered" || p.at === "no_receipt";
  return endNote(m, request, sentence(m, held, p, v), about(m, held, at, v), v, open);
}

function progressOf(m: MachineRecord, { record, answer, trying, card }: Held): Progress | undefined {
  if (record.end) return record.end;
  if (answer?.receipt) return { at: "receipt", decision: answer.decision, receipt: answer.receipt };
  if (answer) return trying ?? { at: "sending", decision: answer.decision };
  return machineNow(m) >= card.expires ? { at: "expired" } : undefined;
}

function sentence(m: MachineRecord, held: Held, p: Progress, v: Voice): string {
  const host = visible(held.card.host);
  switch (p.at) {
    case "receipt": return receiptWords(p.receipt, p.decision, held.card.kind === "question", host, v);
    case "settled": return settledWords(p.settled, host, v, held.card.expires - m.clockOffset);
    case "sending": return v.t("Sent. Waiting for {host}.", { host });
    case "not_delivered": return v.t("Not delivered. Open to try again.");
    case "no_receipt": return v.t("No receipt yet.");
    default: return v.t("Expired at {time}.", { time: v.hour(held.card.expires - m.clockOffset) });
  }
}

const ACCEPTED: Record<Decision, Sentence> = {
  allow: "Allowed. Accepted by {host}.", deny: "Denied. Accepted by {host}.", answered: "Answered. Accepted by {host}.", hand_back: "Handed back. Accepted by {host}.",
};

function receiptWords(r: Receipt, decision: Decision, question: boolean, host: string, v: Voice): string {
  const [a, n] = [r.count ?? 0, r.of ?? 0];
  switch (r.outcome) {
    case "accepted": return v.t(question && decision === "deny" ? "Declined. Accepted by {host}." : ACCEPTED[decision], { host });
    case "counted": return v.t(n - a === 1 ? "{a} of {n} have allowed. One more device is needed." : "{a} of {n} have allowed. {m} more devices are needed.", { a, n, m: n - a });
    case "too_late": return v.t("Too late.");
    case "answered": return v.t("Answered by {device} first.", { device: visible(r.device || host) });
    case "undelivered": return v.t("Accepted by {host}, delivered to nobody.", { host });
    case "refused": return v.t("Refused by {host}.", { host });
    case "unknown": return v.t("{host} does not know this call.", { host });
    case "withdrawn": return v.t("Withdrawn.");
  }
}

/** expires: by this phone's clock, where the call is known. */
export function settledWords(s: Settled, host: string, v: Voice, expires: number): string {
  switch (s.outcome) {
    case "allowed": case "denied": case "answered": return v.t("Answered by {device}.", { device: visible(s.device || host) });
    case "terminal": return v.t("Answered at the terminal.");
    case "withdrawn": return v.t("Withdrawn.");
    case "handed_back": return v.t("Handed back.");
    case "expired": return v.t("Expired at {time}.", { time: v.hour(expires) });
  }
}
