// Bytes: joining, text forms, and a big-endian reader and writer that refuse what does not fit exactly.

/** Bytes that WebCrypto takes. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Thrown by every parser of this folder: the bytes are not exactly of their format. */
export class FormatError extends Error {
  override name = "FormatError";
}

export function concat(...parts: Uint8Array[]): Bytes {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

/** Equal length and content. Not constant time: for public values (ids, hashes) only. */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((v, i) => v === b[i]);
}

export function random(n: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(n));
}

export function hex(b: Uint8Array): string {
  return Array.from(b, (v) => v.toString(16).padStart(2, "0")).join("");
}

/** The inverse of hex: lower case, whole bytes; with n, exactly n of them. */
export function unhex(s: string, n?: number): Bytes {
  if (!/^(?:[0-9a-f]{2})*$/.test(s) || (n !== undefined && s.length !== 2 * n)) throw new FormatError("not lower-case hex of the right length");
  return Uint8Array.from({ length: s.length / 2 }, (_, i) => parseInt(s.slice(2 * i, 2 * i + 2), 16));
}

export function utf8(s: string): Bytes {
  return new TextEncoder().encode(s);
}

/** Text of UTF-8 bytes; bad bytes are refused, a byte order mark is kept as the character that it is. */
export function fromUtf8(b: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(b);
  } catch {
    throw new FormatError("not UTF-8");
  }
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 section 6, upper case, no padding; the spare bits of the last character must be 0, so that one payload has one text. */
export function unbase32(s: string): Bytes {
  const out = new Uint8Array(Math.floor((s.length * 5) / 8));
  let bits = 0, held = 0, at = 0;
  for (const c of s) {
    const v = BASE32.indexOf(c);
    if (v < 0) throw new FormatError("not base32");
    held = (held << 5) | v;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    out[at++] = held >> bits;
    held &= (1 << bits) - 1;
  }
  if (held !== 0 || bits >= 5) throw new FormatError("not base32");
  return out;
}

/** RFC 4648 section 5, no padding. */
export function base64url(b: Uint8Array): string {
  return btoa(String.fromCharCode(...b)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function unbase64url(s: string): Bytes {
  if (!/^[A-Za-z0-9_-]*$/.test(s)) throw new FormatError("not base64url");
  let text: string;
  try {
    text = atob(s.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    throw new FormatError("not base64url");
  }
  const out = Uint8Array.from(text, (c) => c.charCodeAt(0));
  if (base64url(out) !== s) throw new FormatError("not base64url");
  return out;
}

/** Numbers on the wire are big endian; 8-byte ones stay below 2^53, which every reader here keeps exactly. */
export class Writer {
  private parts: Uint8Array[] = [];

  bytes(b: Uint8Array): this {
    this.parts.push(b);
    return this;
  }
  u8(n: number): this {
    return this.bytes(Uint8Array.of(n));
  }
  u16(n: number): this {
    return this.bytes(Uint8Array.of(n >>> 8, n));
  }
  u32(n: number): this {
    return this.bytes(Uint8Array.of(n >>> 24, n >>> 16, n >>> 8, n));
  }
  u64(n: number): this {
    return this.u32(Math.floor(n / 2 ** 32)).u32(n % 2 ** 32);
  }
  /** len(2) || UTF-8. */
  str(s: string): this {
    return this.blob(utf8(s));
  }
  /** len(2) || bytes. */
  blob(b: Uint8Array): this {
    return this.u16(b.length).bytes(b);
  }
  done(): Bytes {
    return concat(...this.parts);
  }
}

export class Reader {
  private at = 0;
  constructor(private readonly from: Uint8Array) {}

  bytes(n: number): Bytes {
    if (n > this.from.length - this.at) throw new FormatError("ends early");
    const out = new Uint8Array(this.from.subarray(this.at, this.at + n));
    this.at += n;
    return out;
  }
  u8(): number {
    return this.bytes(1)[0]!;
  }
  u16(): number {
    return this.u8() * 256 + this.u8();
  }
  u32(): number {
    return this.u16() * 65536 + this.u16();
  }
  u64(): number {
    const n = this.u32() * 2 ** 32 + this.u32();
    if (!Number.isSafeInteger(n)) throw new FormatError("number out of range");
    return n;
  }
  /** len(2) || UTF-8 of at most max bytes. */
  str(max: number): string {
    const n = this.u16();
    if (n > max) throw new FormatError("text too long");
    return fromUtf8(this.bytes(n));
  }
  rest(): Bytes {
    return this.bytes(this.from.length - this.at);
  }
  /** Nothing may follow. */
  end(): void {
    if (this.at !== this.from.length) throw new FormatError("bytes follow the end");
  }
}
