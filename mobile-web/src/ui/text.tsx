// Caller-written text, the only way onto the screen: every hidden character becomes a chip, and words keep together. Nothing here
// makes markup from text; the pieces are text nodes and elements.
import type { ComponentChild, JSX } from "preact";
import { visibleTokens } from "../core/visible.ts";

export type Piece = ReturnType<typeof visibleTokens>[number];

const PLAIN = /^[\x20-\x7e]*$/, PLAIN_BLOCK = /^[\x20-\x7e\n\t]*$/;

/** The core's pieces; a text of printable ASCII, which most calls are, is one piece without a look at each character. */
export const pieces = (text: string, block = true): Piece[] => ((block ? PLAIN_BLOCK : PLAIN).test(text) ? [{ text }] : visibleTokens(text, block));

/** A run without white space, or the white space between two. */
interface Run { space: boolean; text: string; pieces: Piece[] }

/** Words up to here never break inside; longer ones are tinted so that their pieces read as one. */
const WHOLE_WORD = 24;

/** Words in which no browser breaks by itself (Unicode line breaking classes AL, NU, IS, QU; brackets at the ends): they need no box. */
const NEVER_BREAKS = /^[(]?[A-Za-z0-9_&*=<>#@^`~.,:;'"]*[)]?[.,:;]*$/;

function runs(text: string, block: boolean): Run[] {
  const out: Run[] = [];
  const add = (space: boolean, piece: Piece) => {
    const last = out[out.length - 1];
    if (last !== undefined && last.space === space) { last.pieces.push(piece); last.text += piece.text; }
    else out.push({ space, text: piece.text, pieces: [piece] });
  };
  for (const piece of pieces(text, block)) {
    if (piece.hidden !== undefined) add(false, piece);
    else for (const part of piece.text.split(/([ \t]+)/)) if (part !== "") add(part[0] === " " || part[0] === "\t", { text: part });
  }
  return out;
}

const chip = (piece: Piece): ComponentChild => (piece.hidden === undefined ? piece.text : <b class="hid">{piece.text}</b>);

const needsBox = (run: Run): boolean => !run.space && (run.pieces.length > 1 || run.pieces[0]!.hidden !== undefined || run.text.length > WHOLE_WORD || !NEVER_BREAKS.test(run.text));

/** Runs that need no box, joined to as few text nodes as can be: a large call has tens of thousands of words. */
function draw(all: Run[]): ComponentChild[] {
  const out: ComponentChild[] = [];
  let text = "";
  for (const run of all) {
    if (!needsBox(run)) { text += run.text; continue; }
    if (text !== "") out.push(text);
    text = "";
    out.push(<span class={run.text.length > WHOLE_WORD ? "tok-long" : "tok"}>{run.pieces.map(chip)}</span>);
  }
  return text === "" ? out : [...out, text];
}

/** Text of the caller, one line of it: to stand inside .slip, .quote or .from-caller. */
export const Words = ({ text, block = true }: { text: string; block?: boolean }): JSX.Element => <>{draw(runs(text, block))}</>;

/** Text without word boxes, hidden characters still chips: names inside our own sentences. */
export const Name = ({ text }: { text: string }): JSX.Element => <>{pieces(text, false).map(chip)}</>;

/** Caller text as plain text, for labels and titles, hidden characters named in brackets. */
export const plain = (text: string): string => pieces(text, false).map((p) => (p.hidden === undefined ? p.text : `[${p.text}]`)).join("");

/** Caller text inside a sentence of ours. */
export const Quote = ({ text }: { text: string }): JSX.Element => <span class="quote"><Words text={text} block={false} /></span>;

/** Caller text shortened to one line; for lists only, never next to an Allow. */
export const OneLine = ({ text }: { text: string }): JSX.Element => <span class="one-line"><Name text={firstLine(text)} /></span>;

/** The first line, at most 200 characters of it: a list needs no more. */
export function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 200 ? [...line].slice(0, 200).join("") : line;
}

/** Hexadecimal in groups of four; the first n groups, or all. */
export const groups = (hex: string, n = Infinity): string => (hex.match(/.{1,4}/g) ?? []).slice(0, n).join(" ");

/** Bytes of the text in UTF-8. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
