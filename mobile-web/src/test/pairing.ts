// Runs the pairing vectors: a device's whole half of the handshake, with the randomness of the vector.

import { type Bytes, hex, unhex } from "../core/bytes.ts";
import { hmacKey } from "../core/kdf.ts";
import { type Boxes, DevicePairing, NotOursError, PairError, type Paired, type PairEvent, type PairRandom, STOPS, type SignKey } from "../core/pairing.ts";
import { keyBytes } from "../core/ratchet.ts";
import { type Case, same } from "./check.ts";

interface PairCase extends Case {
  result?: "bundle" | "digits" | "paired"; reason?: number; offer: string; device_seed: string; device_key: string; device_name: string; platform: string;
  e_d: string; e_d_public: string; n_d: string; iv: string; messages: (string | null)[]; msg1?: string; digits?: string; agent?: string; device?: string;
  pair_boxes?: string[]; boxes?: string[]; stored?: number; chain?: string; roster?: string; agent_clock?: number;
}

/** PKCS #8 of a 32-byte private key (RFC 8410 section 7): the only form in which browsers take one. */
async function privateKey(algorithm: "Ed25519" | "X25519", raw: string): Promise<CryptoKey> {
  const oid = algorithm === "Ed25519" ? "70" : "6e", usage: KeyUsage[] = algorithm === "Ed25519" ? ["sign"] : ["deriveBits"];
  return crypto.subtle.importKey("pkcs8", unhex(`302e020100300506032b65${oid}04220420${raw}`), algorithm, false, usage);
}

async function randomOf(c: PairCase): Promise<PairRandom> {
  const pair = { privateKey: await privateKey("X25519", c.e_d), publicKey: await crypto.subtle.importKey("raw", unhex(c.e_d_public), "X25519", true, []) };
  return { nonce: () => unhex(c.n_d), iv: () => unhex(c.iv), ephemeral: async () => pair };
}

interface Told { event?: PairEvent; msg1?: Bytes; fault?: unknown }

/** What comes of one message: an event, and after the bundle msg1; or the end. */
async function tell(pairing: DevicePairing, c: PairCase, key: SignKey, message: Bytes): Promise<Told> {
  try {
    const event = await pairing.receive(message);
    if (event === undefined) return {};
    return "bundle" in event ? { event, msg1: await pairing.confirm(key, c.device_name, c.platform) } : { event };
  } catch (fault) {
    return { fault };
  }
}

function wordOf({ event, fault }: Told): string {
  if (fault === undefined) return event === undefined ? "ignored" : "ok";
  if (!(fault instanceof PairError)) throw fault;
  return fault instanceof NotOursError ? "not_ours" : fault.byAgent ? "stopped" : fault.stop;
}

export async function runPairing(c: PairCase): Promise<void> {
  const offer = unhex(c.offer), key = { privateKey: await privateKey("Ed25519", c.device_seed), publicKey: unhex(c.device_key) };
  const pairing = await DevicePairing.start({ secret: offer.slice(1, 33), fingerprint: offer.slice(33), app: "", relay: "" }, await randomOf(c));
  const pairBoxes = spread(pairing.boxes);
  let last: Told = {}, msg1: Bytes | undefined;
  for (const m of c.messages) {
    last = await tell(pairing, c, key, unhex(m ?? ""));
    msg1 ??= last.msg1;
  }
  same("outcome", wordOf(last), c.expect);
  if (c.reason !== undefined) same("reason", (last.fault as PairError).stop, STOPS[c.reason]);
  if (c.msg1 !== undefined) same("msg1", hex(msg1!), c.msg1);
  if (c.pair_boxes) same("pair boxes", pairBoxes, c.pair_boxes.join());
  if (last.event) await checkEvent(last.event, c);
}

const spread = (b: Boxes): string => [b[1].r, b[1].w, b[2].r, b[2].w].map(hex).join();

async function checkEvent(event: PairEvent, c: PairCase): Promise<void> {
  same("result", Object.keys(event)[0], c.result);
  if ("digits" in event) same("digits", event.digits, c.digits);
  if ("paired" in event) await checkPaired(event.paired, c);
}

async function checkPaired(p: Paired, c: PairCase): Promise<void> {
  same("ids", `${p.agent} ${p.device}`, `${c.agent} ${c.device}`);
  same("boxes", spread(p.boxes), c.boxes!.join());
  same("days", `${p.ratchet.stored} ${p.ratchet.newest}`, `${c.stored} ${c.stored! + 1}`);
  same("chain", hex(await keyBytes(p.ratchet.chain, 1)), hex(await keyBytes(await hmacKey(unhex(c.chain!)), 1)));
  same("roster and clock", `${hex(p.roster)} ${p.agentClock}`, `${c.roster} ${c.agent_clock}`);
}
