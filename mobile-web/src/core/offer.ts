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

/** Thrown for a code of another version of the protocol. */
export class OfferVersionError extends FormatError {
  override name = "OfferVersionError";
}

const HOST = "[a-z0-9.:[\\]-]{1,255}";
const LINK = new RegExp(`^(https?)://(${HOST})/p#([A-Z2-7]+)(?:\\.(${HOST}))?$`, "is");

/** Reads a link, with or without space around it. Throws FormatError or OfferVersionError. */
export function parseLink(text: string): Offer {
  const found = LINK.exec(text.trim());
  if (found === null) throw new FormatError("no pairing link");
  const [scheme, host, code, relayHost] = found.slice(1).map((s) => (s as string | undefined)?.replace(/[A-Z]/g, (c) => c.toLowerCase()));
  const payload = unbase32(code!.replace(/[a-z]/g, (c) => c.toUpperCase()));
  if (payload.length !== 49) throw new FormatError("no pairing code");
  if (payload[0] !== OFFER) throw new OfferVersionError("a code of another version");
  const offer = { secret: payload.slice(1, 33), fingerprint: payload.slice(33) };
  if (offer.secret.every((b) => b === 0)) throw new FormatError("no pairing code");
  return { ...offer, app: `${scheme}://${host}`, relay: `${scheme}://${relayHost ?? host}` };
}
