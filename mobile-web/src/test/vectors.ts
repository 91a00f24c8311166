// The browser side of the vector tests: runs shared vector files on this browser's own WebCrypto and says which differ. Never shipped.

import { cardNoAllow } from "../core/allowable.ts";
import { FormatError, fromUtf8, unhex, utf8 } from "../core/bytes.ts";
import { parseCard } from "../core/card.ts";
import { parsePointer, parseReceipt, parseRoster, parseSettled, parseState } from "../core/messages.ts";
import type { Card } from "../core/types.ts";
import type { Case, Runner } from "./check.ts";
import { runAnswer, runBundle, runEnvelope, runLink, runPadding, runSigned } from "./messages.ts";
import { runPairing } from "./pairing.ts";
import { runKey, runValue } from "./values.ts";
import { hiddenKind, visible, visibleBlock, visibleTokens } from "../core/visible.ts";

/** One vector that came out otherwise than its file says. */
export interface Failure { file: string; name: string; why: string }

/** What one file gave: how many vectors ran, and those that failed. */
export interface Report { ran: number; failures: Failure[] }

interface VisibleFile {
  ranges: { from: string; to: string; kind: string }[];
  cases: { name: string; utf8: string; utf16?: string; line: string; block: string }[];
}

function equal(what: string, have: unknown, want: unknown): void {
  if (have !== want) throw new Error(`${what}: have ${JSON.stringify(have)}, want ${JSON.stringify(want)}`);
}

/** Every code point, against the ranges: both tables must be the same, to the last character. */
function everyCodePoint(ranges: VisibleFile["ranges"]): void {
  let at = 0;
  const bounds = ranges.map((r) => ({ from: parseInt(r.from, 16), to: parseInt(r.to, 16), kind: r.kind }));
  for (let code = 0; code <= 0x10ffff; code++) {
    while (at < bounds.length && bounds[at]!.to < code) at++;
    const r = bounds[at];
    equal(`U+${code.toString(16)}`, hiddenKind(code), r && r.from <= code ? r.kind : undefined);
  }
}

function visibleCase(c: VisibleFile["cases"][number]): void {
  if (c.utf16 === undefined && c.utf8 !== "") return noText(c.utf8);
  const units = (c.utf16 ?? "").match(/.{4}/g) ?? [];
  const s = String.fromCharCode(...units.map((u) => parseInt(u, 16)));
  equal("line", visible(s), c.line);
  equal("block", visibleBlock(s), c.block);
  // The pieces that the screens draw say the same, but for the caller's own mark, which is no chip and so needs no escape.
  const drawn = visibleTokens(s, false).map((p) => (p.hidden === undefined ? p.text.replaceAll("\u27e6", "\u27e6U+27E6\u27e7") : `\u27e6${p.text}\u27e7`)).join("");
  equal("pieces", drawn, c.line);
}

/** Bytes that are no text never become one on the phone. */
function noText(hexBytes: string): void {
  try {
    fromUtf8(unhex(hexBytes));
  } catch (e) {
    if (e instanceof FormatError) return;
    throw e;
  }
  throw new Error("bytes that are no UTF-8 were read");
}

type Step = [name: string, run: () => void | Promise<void>];

function visibleSteps(f: VisibleFile): Step[] {
  return [["every code point", () => everyCodePoint(f.ranges)], ...f.cases.map((c): Step => [c.name, () => visibleCase(c)])];
}

/** Who runs the cases of a file. */
const RUNNERS: Record<string, Runner> = {
  "labels.json": runValue, "kdf.json": runValue, "chain.json": runValue, "digits.json": runValue, "mailbox.json": runValue, "keys.json": runKey,
  "padding.json": runPadding, "envelope.json": runEnvelope, "answer.json": runAnswer, "signed.json": runSigned, "link.json": runLink, "bundle.json": runBundle, "pairing.json": runPairing,
};

/** What the machine says, by kind; its reader takes the body or refuses it. */
const READERS: Record<string, (body: ReturnType<typeof utf8>) => unknown> = {
  card: parseCard, receipt: parseReceipt, settled: parseSettled, state: parseState, roster: parseRoster, pointer: parsePointer,
};

interface MessageCase { kind: string; name: string; body: string; expect: "ok" | "refuse" }

function read(c: MessageCase): void {
  const reader = READERS[c.kind];
  if (!reader) throw new Error(`nobody here reads a ${c.kind}`);
  try {
    reader(utf8(c.body));
  } catch (e) {
    if (!(e instanceof FormatError)) throw e;
    return equal("outcome", "refuse", c.expect);
  }
  equal("outcome", "ok", c.expect);
}

/** Inputs of a routine call, by what a card says of them. */
function judge(input: string, want: string): void {
  const card = { kind: "call", input } as Card;
  equal("no Allow because of", cardNoAllow(card) ?? "", want);
}

function stepsOf(name: string, file: unknown): Step[] {
  if (name === "messages.json") return (file as MessageCase[]).map((c): Step => [c.name, () => read(c)]);
  if (name === "allow.json") return Object.entries(file as Record<string, string[]>).flatMap(([want, inputs]) => inputs.map((input): Step => [input, () => judge(input, want)]));
  if (name === "visible.json") return visibleSteps(file as VisibleFile);
  const run = RUNNERS[name];
  if (!run) throw new Error(`no test here runs ${name}`);
  return (file as { cases: Case[] }).cases.map((c): Step => [c.name, () => run(c as never)]);
}

async function runAll(file: string, steps: Step[]): Promise<Report> {
  const failures: Failure[] = [];
  for (const [name, run] of steps) {
    try {
      await run();
    } catch (e) {
      failures.push({ file, name, why: e instanceof Error ? `${e.name}: ${e.message}` : String(e) });
    }
  }
  return { ran: steps.length, failures };
}

/** Runs one file of vectors, fetched from this origin. */
export async function run(file: string): Promise<Report> {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return runAll(file, stepsOf(file.split("/").pop()!, await response.json()));
}

Object.assign(globalThis, { vectors: { run } });
