// What lies in IndexedDB, one interface per object store. Bytes are Uint8Array; keys are CryptoKeys in a store of their own, one record
// each, because a browser that cannot keep one value loses its whole record.

import type { Bytes } from "./bytes.ts";
import type { BoxKeys } from "./mailbox.ts";
import type { PushHealth } from "./messages.ts";
import type { CallerRow, Decision, LockScreen, Past, Progress, Receipt, RosterDevice, RuleRow } from "./types.ts";

/** machines, by id. */
export interface MachineRecord {
  id: string;
  name: string;
  host: string;
  relay: string;
  device: string;
  deviceName: string;
  agentKey: Bytes;
  /** The device's own inbox and the agent's. */
  inbox: BoxKeys;
  outbox: BoxKeys;
  paired: number;
  clockOffset: number;
  /** The highest seq of a state; what is not above it is a repetition. */
  stateSeq: number;
  devices: RosterDevice[];
  /** Hashes of rosters in which this device stood as an approver, newest last. */
  rosters: string[];
  rules: RuleRow[];
  callers: CallerRow[];
  pauseUntil: number;
  lockScreen: LockScreen;
  lastPush: number;
  lastHeard: number;
  logSize: number;
  /** The passkey that the machine was paired with: the browser finds it by its id. Its private part is nowhere here. */
  passkey?: PasskeyRecord;
  /** The push target that the machine was last told of, by its mark, and when by our clock; absent: of none. */
  told?: { mark: string; at: number };
  /** The machine's own word on it; absent: it has not said. */
  push?: PushHealth;
  trouble?: "version" | "log" | "keys" | "removed";
}

export interface PasskeyRecord { id: Bytes; transports: string[] }

/** ratchets, by machine id; chain[stored] is keys["<id>/chain"]. */
export interface RatchetRecord { stored: number; newest: number }

/** cards, by [machine, request_id]: body is what the answer's digest is over. end: how it ended here, kept until the app is opened anew. */
export interface CardRecord {
  machine: string;
  request_id: string;
  body: Bytes;
  seen: number;
  /** The log's head on it contradicts one seen before (heads.ts). */
  logCut: boolean;
  /** The same request came again after this device had offered or answered it and forgot the card. */
  already: boolean;
  end?: End;
}

export type End = Extract<Progress, { at: "receipt" | "settled" | "expired" }>;

/** Whether a later word on a card replaces an earlier one: our own clock's by the machine's, and "accepted" by "reached nobody". */
export function outdoes(later: End, earlier: End): boolean {
  if (earlier.at === "expired") return later.at !== "expired";
  return earlier.at === "receipt" && earlier.receipt.outcome === "accepted" && later.at === "receipt" && later.receipt.outcome === "undelivered";
}

/** seen, by [machine, request_id], for two days. */
export interface SeenRecord { machine: string; request_id: string; at: number }

/** outbox, by [machine, request_id]: an answer as signed, until its receipt. */
export interface AnswerRecord {
  machine: string;
  request_id: string;
  decision: Decision;
  /** The envelope's body: the answer, its signature, its assertion. Sent as it is, again and again, never signed anew. */
  message: Bytes;
  /** H("receipt" || answer), hex: what the receipt must name. */
  hash: string;
  made: number;
  /** The relay took it once: the machine may have it. */
  sent: boolean;
  words?: string;
  /** counted, or accepted: a receipt that another may follow. */
  receipt?: Receipt;
}

/** history, by [machine, request_id]. */
export type PastRecord = Past;
