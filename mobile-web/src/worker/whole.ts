// A call as text for a notification: all of it, or nothing. What is shown next to an Allow has no hidden character and no line that could
// be taken for another: only a command may have several lines; in the other fields a line break stands as the caller escaped it.

import { type InputField, scanInput } from "../core/json.ts";
import type { Card } from "../core/types.ts";
import { hiddenKind, visible, visibleBlock } from "../core/visible.ts";

/** What a call does, for the title. */
export type Does = "command" | "edit" | "write" | "tool";

export interface Whole {
  does: Does;
  /** The call, every field of it, hidden characters written out. */
  text: string;
  /** The texts as the caller wrote them. */
  parts: string[];
  /** It fits a lock screen and hides nothing. */
  plain: boolean;
}

const MOST_CHARACTERS = 300, MOST_LINES = 8, MOST_FOLDER = 120;
/** So many spaces in a row push what follows out of sight. */
const GAP = /\s{12,}/;

/** Reads a call; undefined: there is none that could be shown whole. */
export function wholeCall(card: Card): Whole | undefined {
  const view = scanInput(card.input);
  if (card.kind !== "call" || card.cut !== undefined || view.undecodable || view.empty) return undefined;
  const command = view.fields.find((f) => f.name === "command" && f.kind === "string"), rest = view.fields.filter((f) => f !== command);
  const lines = rest.map((f) => `${visible(f.name)}: ${visible(valueOf(f))}`);
  const text = [...(command ? [visibleBlock(command.text)] : []), ...lines].join("\n");
  const parts = [...(command ? [command.text] : []), ...rest.flatMap((f) => [`${f.name}: ${f.text}`, f.raw])];
  return { does: does(view.fields, command !== undefined), text, parts, plain: fits(text) && short(card) && !hides(command?.text ?? "", rest, card) };
}

/** A string of one line as its characters; anything else as it was written. */
const valueOf = (f: InputField): string => (f.kind === "string" && !/[\n\r\t]/.test(f.text) ? f.text : f.raw);

function does(fields: InputField[], command: boolean): Does {
  const has = (...names: string[]): boolean => names.every((name) => fields.some((f) => f.name === name));
  if (command) return "command";
  if (has("file_path", "old_string", "new_string") || has("file_path", "edits")) return "edit";
  return has("file_path", "content") ? "write" : "tool";
}

const fits = (text: string): boolean => [...text].length <= MOST_CHARACTERS && text.split("\n").length <= MOST_LINES && !GAP.test(text);

/** The other words on the notification leave room for the call. */
const short = (card: Card): boolean => [card.folder, card.tool, card.subagent?.type ?? "", card.subagent?.id ?? ""].every((s) => [...s].length <= MOST_FOLDER);

/** Characters that do not show themselves, anywhere on the notification; also a tab, whose width nobody knows, and a mark that looks like one of ours. */
function hides(command: string, rest: InputField[], card: Card): boolean {
  const lines = [...command.split("\n"), card.caller, card.host, card.tool, card.folder, card.subagent?.type ?? "", card.subagent?.id ?? ""];
  return [...lines, ...rest.flatMap((f) => [f.name, valueOf(f)])].some(hidden);
}

const hidden = (s: string): boolean => [...s].some((c) => c === "\u27e6" || hiddenKind(c.codePointAt(0)!) !== undefined);
