// The passkey of one pairing (W3C Web Authentication, level 3): made on the confirm screen, asked for where an Allow needs it. Loaded when it
// is used. Both happen in a tap: some browsers show nothing else.

import { type Bytes, equal, FormatError, random, Reader, Writer } from "./bytes.ts";
import type { PasskeyRecord } from "./records.ts";
import type { NewPasskey } from "./types.ts";

const EDDSA = -8, ES256 = -7;
/** Bits of the flags byte, which follows 32 bytes of hash in the authenticator's data (section 6.1). */
const VERIFIED = 0x04, ATTESTED = 0x40, FLAGS = 32;
/** How long a person is waited for. */
const PATIENCE = 120_000;

/** What the two kinds of COSE key begin with in CTAP2's one form of CBOR, and how long they are: the machine takes no other. */
const KEYS: readonly [head: number[], length: number][] = [
  [[0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20], 42],
  [[0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20], 77],
];

/** Newer than the types that come with the compiler: this device first, before a key on a cable. */
const HERE = { hints: ["client-device"] };

/**
 * Makes a passkey for one machine, with the person verified. It need not be one that the browser finds by itself: we keep its id, and where a
 * platform knows the difference it then stays on this device. Rejects when the person, or the browser, did not.
 */
export async function makePasskey(host: string): Promise<NewPasskey> {
  const made = await asked(navigator.credentials.create({
    publicKey: {
      ...HERE, rp: { id: location.hostname, name: "Answerback" }, user: { id: random(32), name: host, displayName: `Answerback: ${host}` },
      challenge: random(32), // nobody checks it: the machine believes the passkey from the first answer on, by its key
      pubKeyCredParams: [{ type: "public-key", alg: EDDSA }, { type: "public-key", alg: ES256 }],
      authenticatorSelection: { userVerification: "required", residentKey: "discouraged" }, attestation: "none", timeout: PATIENCE,
    },
  }));
  const response = made.response as AuthenticatorAttestationResponse;
  return { ...registered(new Uint8Array(response.getAuthenticatorData())), transports: response.getTransports?.() ?? [] };
}

async function asked(wanted: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const got = await wanted;
  if (got instanceof PublicKeyCredential) return got;
  throw new FormatError("passkey: the browser gave none");
}

/** Id and key out of hash(32) || flags(1) || counter(4) || aaguid(16) || len(2) || id || COSE key, which extensions may follow. */
function registered(data: Bytes): { id: Bytes; publicKey: Bytes } {
  const r = new Reader(data);
  r.bytes(FLAGS);
  if ((r.u8() & (VERIFIED | ATTESTED)) !== (VERIFIED | ATTESTED)) throw new FormatError("passkey: its user was not verified");
  r.bytes(4 + 16);
  const id = r.bytes(r.u16()), rest = r.rest();
  const length = KEYS.find(([head]) => equal(rest.subarray(0, head.length), Uint8Array.from(head)))?.[1];
  if (id.length === 0 || length === undefined || rest.length < length) throw new FormatError("passkey: a key of another kind");
  return { id, publicKey: rest.slice(0, length) };
}

/**
 * The passkey's word on one challenge, as an answer message carries it: str authenticatorData || str clientDataJSON || str signature. Rejects
 * when the person did not confirm, was not verified, or stop says that it is wanted no more.
 */
export async function confirmWith(passkey: PasskeyRecord, challenge: Bytes, left: number, stop: AbortSignal): Promise<Bytes> {
  const transports = passkey.transports as AuthenticatorTransport[];
  const got = await asked(navigator.credentials.get({
    signal: stop, publicKey: {
      ...HERE, rpId: location.hostname, challenge, userVerification: "required", timeout: Math.min(Math.max(left, 1000), PATIENCE),
      allowCredentials: [{ type: "public-key", id: passkey.id, ...(transports.length > 0 ? { transports } : {}) }],
    },
  }));
  const { authenticatorData, clientDataJSON, signature } = got.response as AuthenticatorAssertionResponse;
  const [data, client, sig] = [authenticatorData, clientDataJSON, signature].map((b) => new Uint8Array(b)) as [Bytes, Bytes, Bytes];
  if (!equal(new Uint8Array(got.rawId), passkey.id) || (data[FLAGS]! & VERIFIED) === 0) throw new FormatError("passkey: its user was not verified");
  return new Writer().blob(data).blob(client).blob(sig).done();
}
