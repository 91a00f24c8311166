// The device's half of the handshake: bytes in, bytes out. Whoever sends, waits, repeats and asks the person is elsewhere (pair.ts).
// Six digits are shown only when the agent has opened its commitment and signed this very transcript.

import { type Direction, PAIR, VERSION } from "./appendix.ts";
import { type Bytes, concat, equal, FormatError, hex, random, Reader, Writer } from "./bytes.ts";
import { type Bundle, type DeviceFields, parseBundle, SuiteError, writeFields } from "./bundle.ts";
import { agentId, deviceId, sign, verify } from "./ids.ts";
import { boxKey, checkDigits, expand, extract, hash, hmacKey, openBox, OpenError, sealBox } from "./kdf.ts";
import { label, type Word } from "./labels.ts";
import type { BoxKeys } from "./mailbox.ts";
import type { Offer } from "./offer.ts";
import { newRatchet, type Ratchet } from "./ratchet.ts";
import type { Target } from "./subscription.ts";
import type { PairStop } from "./types.ts";

const NONE = new Uint8Array(0);
const NO_PUSH: Target = { endpoint: "", p256dh: NONE, auth: NONE }, NO_PASSKEY = { id: NONE, publicKey: NONE };
const MAX_ROSTER = 64 << 10;

/** Mailbox keys by direction. */
export type Boxes = Record<Direction, BoxKeys>;

/** What both sides keep. */
export interface Paired {
  agent: string; device: string; agentKey: Bytes; deviceKey: Bytes; boxes: Boxes; ratchet: Ratchet; bundle: Bundle; roster: Bytes; agentClock: number;
}

export type PairEvent = { bundle: Bundle } | { digits: string } | { paired: Paired };

/** Why the agent stopped, by the reason byte; 0 and what follows is no reason. */
export const STOPS: readonly (PairStop | undefined)[] = [undefined, "two_devices", "wrong_digits", "old", "refused", "cancelled", "bad", "version"];

/** The pairing is over, for this reason. byAgent: the agent said so, and gave it. */
export class PairError extends Error {
  override name = "PairError";
  constructor(readonly stop: PairStop, readonly byAgent = false) {
    super(`pairing: ${stop}`);
  }
}

/** The bundle is not the one that the code was made for: somebody who knows the code put his own in its place. */
export class NotOursError extends PairError {
  override name = "NotOursError";
}

async function boxes(prk: CryptoKey, r: Word, w: Word): Promise<Boxes> {
  const one = async (dir: Direction): Promise<BoxKeys> => ({ r: await expand(prk, r, Uint8Array.of(dir)), w: await expand(prk, w, Uint8Array.of(dir)) });
  return { 1: await one(1), 2: await one(2) };
}

/** The signing key of this pairing: private part non-extractable, public part as 32 bytes. */
export interface SignKey { privateKey: CryptoKey; publicKey: Bytes }

/** Where the randomness of a pairing comes from; a test of both ends gives its own. */
export interface PairRandom {
  nonce(): Bytes;
  ephemeral(): Promise<CryptoKeyPair>;
  iv(): Bytes;
}

const realRandom: PairRandom = {
  nonce: () => random(32),
  iv: () => random(12),
  ephemeral: () => crypto.subtle.generateKey("X25519", false, ["deriveBits"]) as Promise<CryptoKeyPair>,
};

export class DevicePairing {
  private bundle: Bundle | undefined;
  private h1 = NONE;
  private h2 = NONE;
  private r: CryptoKey | undefined;
  private msg1: Bytes | undefined;
  private nonceA = NONE;
  private fields: DeviceFields | undefined;
  private shown = false;
  private ended: PairError | undefined;
  private done = false;

  private constructor(private readonly offer: Offer, private readonly prk: CryptoKey, readonly boxes: Boxes, private readonly rnd: PairRandom) {}

  static async start(offer: Offer, rnd: PairRandom = realRandom): Promise<DevicePairing> {
    const prk = await extract(NONE, offer.secret);
    return new DevicePairing(offer, prk, await boxes(prk, "pair box r", "pair box w"), rnd);
  }

  hello(): Bytes {
    return Uint8Array.of(PAIR.hello, VERSION);
  }

  /**
   * Takes one message of the pairing mailbox. Undefined: noise, or a repetition; nothing changed. Throws PairError when the pairing is
   * over. Calls must not overlap.
   */
  async receive(msg: Bytes): Promise<PairEvent | undefined> {
    if (this.ended) throw this.ended;
    if (this.done || msg.length < 2) return undefined;
    try {
      return await this.read(msg[0]!, msg.slice(1));
    } catch (e) {
      if (e instanceof OpenError) return undefined;
      this.ended = e instanceof PairError ? e : new PairError(e instanceof SuiteError ? "version" : "unproven");
      throw this.ended;
    }
  }

  private async read(type: number, box: Bytes): Promise<PairEvent | undefined> {
    switch (type) {
      case PAIR.bundle: return this.readBundle(box);
      case PAIR.msg2: return this.readMsg2(box);
      case PAIR.msg3: return this.readMsg3(box);
      case PAIR.stop: return this.readStop(box);
      default: return undefined;
    }
  }

  private async readBundle(box: Bytes): Promise<PairEvent | undefined> {
    if (this.bundle) return undefined;
    const raw = await openBox(await boxKey(await expand(this.prk, "bundle", NONE)), box, label("bundle"));
    const fingerprint = (await hash("bundle", raw)).slice(0, 16);
    if (!equal(fingerprint, this.offer.fingerprint)) throw new NotOursError("unproven");
    this.bundle = parseBundle(raw);
    this.h1 = await hash("t1", raw);
    return { bundle: this.bundle };
  }

  /** msg1, once the person agreed to pair with what the bundle names; called again, the same bytes. push: where pushes reach this device. */
  async confirm(key: SignKey, name: string, platform: string, push: Target = NO_PUSH, passkey: DeviceFields["passkey"] = NO_PASSKEY): Promise<Bytes> {
    if (this.ended) throw this.ended;
    this.msg1 ??= await this.makeMsg1(key, { name, platform, push, passkey });
    return this.msg1;
  }

  private async makeMsg1(key: SignKey, says: Pick<DeviceFields, "name" | "platform" | "push" | "passkey">): Promise<Bytes> {
    if (!this.bundle) throw new FormatError("confirm before the bundle");
    const own = await this.rnd.ephemeral();
    const pub = new Uint8Array(await crypto.subtle.exportKey("raw", own.publicKey));
    this.fields = { key: key.publicKey, nonce: this.rnd.nonce(), ...says };
    this.r = await extract(this.offer.secret, await exchange(own.privateKey, this.bundle.ephemeral));
    const f = writeFields(this.fields), sized = new Writer().u32(f.length).bytes(f).done();
    const signature = await sign(key.privateKey, concat(label("pair"), this.h1, pub, sized));
    const sealed = await sealBox(await this.transcriptKey("msg1", this.h1), concat(sized, signature), this.aad("msg1"), this.rnd.iv());
    const sent = concat(pub, sealed);
    this.h2 = await hash("t2", this.h1, sent);
    return concat(Uint8Array.of(PAIR.msg1), sent);
  }

  private aad(word: Word): Bytes {
    return concat(label(word), this.h1);
  }

  /** R expanded, as an AES key. */
  private async transcriptKey(word: Word, context: Bytes): Promise<CryptoKey> {
    return boxKey(await expand(this.r!, word, context));
  }

  private async readMsg2(box: Bytes): Promise<PairEvent | undefined> {
    if (!this.msg1 || this.shown) return undefined;
    const r = new Reader(await openBox(await this.transcriptKey("msg2", this.h2), box, this.aad("msg2")));
    const [nonceA, signature] = [r.bytes(32), r.bytes(64)];
    r.end();
    const kept = equal(await hash("commit", nonceA), this.bundle!.commitment);
    if (!kept || !(await verify(this.bundle!.agentKey, concat(label("confirm"), this.h2, nonceA), signature))) throw new PairError("unproven");
    this.nonceA = nonceA;
    this.shown = true;
    return { digits: checkDigits(await expand(this.r!, "digits", this.transcript(), 8)) };
  }

  /** What depends on the whole handshake: H2 || N_a. */
  private transcript(): Bytes {
    return concat(this.h2, this.nonceA);
  }

  private async readMsg3(box: Bytes): Promise<PairEvent | undefined> {
    if (!this.shown) return undefined;
    const r = new Reader(await openBox(await this.transcriptKey("msg3", this.transcript()), box, this.aad("msg3")));
    const device = r.bytes(16), length = r.u32();
    if (length > MAX_ROSTER) throw new FormatError("roster too long");
    const roster = r.bytes(length), agentClock = r.u64();
    r.end();
    if (!equal(device, await deviceId(this.fields!.key))) throw new PairError("unproven");
    const paired = await this.keep(device, roster, agentClock);
    this.forget();
    return { paired };
  }

  /** K and all that follows from it. */
  private async keep(device: Bytes, roster: Bytes, agentClock: number): Promise<Paired> {
    const root = await expand(this.r!, "root", this.transcript()), bundle = this.bundle!;
    const k = await hmacKey(root);
    root.fill(0);
    return {
      agent: hex(await agentId(bundle.agentKey)), device: hex(device), agentKey: bundle.agentKey, deviceKey: this.fields!.key,
      boxes: await boxes(k, "box r", "box w"), ratchet: await newRatchet(await expand(k, "chain 0", NONE), bundle.expires), bundle, roster, agentClock,
    };
  }

  private async readStop(box: Bytes): Promise<undefined> {
    if (!this.bundle) return undefined;
    const plain = await openBox(await boxKey(await expand(this.prk, "stop", NONE)), box, this.aad("stop"));
    const stop = plain.length === 1 ? STOPS[plain[0]!] : undefined;
    if (stop !== undefined) throw new PairError(stop, true);
    return undefined;
  }

  private forget(): void {
    this.done = true;
    this.offer.secret.fill(0);
    this.nonceA.fill(0);
    this.fields?.nonce.fill(0);
    this.r = undefined;
  }
}

/** X25519 (RFC 7748 section 6.1). An all-zero result, or a point that the browser refuses, proves a foul key. */
async function exchange(own: CryptoKey, other: Bytes): Promise<Bytes> {
  try {
    const pub = await crypto.subtle.importKey("raw", other, "X25519", true, []);
    const shared = new Uint8Array(await crypto.subtle.deriveBits({ name: "X25519", public: pub }, own, 256));
    if (shared.some((b) => b !== 0)) return shared;
  } catch {
    // the same answer as for zeros
  }
  throw new PairError("unproven");
}

