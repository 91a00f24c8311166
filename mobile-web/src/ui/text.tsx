// Caller-written text, the only way onto the screen: every hidden character becomes a chip, and words keep together. Nothing here
// makes markup from text; the pieces are text nodes and elements.
import type { ComponentChild, JSX } from "preact";
import { visibleTokens } from "../core/visible.ts";

export type Piece = ReturnType<typeof visibleTokens>[number];

/** A run without white space, or the white space between two. */
interface Run { space: boolean; length: number; pieces: Piece[] }

/** Words up to here never break inside; longer ones are tinted so that their pieces read as one. */
const WHOLE_WORD = 24;

function runs(text: string, block: boolean): Run[] {
  const out: Run[] = [];
  const add = (space: boolean, piece: Piece, length: number) => {
    const last = out[out.length - 1];
    if (last !== undefined && last.space === space) { last.pieces.push(piece); last.length += length; }
    else out.push({ space, length, pieces: [piece] });
  };
  for (const piece of visibleTokens(text, block)) {
    if (piece.hidden !== undefined) add(false, piece, 1);
    else for (const part of piece.text.split(/([ \t]+)/)) if (part !== "") add(part[0] === " " || part[0] === "\t", { text: part }, part.length);
  }
  return out;
}

const chip = (piece: Piece): ComponentChild => (piece.hidden === undefined ? piece.text : <b class="hid">{piece.text}</b>);

/** Text of the caller, one line of it: to stand inside .slip, .quote or .from-caller. */
export function Words({ text, block = true }: { text: string; block?: boolean }): JSX.Element {
  return <>{runs(text, block).map((run) => (run.space ? run.pieces.map(chip) : <span class={run.length > WHOLE_WORD ? "tok-long" : "tok"}>{run.pieces.map(chip)}</span>))}</>;
}

/** Text without word boxes, hidden characters still chips: names inside our own sentences. */
export const Name = ({ text }: { text: string }): JSX.Element => <>{visibleTokens(text, false).map(chip)}</>;

/** Caller text as plain text, for labels and titles, hidden characters named in brackets. */
export const plain = (text: string): string => visibleTokens(text, false).map((p) => (p.hidden === undefined ? p.text : `[${p.text}]`)).join("");

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
