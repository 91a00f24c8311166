// Runs the vectors of what goes over the wire: padding, envelope, answer, signed messages, link, bundle.

import { type Answer, answerBytes, orderBytes, receiptHash, uvChallenge } from "../core/answer.ts";
import { DECISION, VIA } from "../core/appendix.ts";
import { parseBundle } from "../core/bundle.ts";
import { FormatError, fromUtf8, hex, unhex } from "../core/bytes.ts";
import { open } from "../core/envelope.ts";
import { hmacKey } from "../core/kdf.ts";
import { parseLink } from "../core/offer.ts";
import { pad, unpad } from "../core/padding.ts";
import { keyBytes, replyBox } from "../core/ratchet.ts";
import { type Case, outcome, same, value } from "./check.ts";

interface PadCase extends Case { plain: string; type?: number; body?: string }

export async function runPadding(c: PadCase): Promise<void> {
  const got = await outcome(c, "format", () => unpad(unhex(c.plain)));
  if (!got) return;
  same("type", got.type, c.type);
  same("body", hex(got.body), c.body ?? "");
  same("padded again", hex(pad(got.type, got.body)), c.plain);
}

interface OpenCase extends Case {
  stored: number; chain: string; device: string; sealed?: string; type?: number; body?: string; day?: number; nonce?: string;
  after_stored: number; after_chain: string; reply_r?: string; reply_w?: string;
}

export async function runEnvelope(c: OpenCase): Promise<void> {
  const before = { stored: c.stored, newest: c.stored + 1, chain: await hmacKey(unhex(c.chain)) };
  const got = await outcome(c, "format", () => open(before, unhex(c.device), unhex(c.sealed ?? "")));
  if (!got) return;
  const { message, next } = got;
  same("message", `${message.type} ${hex(message.body)} ${message.day} ${hex(message.nonce)}`, `${c.type} ${c.body ?? ""} ${c.day} ${c.nonce}`);
  same("stored", next.stored, c.after_stored);
  same("newest", next.newest, c.after_stored + 1);
  // A chain cannot be read: it is compared by a key that it derives.
  same("chain", hex(await keyBytes(next.chain, 1)), hex(await keyBytes(await hmacKey(unhex(c.after_chain)), 1)));
  const reply = await replyBox(next, message.day, message.nonce);
  same("reply box", `${hex(reply.r)} ${hex(reply.w)}`, `${c.reply_r} ${c.reply_w}`);
}

interface AnswerCase extends Case {
  agent: string; device: string; request: string; card_digest: string; decision: number; flags: number; via: number; made: number; payload: string;
  out?: string; receipt?: string; challenge?: string;
}

/** The word of a byte value; one that has no word cannot even be asked for here. */
function wordOf<K extends string>(words: Record<K, number>, byte: number): K {
  const found = (Object.keys(words) as K[]).find((k) => words[k] === byte);
  if (found === undefined) throw new FormatError(`no word for ${byte}`);
  return found;
}

function ruleOf(flags: number): Pick<Answer, "rule"> {
  if (flags === 0) return {};
  if ((flags & 1) === 0) throw new FormatError("flags without a rule");
  return { rule: flags >> 1 };
}

function answerOf(c: AnswerCase): Answer {
  return {
    agent: unhex(c.agent), device: unhex(c.device), request: unhex(c.request), cardDigest: unhex(c.card_digest), decision: wordOf(DECISION, c.decision),
    via: wordOf(VIA, c.via), made: c.made, payload: fromUtf8(unhex(c.payload)), ...ruleOf(c.flags),
  };
}

export async function runAnswer(c: AnswerCase): Promise<void> {
  const bytes = await outcome(c, "answer", () => answerBytes(answerOf(c)));
  if (!bytes) return;
  same("answer", hex(bytes), c.out);
  same("receipt hash", hex(await receiptHash(bytes)), c.receipt);
  same("challenge", hex(await uvChallenge(bytes)), c.challenge);
}

interface SignedCase extends Case { agent: string; device: string; type: number; seq: number; body?: string; out: string }

export async function runSigned(c: SignedCase): Promise<void> {
  const bytes = (): Promise<Uint8Array> => orderBytes(unhex(c.agent), unhex(c.device), c.type, c.seq, unhex(c.body ?? ""));
  if (c.expect === "signed") await outcome(c, "signed", bytes);
  else value(c, await bytes());
}

interface LinkCase extends Case { link: string; app?: string; relay?: string; secret?: string; fingerprint?: string }

export async function runLink(c: LinkCase): Promise<void> {
  const got = await outcome(c, "link", () => parseLink(c.link));
  if (!got) return;
  same("app", got.app, c.app);
  same("relay", got.relay, c.relay ? `${new URL(c.app!).protocol}//${c.relay}` : c.app);
  same("secret", hex(got.secret), c.secret);
  same("fingerprint", hex(got.fingerprint), c.fingerprint);
}

interface BundleCase extends Case {
  bytes: string; agent_key?: string; ephemeral?: string; commitment?: string; expires?: number; agent_name?: string; host_name?: string; relay_url?: string;
  app_origin?: string;
}

export async function runBundle(c: BundleCase): Promise<void> {
  const b = await outcome(c, "format", () => parseBundle(unhex(c.bytes)));
  if (!b) return;
  const have = [hex(b.agentKey), hex(b.ephemeral), hex(b.commitment), b.expires, b.agentName, b.hostName, b.relayURL, b.appOrigin];
  same("bundle", have.join("|"), [c.agent_key, c.ephemeral, c.commitment, c.expires, c.agent_name, c.host_name, c.relay_url, c.app_origin].join("|"));
}
