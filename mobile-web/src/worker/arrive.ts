// A push arrives: device_id(16) || one message of that device's machine. Whatever it is, something is shown.

import { TYPE } from "../core/appendix.ts";
import { type Bytes, hex } from "../core/bytes.ts";
import { type Held, machineNow } from "../core/cards.ts";
import type { Message } from "../core/envelope.ts";
import { parsePointer, parseReceipt, parseSettled, type Pointer } from "../core/messages.ts";
import type { MachineRecord } from "../core/records.ts";
import { openFrom } from "../core/sealed.ts";
import type { Receipt, Settled } from "../core/types.ts";
import { visible } from "../core/visible.ts";
import { arrange } from "./arrange.ts";
import { type Desk, openDesk, tellWindows } from "./desk.ts";
import { endNote, settledWords, stateNote } from "./ends.ts";
import { inTurn, type Note, show } from "./note.ts";
import { saySeen } from "./post.ts";
import { pointerNote, waitsNote } from "./waits.ts";
import { voiceOf } from "./words.ts";

const ID = 16;

/** Takes one push in and shows what it says; rejects never. */
export async function arrive(payload: Bytes): Promise<void> {
  const told = await inTurn(() => take(payload).catch(unread));
  if (told === undefined) return;
  tellWindows();
  await saySeen(told.desk.store, told.m, told.request).catch(() => undefined);
}

async function unread(why: unknown): Promise<undefined> {
  console.warn("answerback: a push could not be taken in", why);
  await showUnread();
  return undefined;
}

interface Told { desk: Desk; m: MachineRecord; request: string }

async function take(payload: Bytes): Promise<Told> {
  const desk = await openDesk(), device = payload.slice(0, ID), m = desk.machines.find((r) => r.device === hex(device));
  if (!m) throw new TypeError("it is for no machine that is paired here");
  const message = await openFrom(desk.store, m.id, device, payload.slice(ID));
  return { desk, m, request: await read(desk, m, message) };
}

/** Shows one message and returns the request that it is about. */
async function read(desk: Desk, m: MachineRecord, message: Message): Promise<string> {
  switch (message.type) {
    case TYPE.card: return readCard(desk, m, message.body);
    case TYPE.pointer: return readPointer(desk, m, parsePointer(message.body));
    case TYPE.settled: return readSettled(desk, m, parseSettled(message.body));
    case TYPE.receipt: return readReceipt(desk, m, parseReceipt(message.body));
    default: throw new TypeError(`no message for a push: ${message.type}`);
  }
}

async function readCard(desk: Desk, m: MachineRecord, body: Bytes): Promise<string> {
  const { held, fresh } = await desk.cards.add(m, body), { card } = held;
  if (fresh) {
    await desk.store.changeMachine(m.id, (r) => {
      r.logSize = Math.max(r.logSize, card.log.size);
      if (held.record.logCut) r.trouble = "log";
    });
  }
  await showCard(desk, m, held);
  return card.request_id;
}

async function showCard(desk: Desk, m: MachineRecord, held: Held): Promise<void> {
  if (!held.record.end && !held.answer && machineNow(m) >= held.card.expires) await desk.cards.end(m, held.card.request_id, { at: "expired" });
  await arrange(desk, m, stateNote(m, held, desk.voice) ?? waitsNote(m, held, desk.voice));
}

/** A pointer to a card that is here already shows that card; the test is shown as what it is. */
async function readPointer(desk: Desk, m: MachineRecord, p: Pointer): Promise<string> {
  const held = desk.cards.get(m.id, p.request_id), v = desk.voice;
  if (p.kind === "test") await show(testNote(desk, m, p), v.lang);
  else if (held) await showCard(desk, m, held);
  else if (machineNow(m) >= p.expires) await arrange(desk, m, endNote(m, p.request_id, v.t("Expired at {time}.", { time: v.hour(p.expires - m.clockOffset) }), visible(p.host), v));
  else await arrange(desk, m, pointerNote(m, p, v), p.waiting);
  return p.request_id;
}

function testNote({ voice }: Desk, m: MachineRecord, p: Pointer): Note {
  const body = `${visible(p.host)} · ${voice.second(p.made)}`;
  return { tag: `test/${m.id}`, title: voice.t("Notifications reach this phone"), body, actions: [], data: { at: "note", machine: m.id, request: "" }, silent: false };
}

/** An answer of this device's that still waits for its receipt is left to it: the receipt says more. */
async function readSettled(desk: Desk, m: MachineRecord, s: Settled): Promise<string> {
  const held = desk.cards.get(m.id, s.request_id), v = desk.voice;
  const open = held?.answer !== undefined && held.answer.receipt === undefined && held.record.end === undefined;
  if (held && !open) await desk.cards.end(m, s.request_id, { at: "settled", settled: s });
  const known = held && !open ? stateNote(m, held, v) : undefined;
  await arrange(desk, m, known ?? endNote(m, s.request_id, settledWords(s, visible(m.host), v, s.time - m.clockOffset), `${v.second(s.time)} · ${visible(m.host)}`, v));
  return s.request_id;
}

/** A receipt that names other bytes than were sent says nothing, and is shown as nothing more than that. */
async function readReceipt(desk: Desk, m: MachineRecord, r: Receipt): Promise<string> {
  const note = await takeReceipt(desk, m, r);
  if (note) await arrange(desk, m, note);
  else await showUnread();
  return r.request_id;
}

/** Keeps the machine's word on an answer of this device's, and says it; undefined: it is about none. */
export async function takeReceipt(desk: Desk, m: MachineRecord, r: Receipt): Promise<Note | undefined> {
  const held = desk.cards.get(m.id, r.request_id), answer = held?.answer;
  if (!held || answer?.hash !== r.answer) return undefined;
  if (r.outcome !== "counted") {
    const end = { at: "receipt", decision: answer.decision, receipt: r } as const;
    if (!(await desk.cards.end(m, r.request_id, end))) held.record = { ...held.record, end }; // a window of the app was first
  } else {
    const kept = await desk.store.changeAnswer(m.id, r.request_id, (a) => void (a.receipt = r));
    if (kept) desk.cards.answered(kept);
  }
  return stateNote(m, held, desk.voice);
}

/** Something came that nobody here can read: of a machine that was unpaired, damaged, or of another version. */
async function showUnread(): Promise<void> {
  const v = await openDesk().then((desk) => desk.voice, () => voiceOf("en"));
  const actions: Note["actions"] = [{ action: "open", title: v.t("Open") }];
  await show({ tag: "unread", title: v.t("Something came that could not be read."), body: v.t("Open the app to see what waits."), actions, data: { at: "note", machine: "", request: "" }, silent: true }, v.lang);
}
