// The beginning of a pairing: reads the link at once, and loads the handshake, which is seldom needed, while the person reads.

import { FormatError } from "./bytes.ts";
import { type Offer, OfferVersionError, parseLink } from "./offer.ts";
import type { PairAround } from "./pair.ts";
import type { Pairing, PairStep, PairStop } from "./types.ts";

/** Reads a link made for this app; throws a PairStop word for any other text. */
export function ours(link: string, origin: string): Offer {
  try {
    const offer = parseLink(link);
    if (offer.app === origin) return offer;
  } catch (e) {
    if (!(e instanceof FormatError)) throw e;
    throw (e instanceof OfferVersionError ? "version" : "not_ours") satisfies PairStop;
  }
  throw "not_ours" satisfies PairStop;
}

/** The handshake's code is loaded when somebody pairs, which is seldom; the person's word waits for it. */
export function pairLater(around: PairAround, offer: Offer, deviceName: string, onStep: (s: PairStep) => void): Pairing {
  let stopped = false;
  const running = import("./pair.ts").then(({ pair }) => (stopped ? undefined : pair(around, offer, deviceName, onStep)), () => {
    onStep({ at: "stopped", why: "unreachable" });
    return undefined;
  });
  return {
    confirm: (passkey) => void running.then((p) => p?.confirm(passkey)),
    cancel() {
      stopped = true;
      void running.then((p) => (p ? p.cancel() : onStep({ at: "stopped", why: "cancelled" })));
    },
  };
}
