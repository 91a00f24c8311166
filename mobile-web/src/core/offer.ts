// The pairing link: SCHEME://HOST/p#BASE32[.RELAYHOST], in either case. The code stands behind '#', so no server is told it.

import { OFFER } from "./appendix.ts";
import { type Bytes, FormatError, unbase32 } from "./bytes.ts";

/** What the code carries: a secret that never goes through the relay, and the fingerprint of what the agent will say first. */
export interface Offer {
  secret: Bytes;
  fingerprint: Bytes;
  /** Origin of the app that the code is for. */
  app: string;
  /** Origin of the relay: the app's, or the other host that the link names. */
  relay: string;
}

/** Thrown for a link whose code is none. */
export class OfferError extends FormatError {
  override name = "OfferError";
}

/** Thrown for a code of another version of the protocol. */
export class OfferVersionError extends OfferError {
  override name = "OfferVersionError";
}

const HOST = /^[a-z0-9.:[\]-]{1,255}$/, ADDRESS = /^(https?):\/\/([^/]*)\/p$/;

/** Changes ASCII letters only: some others, such as the Kelvin sign, would fold into ASCII ones. */
const lower = (s: string): string => s.replace(/[A-Z]/g, (c) => c.toLowerCase());
const upper = (s: string): string => s.replace(/[a-z]/g, (c) => c.toUpperCase());

/** Cuts a text at the first sign; the rest is undefined where there is none. */
function cut(s: string, sign: string): [string, string | undefined] {
  const at = s.indexOf(sign);
  return at < 0 ? [s, undefined] : [s.slice(0, at), s.slice(at + 1)];
}

/** Reads a link, with or without space around it. Throws FormatError (no link), OfferError or OfferVersionError. */
export function parseLink(text: string): Offer {
  const [address, fragment] = cut(text.trim(), "#");
  const [, scheme, host] = ADDRESS.exec(lower(address)) ?? [];
  const [code, relayHost] = cut(fragment ?? "", ".");
  const relay = relayHost === undefined ? host : lower(relayHost);
  if (fragment === undefined || !HOST.test(host ?? "") || !HOST.test(relay ?? "")) throw new FormatError("no pairing link");
  return { ...parseCode(code), app: `${scheme}://${host}`, relay: `${scheme}://${relay}` };
}

function parseCode(code: string): { secret: Bytes; fingerprint: Bytes } {
  let payload: Bytes;
  try {
    payload = unbase32(upper(code));
  } catch {
    throw new OfferError("no pairing code");
  }
  if (payload.length !== 49) throw new OfferError("no pairing code");
  if (payload[0] !== OFFER) throw new OfferVersionError("a code of another version");
  const secret = payload.slice(1, 33);
  if (secret.every((b) => b === 0)) throw new OfferError("no pairing code");
  return { secret, fingerprint: payload.slice(33) };
}
