// A tap on a notification. Allow and Deny are signed here, kept, and sent; what is shown afterwards is the machine's own word, or that there is
// none yet. Anything else opens the app on that very card.

import { makeAnswer, NotOffered } from "../core/answering.ts";
import type { Held } from "../core/cards.ts";
import type { Carried, Open } from "../core/notices.ts";
import type { AnswerRecord, MachineRecord } from "../core/records.ts";
import { AlreadyAnswered } from "../core/store.ts";
import { takeReceipt } from "./arrive.ts";
import { type Desk, openDesk, tellWindows } from "./desk.ts";
import { endNote, stateNote } from "./ends.ts";
import { close, inTurn, type Note, show } from "./note.ts";
import { offerOf } from "./offer.ts";
import { deliver, type Delivery } from "./post.ts";
import { worker } from "./scope.ts";
import { waitsNote } from "./waits.ts";

/** Where the app stands; another page of this origin is none of its windows. */
const PAGES = ["/", "/p", "/P"];

/** Does what was tapped. Rejects never. */
export async function clicked(tag: string, action: string, carried: Carried): Promise<void> {
  if ((action === "allow" || action === "deny") && carried.at === "open") return answer(tag, carried, action);
  await inTurn(() => close(tag));
  await openApp(carried);
}

async function answer(tag: string, carried: Carried, decision: "allow" | "deny"): Promise<void> {
  const desk = await openDesk(), m = desk.machines.find((r) => r.id === carried.machine), held = desk.cards.get(carried.machine, carried.request);
  if (!m || !held) return inTurn(() => close(tag)).then(() => openApp(carried));
  const put = (note: Note): Promise<void> => inTurn(() => show(note, desk.voice.lang));
  const signed = await decide(desk, m, held, decision);
  if ("tag" in signed) return put(signed);
  desk.cards.answered(signed);
  await put(stateNote(m, held, desk.voice)!);
  tellWindows();
  await put(await outcome(desk, m, held, await deliver(desk.store, m, signed).catch(() => "not_delivered" as const)));
  tellWindows();
}

/** The answer, or what stands in its way: it was answered, has ended or expired in the meantime, or the person has narrowed what may be done here. */
async function decide(desk: Desk, m: MachineRecord, held: Held, decision: "allow" | "deny"): Promise<AnswerRecord | Note> {
  const before = stateNote(m, held, desk.voice);
  if (before) return before;
  if (decision === "allow" && !offerOf(m, held).allow) return waitsNote(m, held, desk.voice);
  return sign(desk, m, held, decision);
}

/** Signs and keeps, before the first byte is sent. A second tap finds the first one's answer. */
async function sign(desk: Desk, m: MachineRecord, held: Held, decision: "allow" | "deny"): Promise<AnswerRecord | Note> {
  const { request_id } = held.card;
  try {
    const signed = await makeAnswer(m, held, decision, {}, await desk.store.signKey(m.id), "notification");
    await desk.store.addAnswer(signed);
    return signed;
  } catch (e) {
    await desk.cards.load();
    const now = e instanceof AlreadyAnswered || e instanceof NotOffered ? stateNote(m, held, desk.voice) : undefined;
    return now ?? endNote(m, request_id, desk.voice.t("This phone could not sign. Nothing was sent."), "", desk.voice, true);
  }
}

/** What is said after the sending. The page may have had the receipt first. */
async function outcome(desk: Desk, m: MachineRecord, held: Held, came: Delivery): Promise<Note> {
  if (typeof came === "object") return (await takeReceipt(desk, m, came.receipt)) ?? stateNote(m, held, desk.voice)!;
  const { machine, request_id, decision } = held.answer!;
  if (came === "no_receipt") await desk.store.changeAnswer(machine, request_id, (a) => void (a.sent = true));
  await desk.cards.load();
  held.trying = { at: came, decision, nextTry: 0 };
  return stateNote(m, held, desk.voice)!;
}

/** The app on the card: a window that is there, or a new one. Where the platform opens the start page whatever it is told, that page finds it. */
async function openApp({ machine, request }: Carried): Promise<void> {
  const address = machine !== "" && request !== "" ? `#/card/${machine}/${request}` : "#/";
  const windows = (await worker.clients.matchAll({ type: "window", includeUncontrolled: true })).filter((w) => PAGES.includes(new URL(w.url).pathname));
  const there = windows.find((w) => w.focused) ?? windows.find((w) => w.visibilityState === "visible") ?? windows[0];
  there?.postMessage({ open: address } satisfies Open);
  try {
    if (there) return void (await there.focus());
  } catch {
    // it may not come to the front; a new window may
  }
  await worker.clients.openWindow(`/${address}`).catch((e: unknown) => console.warn("answerback: no window could be opened", e));
}
