// The notification of a call that waits: whole and with its buttons, or by names alone.

import { confirmedBy } from "../core/allowable.ts";
import type { Held } from "../core/cards.ts";
import { knownCaller } from "../core/callers.ts";
import type { Pointer } from "../core/messages.ts";
import type { MachineRecord } from "../core/records.ts";
import type { Card } from "../core/types.ts";
import { visible } from "../core/visible.ts";
import type { Action, Note } from "./note.ts";
import { type Offer, offerOf } from "./offer.ts";
import { wholeCall } from "./whole.ts";
import type { Voice } from "./words.ts";

/** A name in our own sentence: known callers in full, nothing hidden in any. */
const callerName = (caller: string): string => knownCaller(caller) ?? visible(caller);

const ADMIN = {
  admit: "{host} asks to add a device", recover: "{host} asks to add a device without the old ones", policy: "{host} asks to change its policy", rule: "{host} asks to add a rule",
} as const;

const TITLE = {
  command: ["{caller} on {host}: command", "{caller} on {host}: command, sensitive", "{caller} on {host}: command, destructive"],
  edit: ["{caller} on {host}: edit", "{caller} on {host}: edit, sensitive", "{caller} on {host}: edit, destructive"],
  write: ["{caller} on {host}: write", "{caller} on {host}: write, sensitive", "{caller} on {host}: write, destructive"],
  tool: ["{caller} on {host}: {tool}", "{caller} on {host}: {tool}, sensitive", "{caller} on {host}: {tool}, destructive"],
} as const;

const CLASS = { routine: 0, sensitive: 1, destructive: 2 } as const;
/** A call that is cut shows no input, but the well-known tools say by their names what they do. */
const BY_TOOL: Readonly<Record<string, keyof typeof TITLE>> = { Bash: "command", shell: "command", run_shell_command: "command", bash: "command", Edit: "edit", MultiEdit: "edit", Write: "write" };

export function waitsNote(m: MachineRecord, held: Held, v: Voice, silent = false): Note {
  const { card } = held, offer = offerOf(m, held);
  return {
    tag: card.request_id, title: title(card, offer, v), body: body(m, card, offer, v), actions: actions(card, offer, v),
    data: { at: "open", machine: m.id, request: card.request_id }, silent,
  };
}

function names(caller: string, host: string, v: Voice): string {
  return v.t("{caller} on {host} waits", { caller: callerName(caller), host: visible(host) });
}

function title(card: Card, offer: Offer, v: Voice): string {
  const places = { caller: callerName(card.caller), host: visible(card.host), tool: visible(card.tool) };
  if (!offer.kind) return names(card.caller, card.host, v);
  if (card.kind === "admin") return v.t(ADMIN[card.admin?.action ?? "admit"], places);
  if (card.kind === "question") return v.t("{caller} on {host}: question", places);
  const byTool = Object.hasOwn(BY_TOOL, card.tool) ? BY_TOOL[card.tool] : undefined;
  return v.t(TITLE[(card.cut ? byTool : wholeCall(card)?.does) ?? "tool"][CLASS[card.class]], places);
}

function needsPasskey(m: MachineRecord, card: Card): boolean {
  return confirmedBy(card, false, m.devices.find((d) => d.id === m.device)?.passkey ?? false, m.passkey !== undefined) !== "app";
}

function body(m: MachineRecord, card: Card, offer: Offer, v: Voice): string {
  const until = v.t("until {time}", { time: v.hour(card.expires - m.clockOffset) }), passkey = needsPasskey(m, card);
  if (!offer.kind) return until;
  if (!offer.call) return [v.t(passkey ? "Open to read it whole. Needs your passkey." : "Open to read it whole."), until].join("\n");
  const { subagent } = card, agent = subagent && (subagent.type || subagent.id);
  return [
    offer.call.text, ...(agent ? [`${v.t("Subagent")}: ${visible(agent)}`] : []), ...(passkey ? [v.t("Needs your passkey.")] : []),
    card.folder === "" ? until : `${visible(card.folder)}, ${until}`,
  ].join("\n");
}

/** Deny stands first, where it always stands; what cannot be allowed there is opened. */
function actions(card: Card, offer: Offer, v: Voice): Action[] {
  const deny: Action = { action: "deny", title: v.t(card.kind === "question" ? "Decline" : "Deny") };
  const second: Action = offer.allow ? { action: "allow", title: v.t("Allow") } : { action: "open", title: v.t("Open") };
  return offer.deny ? [deny, second] : [second];
}

/** Of a call whose card did not fit the push: names, and the way to it. */
export function pointerNote(m: MachineRecord, p: Pointer, v: Voice): Note {
  return {
    tag: p.request_id, title: names(p.caller, p.host, v), body: v.t("until {time}", { time: v.hour(p.expires - m.clockOffset) }),
    actions: [{ action: "open", title: v.t("Open") }], data: { at: "open", machine: m.id, request: p.request_id }, silent: false,
  };
}

export const groupTag = (machine: string): string => `group/${machine}`;

/** Many wait: one line for all. */
export function groupNote(m: MachineRecord, n: number, v: Voice, silent: boolean): Note {
  return {
    tag: groupTag(m.id), title: v.t("{n} calls wait on {host}", { n, host: visible(m.host) }), body: v.t("Open to answer them one by one."),
    actions: [{ action: "open", title: v.t("Open") }], data: { at: "group", machine: m.id, request: "" }, silent,
  };
}
