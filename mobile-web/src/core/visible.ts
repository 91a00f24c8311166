// The one function that makes hidden characters visible, on every surface: it gives what agent/card gives, character by character.
// Digests and signatures are always over the original text.

import { HIDDEN } from "./visible-table.ts";

/** Why a character does not show itself. */
export type Hidden = "control" | "direction" | "invisible" | "space" | "private" | "half";

/** A run of text as it is, or one hidden character by its name (U+202E), with the reason. */
export interface Token { text: string; hidden?: Hidden }

const OPEN = "\u27e6", CLOSE = "\u27e7";

/** Whether and how a code point is hidden. Newline and tab count as controls here. */
export function hiddenKind(code: number): Hidden | undefined {
  let lo = 0, hi = HIDDEN.length - 1;
  while (lo <= hi) {
    const mid = (lo + hi) >> 1, [first, last, kind] = HIDDEN[mid]!;
    if (code > last) lo = mid + 1;
    else if (code < first) hi = mid - 1;
    else return kind;
  }
  return undefined;
}

/** U+XXXX, at least four digits. */
function nameOf(c: string): string {
  return `U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Kind of a character in a text of one line or, as a block, of several: newline and tab then show. */
function kindIn(c: string, block: boolean): Hidden | undefined {
  return block && (c === "\n" || c === "\t") ? undefined : hiddenKind(c.codePointAt(0)!);
}

/** The text in pieces, for a screen that draws a chip for each hidden character. With block, newline and tab are text. */
export function visibleTokens(s: string, block = true): Token[] {
  const out: Token[] = [];
  let plain = "";
  const flush = (): void => {
    if (plain !== "") out.push({ text: plain });
    plain = "";
  };
  for (const c of s) {
    const hidden = kindIn(c, block);
    if (hidden === undefined) plain += c;
    else flush(), out.push({ text: nameOf(c), hidden });
  }
  flush();
  return out;
}

/** A text of one line, each hidden character as ⟦U+202E⟧. The caller's own ⟦ becomes ⟦U+27E6⟧, so a mark is always ours. */
export function visible(s: string): string {
  return written(s, false);
}

/** The same for a text of several lines: newline and tab stay. */
export function visibleBlock(s: string): string {
  return written(s, true);
}

function written(s: string, block: boolean): string {
  return Array.from(s, (c) => (c === OPEN || kindIn(c, block) !== undefined ? OPEN + nameOf(c) + CLOSE : c)).join("");
}

/** One hidden character of a block and the line, from 1, on which it stands. */
export interface Mark { name: string; kind: Hidden; line: number }

/** The hidden characters of a block in order, to be counted and named above it. Newline and tab are not among them. */
export function marks(s: string): Mark[] {
  const out: Mark[] = [];
  let line = 1;
  for (const c of s) {
    const kind = kindIn(c, true);
    if (c === "\n") line++;
    if (kind !== undefined) out.push({ name: nameOf(c), kind, line });
  }
  return out;
}
