// Mailboxes: all that the relay knows. box = H("box" || H("r" || r) || H("w" || w))[:20]; a reader shows r and the hash of w, a writer the
// hash of r and w, so nobody else can read, write, squat or flood a box.

import { type Bytes, concat, hex } from "./bytes.ts";
import { hash } from "./kdf.ts";

export interface BoxKeys { r: Bytes; w: Bytes }

/** Both keys' hashes and the box's id (hex, as a map key). */
export interface Box { id: string; hr: Bytes; hw: Bytes }

export async function boxOf(keys: BoxKeys): Promise<Box> {
  const [hr, hw] = [await hash("r", keys.r), await hash("w", keys.w)];
  return { id: hex((await hash("box", concat(hr, hw))).slice(0, 20)), hr, hw };
}
