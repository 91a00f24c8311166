// The storage self-test at pairing: some browsers store a key and give back nothing (private windows, Lockdown Mode, one engine with one kind
// of key). Each key goes into a record of its own; the database is closed and opened again; then each must sign.

import { equal, random } from "./bytes.ts";
import { deleteDatabase, got, openDatabase, transact } from "./idb.ts";
import { hmacKey } from "./kdf.ts";

const NAME = "answerback-selftest";

/** Whether this browser keeps the kinds of key that a pairing needs. Never throws. */
export async function keepsKeys(): Promise<boolean> {
  try {
    return await trial();
  } catch {
    return false;
  } finally {
    await deleteDatabase(NAME);
  }
}

async function trial(): Promise<boolean> {
  const pair = (await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"])) as CryptoKeyPair;
  const raw = random(32), message = random(32);
  await write({ sign: pair.privateKey, chain: await hmacKey(raw) });
  const [sign, chain] = await read("sign", "chain");
  if (!sign || !chain || sign.extractable || chain.extractable) return false;
  const signature = await crypto.subtle.sign("Ed25519", sign, message);
  const signs = await crypto.subtle.verify("Ed25519", pair.publicKey, signature, message);
  const [want, have] = await Promise.all([hmacKey(raw), chain].map(async (k) => crypto.subtle.sign("HMAC", await k, message)));
  return signs && equal(new Uint8Array(want!), new Uint8Array(have!));
}

const open = (): Promise<IDBDatabase> => openDatabase(NAME, 1, (db) => void db.createObjectStore("keys"));

async function write(keys: Record<string, CryptoKey>): Promise<void> {
  const db = await open();
  for (const [name, key] of Object.entries(keys)) await transact(db, ["keys"], "readwrite", (tx) => got(tx.objectStore("keys").put(key, name)));
  db.close();
}

async function read(...names: string[]): Promise<(CryptoKey | undefined)[]> {
  const db = await open();
  const out = await transact(db, ["keys"], "readonly", (tx) => Promise.all(names.map((n) => got<CryptoKey | undefined>(tx.objectStore("keys").get(n)))));
  db.close();
  return out;
}
