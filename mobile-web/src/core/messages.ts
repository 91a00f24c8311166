// What the agent says: receipt, settled, pointer, state, page and roster as JSON bodies, read strictly. The card has its own file.

import { type Bytes, FormatError, fromUtf8 } from "./bytes.ts";
import { type Fields, parseBody, parseList } from "./fields.ts";
import type { CallerRow, Class, LockScreen, Receipt, RosterDevice, RuleRow, Settled } from "./types.ts";

const MAX_BODY = (256 << 10) - 5, MAX_MESSAGE = 16 << 10, MAX_ROSTER = 64 << 10;
export const NAME = 64, WORD = 256, PATH = 4096, TARGET = 16384;

const DECISIONS = ["allow", "deny", "answered", "hand_back"] as const;
export const ENDS = ["allowed", "denied", "answered", "handed_back", "withdrawn", "expired", "terminal"] as const;
const OUTCOMES = ["accepted", "counted", "too_late", "answered", "undelivered", "refused", "unknown", "withdrawn"] as const;

/** Copies the optional members that are there. */
function optional<T extends object>(out: T, f: Fields, readers: { [K in keyof T]?: () => T[K] }): T {
  for (const key in readers) if (f.has(key)) out[key] = readers[key]!();
  return out;
}

export function parseReceipt(body: Bytes): Receipt {
  return parseBody(body, MAX_MESSAGE, (f) => {
    const r: Receipt = { request_id: f.hex("request_id", 16), answer: f.hex("answer", 32), outcome: f.word("outcome", ...OUTCOMES), time: f.number("time", 1) };
    return optional(r, f, {
      count: () => f.number("count", 0, 16), of: () => f.number("of", 0, 16), device: () => f.text("device", NAME),
      decision: () => f.word("decision", ...DECISIONS), reason: () => f.text("reason", NAME), file: () => f.text("file", PATH),
    });
  });
}

export function parseSettled(body: Bytes): Settled {
  return parseBody(body, MAX_MESSAGE, (f) => {
    const s: Settled = { seq: f.number("seq", 1), request_id: f.hex("request_id", 16), outcome: f.word("outcome", ...ENDS), time: f.number("time", 1) };
    return optional(s, f, { device: () => f.text("device", NAME), decision: () => f.word("decision", ...DECISIONS) });
  });
}

/** Rings where the card itself does not fit a push, or where too many would: names and times, nothing of the call. */
export interface Pointer {
  request_id: string; kind: "call" | "question" | "admin" | "test"; caller: string; host: string; class: Class; made: number; expires: number;
  /** Open cards now, this one included. */
  waiting: number;
}

export function parsePointer(body: Bytes): Pointer {
  return parseBody(body, MAX_MESSAGE, (f) => ({
    request_id: f.hex("request_id", 16), kind: f.word("kind", "call", "question", "admin", "test"), caller: f.text("caller", NAME, 1), host: f.text("host", NAME, 1),
    class: f.word("class", "routine", "sensitive", "destructive"), made: f.number("made", 1), expires: f.number("expires", 1), waiting: f.number("waiting", 0, 100),
  }));
}

/** The agent about itself. */
export interface State {
  seq: number; version: string; protocols: number[]; instance: string; agent: string; host: string; time: number;
  devices: RosterDevice[]; roster_hash: string; rules: RuleRow[]; callers: CallerRow[];
  pause_until: number; lock_screen: LockScreen; last_push: number; log: { size: number; root: string }; open: string[];
  /** What the machine has of this device's push subscription: none, one that works, one that the push service refuses. */
  push: PushHealth;
}

export type PushHealth = "" | "good" | "repair";

export function parseState(body: Bytes): State {
  return parseBody(body, MAX_BODY, readState);
}

function readState(f: Fields): State {
  return {
    seq: f.number("seq", 1), version: f.text("version", WORD), protocols: f.numbers("protocols", 16), instance: f.hex("instance", 16),
    agent: f.text("agent", NAME, 1), host: f.text("host", NAME, 1), time: f.number("time", 1),
    devices: f.list("devices", 64, device), roster_hash: f.hex("roster_hash", 32), rules: f.list("rules", 256, rule), callers: f.list("callers", 64, caller),
    pause_until: f.number("pause_until"), lock_screen: f.word("lock_screen", "", "answer", "show", "hide"), last_push: f.number("last_push"),
    push: f.word("push", "", "good", "repair"), log: f.object("log", log), open: f.texts("open", 100, 32).map(requestId),
  };
}

function device(f: Fields): RosterDevice {
  return {
    id: f.hex("id", 16), name: f.text("name", NAME, 1), platform: f.text("platform", NAME), role: f.word("role", "approver", "watcher"),
    same_machine: f.flag("same_machine"), passkey: f.flag("passkey"), last_seen: f.number("last_seen"), paired: f.number("paired"),
  };
}

function rule(f: Fields): RuleRow {
  return {
    id: f.number("id"), ...exactRule(f), device: f.text("device", NAME), made: f.number("made"), used: f.number("used"), last: f.number("last"),
    pinned: f.list("pinned", 256, pin),
  };
}

export function exactRule(f: Fields): { caller: string; folder: string; tool: string; target: string; ends: number; uses: number } {
  return {
    caller: f.text("caller", NAME, 1), folder: f.text("folder", PATH), tool: f.text("tool", WORD, 1), target: f.text("target", TARGET, 1),
    ends: f.number("ends"), uses: f.number("uses"),
  };
}

function caller(f: Fields): CallerRow {
  return { name: f.text("name", NAME, 1), last_seen: f.number("last_seen"), answers: f.flag("answers") };
}

export function pin(f: Fields): { path: string; hash: string } {
  return { path: f.text("path", PATH, 1), hash: f.hex("hash", 32) };
}

export function log(f: Fields): { size: number; root: string } {
  return { size: f.number("size"), root: f.hex("root", 32) };
}

function requestId(s: string): string {
  if (!/^[0-9a-f]{32}$/.test(s)) throw new FormatError("open: no request id");
  return s;
}

/** One device as the roster's canonical bytes name it. */
export interface Member { id: string; name: string; platform: string; role: "approver" | "watcher"; same_machine: boolean; key: string }

export function parseRoster(body: Bytes): Member[] {
  const members = parseList(body, MAX_ROSTER, 64, (f) => ({
    id: f.hex("id", 16), name: f.text("name", NAME, 1), platform: f.text("platform", NAME), role: f.word("role", "approver", "watcher"),
    same_machine: f.flag("same_machine"), key: f.hex("key", 32),
  }));
  // One set of devices has one roster: ordered by id, members in this order, no spaces.
  const sorted = members.every((m, i) => i === 0 || members[i - 1]!.id < m.id);
  if (!sorted || JSON.stringify(members) !== fromUtf8(body)) throw new FormatError("roster: not in its one form");
  return members;
}
