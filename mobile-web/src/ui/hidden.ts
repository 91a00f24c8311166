// Which hidden characters a call holds, where, and what each kind does. The chips in the slip show them in place; this counts them.
import type { Hidden } from "../core/visible.ts";
import { pieces } from "./text.tsx";
import type { Call } from "./call.ts";

/** One line's characters of one kind. line is 0 in a field below the command. */
export interface HiddenLine { names: string[]; does: string; line: number; times: number }

export interface HiddenSum { total: number; lines: HiddenLine[]; more: number }

const LISTED = 12;

/** What a kind of character does; each text is a key of the string table. */
const DOES: Record<Hidden, string> = {
  control: "can move the terminal’s cursor or hide text",
  direction: "turns the reading direction",
  invisible: "takes no room, can split a word",
  space: "looks like a space or a line end, and is none",
  private: "has no agreed look",
  half: "half a character: broken text",
};

/** Counts the hidden characters of a call, grouped by line and kind. */
export function hiddenIn(call: Call): HiddenSum {
  const found = new Map<string, HiddenLine>();
  let total = 0;
  const look = (text: string, line: number) => {
    for (const piece of pieces(text)) {
      if (piece.hidden === undefined) continue;
      total++;
      const what = DOES[piece.hidden], key = `${line} ${what}`, at = found.get(key) ?? { names: [], does: what, line, times: 0 };
      at.times++;
      if (!at.names.includes(piece.text)) at.names.push(piece.text);
      found.set(key, at);
    }
  };
  for (const body of call.bodies) (body.of === "text" ? body.lines : body.rows.map((r) => r.text)).forEach((text, i) => look(text, i + 1));
  if (call.path !== undefined) look(call.path, 0);
  for (const f of call.rest) { look(f.name, 0); for (const line of f.text.split("\n")) look(line, 0); }
  const lines = [...found.values()];
  return { total, lines: lines.slice(0, LISTED), more: lines.slice(LISTED).reduce((n, h) => n + h.times, 0) };
}
