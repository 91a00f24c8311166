// The envelope's plaintext: type(1) || len(4) || body || zeros, up to the smallest bucket that holds it. A larger bucket than needed,
// or padding that is not zero, is refused: one message has one form, and nothing can be carried beside it.

import { MAX } from "./appendix.ts";
import { type Bytes, FormatError } from "./bytes.ts";

const SMALL = [512, 1024, 2048, 2560], STEP = 16 << 10, HEAD = 5;
export const SMALLEST = 512, LARGEST = 256 << 10;

function bucket(n: number): number {
  return SMALL.find((b) => n <= b) ?? Math.ceil(n / STEP) * STEP;
}

export function pad(type: number, body: Uint8Array): Bytes {
  if (body.length > MAX.body) throw new FormatError("message too long");
  const out = new Uint8Array(bucket(HEAD + body.length));
  const view = new DataView(out.buffer);
  view.setUint8(0, type);
  view.setUint32(1, body.length);
  out.set(body, HEAD);
  return out;
}

export function unpad(plain: Bytes): { type: number; body: Bytes } {
  if (plain.length < HEAD) throw new FormatError("ends early");
  const n = new DataView(plain.buffer, plain.byteOffset).getUint32(1);
  if (n > MAX.body || bucket(HEAD + n) !== plain.length) throw new FormatError("length does not fit the padding");
  if (plain.subarray(HEAD + n).some((b) => b !== 0)) throw new FormatError("padding is not zero");
  return { type: plain[0]!, body: plain.slice(HEAD, HEAD + n) };
}
