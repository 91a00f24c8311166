// Every label of the protocol, "answerback/1 <word>" || 0x00. No word holds a zero byte, so no label begins another.

import { type Bytes, utf8 } from "./bytes.ts";

export type Word =
  | "bundle" | "stop" | "commit" | "t1" | "t2" | "pair box r" | "pair box w" | "msg1" | "msg2" | "msg3" | "digits" | "root" | "pair" | "confirm"
  | "box r" | "box w" | "chain 0" | "chain" | "key" | "reply" | "topic" | "agent" | "device" | "answer" | "card" | "call" | "receipt" | "uv"
  | "message" | "roster"
  // The mailbox's own three, which the relay knows too.
  | "box" | "r" | "w";

export function label(word: Word): Bytes {
  return utf8(`answerback/1 ${word}\0`);
}
