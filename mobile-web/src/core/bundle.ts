// The two texts of the handshake that have fields: B, the agent's first word, and F, what the device says of itself.

import { MAX, MS_PER_DAY, SUITE } from "./appendix.ts";
import { type Bytes, FormatError, Reader, utf8, Writer } from "./bytes.ts";
import { validPublicKey } from "./ids.ts";

/** B: suite(1) || A_sig.pub(32) || e_a.pub(32) || C_a(32) || expires(8) || str agent || str host || str relay URL || str app origin. */
export interface Bundle {
  agentKey: Bytes;
  ephemeral: Bytes;
  commitment: Bytes;
  expires: number;
  agentName: string;
  hostName: string;
  relayURL: string;
  appOrigin: string;
}

/** Thrown for a bundle of another suite. */
export class SuiteError extends FormatError {
  override name = "SuiteError";
}

/** Thrown for an agent's key under which anybody could sign. */
export class KeyError extends FormatError {
  override name = "KeyError";
}

export function parseBundle(b: Bytes): Bundle {
  const r = new Reader(b);
  if (r.u8() !== SUITE) throw new SuiteError("unknown suite");
  const bundle = {
    agentKey: r.bytes(32), ephemeral: r.bytes(32), commitment: r.bytes(32), expires: r.u64(),
    agentName: name(r.str(MAX.name)), hostName: name(r.str(MAX.name)), relayURL: url(r.str(MAX.url)), appOrigin: url(r.str(MAX.url)),
  };
  r.end();
  if (bundle.expires < MS_PER_DAY) throw new FormatError("no day before the code's");
  if (!validPublicKey(bundle.agentKey)) throw new KeyError("a key that anybody could sign for");
  return bundle;
}

function name(s: string): string {
  if (s === "") throw new FormatError("empty name");
  return s;
}

function url(s: string): string {
  if (!/^https?:\/\/[!-~]+$/.test(s)) throw new FormatError("not an http or https URL");
  return s;
}

/** What the device says of itself. An empty endpoint is no push subscription, an empty passkey id no passkey. */
export interface DeviceFields {
  key: Bytes;
  nonce: Bytes;
  name: string;
  platform: string;
  push: { endpoint: string; p256dh: Bytes; auth: Bytes };
  passkey: { id: Bytes; publicKey: Bytes };
}

/** F: P_sig.pub(32) || N_d(32) || str name || str platform || str endpoint || str p256dh || str auth || str passkey id || str passkey key. */
export function writeFields(f: DeviceFields): Bytes {
  if (f.name === "" || utf8(f.name).length > MAX.name || utf8(f.platform).length > MAX.name) throw new FormatError("a name has 1 to 64 bytes");
  return new Writer()
    .bytes(f.key).bytes(f.nonce).str(f.name).str(f.platform)
    .str(f.push.endpoint).blob(f.push.p256dh).blob(f.push.auth)
    .blob(f.passkey.id).blob(f.passkey.publicKey).done();
}
