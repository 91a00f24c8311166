// Hash, HMAC, HKDF (RFC 5869) and sealed boxes on WebCrypto. Keys come in as bytes once, where they are derived, and are
// non-extractable from then on. WebCrypto's own HKDF always extracts first, so HKDF-Expand's one block is written as the HMAC that it is.

import { type Bytes, concat, random } from "./bytes.ts";
import { label, type Word } from "./labels.ts";

const S = crypto.subtle;
const HMAC = { name: "HMAC", hash: "SHA-256" };
export const NONCE = 12, TAG = 16;

/** Thrown when bytes do not open with a key. The caller ignores the message: anybody can write noise. */
export class OpenError extends Error {
  override name = "OpenError";
}

export async function sha256(data: Bytes): Promise<Bytes> {
  return new Uint8Array(await S.digest("SHA-256", data));
}

/** H(label || parts). */
export function hash(word: Word, ...parts: Uint8Array[]): Promise<Bytes> {
  return sha256(concat(label(word), ...parts));
}

export function hmacKey(raw: Bytes): Promise<CryptoKey> {
  return S.importKey("raw", raw, HMAC, false, ["sign"]);
}

export async function mac(key: CryptoKey, word: Word, ...parts: Uint8Array[]): Promise<Bytes> {
  return new Uint8Array(await S.sign("HMAC", key, concat(label(word), ...parts)));
}

/** HKDF-Extract; an empty salt is 32 zero bytes, as RFC 5869 section 2.2 has it. The result is ready to expand. */
export async function extract(salt: Bytes, ikm: Bytes): Promise<CryptoKey> {
  const key = await hmacKey(salt.length === 0 ? new Uint8Array(32) : salt);
  return hmacKey(new Uint8Array(await S.sign("HMAC", key, ikm)));
}

/** HKDF-Expand with info = label || context (RFC 5869 section 2.3). */
export async function expand(prk: CryptoKey, word: Word, context: Uint8Array, n = 32): Promise<Bytes> {
  let out: Bytes = new Uint8Array(0), block: Bytes = out;
  for (let i = 1; out.length < n; i++) {
    block = new Uint8Array(await S.sign("HMAC", prk, concat(block, label(word), context, Uint8Array.of(i))));
    out = concat(out, block);
  }
  return out.slice(0, n);
}

export function boxKey(raw: Bytes): Promise<CryptoKey> {
  return S.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** nonce(12) || AES-256-GCM || tag(16). The nonce is random; only a test that compares bytes gives one. */
export async function sealBox(key: CryptoKey, plain: Bytes, aad: Bytes, iv: Bytes = random(NONCE)): Promise<Bytes> {
  return concat(iv, new Uint8Array(await S.encrypt({ name: "AES-GCM", iv, additionalData: aad }, key, plain)));
}

export async function openBox(key: CryptoKey, sealed: Bytes, aad: Bytes): Promise<Bytes> {
  if (sealed.length < NONCE + TAG) throw new OpenError("too short to be sealed");
  const gcm = { name: "AES-GCM", iv: sealed.slice(0, NONCE), additionalData: aad };
  return S.decrypt(gcm, key, sealed.slice(NONCE)).then((b) => new Uint8Array(b), () => {
    throw new OpenError("not sealed with this key");
  });
}

/** The six digits of a pairing: 8 bytes, big endian, mod 10^6. */
export function checkDigits(eight: Bytes): string {
  const n = new DataView(eight.buffer, eight.byteOffset, 8).getBigUint64(0);
  return (n % 1_000_000n).toString().padStart(6, "0");
}
