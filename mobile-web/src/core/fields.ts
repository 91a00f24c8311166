// Reads the members of one JSON object, each once, by type and bound. What nobody asked for is refused, so an unknown member can never
// widen anything unseen.

import { type Bytes, FormatError, fromUtf8, utf8 } from "./bytes.ts";
import { scan, type Value } from "./json.ts";

export class Fields {
  private readonly left: Map<string, Value>;

  constructor(v: Value) {
    if (v.kind !== "object") throw new FormatError("an object is expected");
    this.left = new Map(v.members.map((m) => [m.name, m.value]));
  }

  private take(name: string, kind: Value["kind"]): Value {
    const v = this.left.get(name);
    if (v?.kind !== kind) throw new FormatError(`${name}: missing or of another type`);
    this.left.delete(name);
    return v;
  }

  has(name: string): boolean {
    return this.left.has(name);
  }

  text(name: string, max: number, min = 0): string {
    return bounded(name, this.take(name, "string").text, max, min);
  }

  number(name: string, min = 0, max = Number.MAX_SAFE_INTEGER): number {
    return whole(name, this.take(name, "number"), min, max);
  }

  flag(name: string): boolean {
    return this.take(name, "boolean").raw === "true";
  }

  /** Lower-case hex of exactly n bytes, kept as text. */
  hex(name: string, n: number): string {
    const s = this.take(name, "string").text;
    if (s.length !== 2 * n || !/^[0-9a-f]*$/.test(s)) throw new FormatError(`${name}: not ${n} bytes of hex`);
    return s;
  }

  word<W extends string>(name: string, ...words: W[]): W {
    const s = this.take(name, "string").text;
    const found = words.find((w) => w === s);
    if (found === undefined) throw new FormatError(`${name}: unknown word`);
    return found;
  }

  object<T>(name: string, read: (f: Fields) => T): T {
    return finish(this.take(name, "object"), read);
  }

  list<T>(name: string, max: number, read: (f: Fields) => T): T[] {
    return this.items(name, max, (v) => finish(v, read));
  }

  texts(name: string, max: number, size: number): string[] {
    return this.items(name, max, (v) => {
      if (v.kind !== "string") throw new FormatError(`${name}: an item of another type`);
      return bounded(name, v.text, size, 0);
    });
  }

  numbers(name: string, max: number): number[] {
    return this.items(name, max, (v) => whole(name, v, 0, Number.MAX_SAFE_INTEGER));
  }

  private items<T>(name: string, max: number, one: (v: Value) => T): T[] {
    const { items } = this.take(name, "array");
    if (items.length > max) throw new FormatError(`${name}: too many items`);
    return items.map(one);
  }

  end(): void {
    for (const name of this.left.keys()) throw new FormatError(`${name}: unknown`);
  }
}

function bounded(name: string, s: string, max: number, min: number): string {
  const n = utf8(s).length;
  if (n > max || n < min) throw new FormatError(`${name}: ${n} bytes`);
  return s;
}

function whole(name: string, v: Value, min: number, max: number): number {
  const n = v.kind === "number" && /^[0-9]+$/.test(v.raw) ? Number(v.raw) : NaN;
  if (!Number.isSafeInteger(n) || n < min || n > max) throw new FormatError(`${name}: not a whole number in range`);
  return n;
}

function finish<T>(v: Value, read: (f: Fields) => T): T {
  const f = new Fields(v), out = read(f);
  f.end();
  return out;
}

/** Reads one message body of at most max bytes. */
export function parseBody<T>(body: Bytes, max: number, read: (f: Fields) => T): T {
  if (body.length > max) throw new FormatError("message too long");
  return finish(scan(fromUtf8(body)), read);
}

/** The same for a list of objects. */
export function parseList<T>(body: Bytes, max: number, items: number, read: (f: Fields) => T): T[] {
  const v = body.length > max ? undefined : scan(fromUtf8(body));
  if (v?.kind !== "array" || v.items.length > items) throw new FormatError("a list is expected");
  return v.items.map((item) => finish(item, read));
}
