// Names made of public keys, and the check that a public key must pass where it is first accepted.

import { type Bytes, hex } from "./bytes.ts";
import { hash } from "./kdf.ts";

/** First 16 bytes of the labelled hash of a public key. */
export async function agentId(pub: Bytes): Promise<Bytes> {
  return (await hash("agent", pub)).slice(0, 16);
}

export async function deviceId(pub: Bytes): Promise<Bytes> {
  return (await hash("device", pub)).slice(0, 16);
}

/** y coordinates of small order, little endian, sign bit cleared. Under such keys anybody can make a signature that verifies. */
const SMALL = new Set([
  "00".repeat(32),
  "01" + "00".repeat(31),
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ec" + "ff".repeat(30) + "7f",
]);

/** y >= 2^255 - 19, so a second spelling of another key. */
const NOT_CANONICAL = /^(?:ed|ee|ef|f.)(?:ff){30}7f$/;

/** 32 bytes, canonical, not of small order. It does not prove a point on the curve: under a key that is none nothing verifies. */
export function validPublicKey(pub: Uint8Array): boolean {
  if (pub.length !== 32) return false;
  const y = Uint8Array.from(pub);
  y[31]! &= 0x7f;
  const text = hex(y);
  return !SMALL.has(text) && !NOT_CANONICAL.test(text);
}

/** Ed25519 (RFC 8032) by WebCrypto, behind the check above. */
export async function verify(pub: Bytes, message: Bytes, signature: Bytes): Promise<boolean> {
  if (!validPublicKey(pub) || signature.length !== 64) return false;
  try {
    const key = await crypto.subtle.importKey("raw", pub, "Ed25519", true, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, signature, message);
  } catch {
    return false;
  }
}

export async function sign(key: CryptoKey, message: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign("Ed25519", key, message));
}
