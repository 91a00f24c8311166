// A strict JSON scanner (RFC 8259) for messages and for what a caller wrote. It keeps every token's own text, so numbers, order and
// spelling are shown as they came; JSON.parse would round, reorder and drop. Refused: a name that comes twice (also in another case: there
// are readers that take one for the other), trailing text, nesting deeper than 64, bare control characters, half characters in a message.

import { MAX } from "./appendix.ts";
import { FormatError } from "./bytes.ts";

export type Kind = "null" | "boolean" | "number" | "string" | "array" | "object";

/** One value. raw is its text as it stood; text is a string's characters, else raw. */
export interface Value {
  kind: Kind;
  raw: string;
  text: string;
  members: Member[];
  items: Value[];
}

/** One name (decoded) and its value, in the order in which they stood. */
export interface Member {
  name: string;
  value: Value;
}

/** Names that differ in case alone become one: the smallest character of each case orbit, near enough to Unicode's simple folding to be never laxer. */
export function foldName(name: string): string {
  return Array.from(name, foldCharacter).join("");
}

function foldCharacter(c: string): string {
  const upper = c.toUpperCase(), one = [...upper].length === 1 ? upper : c;
  const lower = one.toLowerCase();
  return [...lower].length === 1 ? lower : one;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SPACE = /[ \t\r\n]*/y;
const ESCAPES: Record<string, string> = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class Scanner {
  private at = 0;
  private depth = 0;
  /** halves: keep a lone surrogate in a string, so that it can be shown. */
  constructor(private readonly text: string, private readonly halves: boolean) {}

  whole(): Value {
    const v = this.value();
    this.take(SPACE);
    if (this.at !== this.text.length) throw this.fail("text follows its end");
    return v;
  }

  private fail(what: string): FormatError {
    return new FormatError(`JSON: ${what}, at ${this.at}`);
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  private next(c: string): boolean {
    this.take(SPACE);
    if (this.text[this.at] !== c) return false;
    this.at++;
    return true;
  }

  private value(): Value {
    this.take(SPACE);
    const start = this.at, v: Value = { kind: "null", raw: "", text: "", members: [], items: [] };
    this.fill(v);
    v.raw = this.text.slice(start, this.at);
    if (v.kind !== "string") v.text = v.raw;
    return v;
  }

  private fill(v: Value): void {
    switch (this.text[this.at]) {
      case "{": return this.nested(() => this.object(v));
      case "[": return this.nested(() => this.array(v));
      case '"':
        v.kind = "string";
        v.text = this.string();
        return;
    }
    if (this.take(NUMBER) !== "") {
      v.kind = "number";
      return;
    }
    this.literal(v);
  }

  private literal(v: Value): void {
    for (const [word, kind] of [["null", "null"], ["true", "boolean"], ["false", "boolean"]] as const)
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        v.kind = kind;
        return;
      }
    throw this.fail("no value stands here");
  }

  private nested(read: () => void): void {
    if (this.depth === MAX.depth) throw this.fail("it nests too deep");
    this.depth++;
    this.at++;
    read();
    this.depth--;
  }

  private array(v: Value): void {
    v.kind = "array";
    if (this.next("]")) return;
    do v.items.push(this.value()); while (this.next(","));
    if (!this.next("]")) throw this.fail("a list does not go on");
  }

  private object(v: Value): void {
    v.kind = "object";
    if (this.next("}")) return;
    const seen = new Set<string>();
    do v.members.push(this.member(seen)); while (this.next(","));
    if (!this.next("}")) throw this.fail("an object does not go on");
  }

  private member(seen: Set<string>): Member {
    this.take(SPACE);
    const name = this.string(), folded = foldName(name);
    if (seen.has(folded)) throw this.fail("a name comes twice");
    seen.add(folded);
    if (!this.next(":")) throw this.fail("a name has no value");
    return { name, value: this.value() };
  }

  private string(): string {
    if (this.text[this.at] !== '"') throw this.fail("a string is missing");
    this.at++;
    let out = "";
    for (;;) {
      out += this.take(PLAIN);
      const c = this.text[this.at++];
      if (c === '"') return this.checked(out);
      if (c !== "\\") throw this.fail("a string holds a bare control character or does not end");
      out += this.escape();
    }
  }

  private escape(): string {
    const c = this.text[this.at++] ?? "", simple = ESCAPES[c];
    if (simple !== undefined) return simple;
    const digits = this.text.slice(this.at, this.at + 4);
    if (c !== "u" || !/^[0-9a-fA-F]{4}$/.test(digits)) throw this.fail("an escape is written wrongly");
    this.at += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }

  private checked(s: string): string {
    if (!this.halves && !isWellFormed(s)) throw this.fail("half a character");
    return s;
  }
}

function isWellFormed(s: string): boolean {
  return !/\p{Surrogate}/u.test(s);
}

/** A message of ours: any fault is a FormatError. */
export function scan(text: string): Value {
  return new Scanner(text, false).whole();
}

/** What a caller wrote: half characters are kept, to be shown. */
export function scanHalves(text: string): Value {
  return new Scanner(text, true).whole();
}
export { type InputField, type InputView, scanInput } from "./input.ts";
