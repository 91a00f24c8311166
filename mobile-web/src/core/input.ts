// A caller's input as the screens show it: field by field, in the caller's order, with the very text of every token.

import { FormatError } from "./bytes.ts";
import { type Kind, scanHalves, type Value } from "./json.ts";

/** One field. name is decoded ("" for an input that is no object); text is a string's characters, else the token's own text. */
export interface InputField {
  name: string;
  kind: Kind;
  text: string;
  /** The value as the caller wrote it, quotes and escapes included. */
  raw: string;
  /** For objects and lists: what is inside, named or numbered from 0. */
  fields: InputField[];
}

export interface InputView {
  /** Not strict JSON, so nobody can say what it means: no Allow; raw is all that can be shown. */
  undecodable: boolean;
  /** There is nothing in it: no Allow. */
  empty: boolean;
  kind: Kind;
  raw: string;
  fields: InputField[];
}

/** Scans a card's input. Never throws; whether it may be allowed is cardNoAllow's to say. */
export function scanInput(raw: string): InputView {
  if (/^\p{White_Space}*$/u.test(raw)) return { undecodable: false, empty: true, kind: "null", raw, fields: [] };
  try {
    const v = scanHalves(raw), empty = v.kind === "null" || (v.kind === "object" && v.members.length === 0);
    return { undecodable: false, empty, kind: v.kind, raw, fields: v.kind === "object" ? inside(v) : [field("", v)] };
  } catch (e) {
    if (!(e instanceof FormatError)) throw e;
    return { undecodable: true, empty: false, kind: "null", raw, fields: [] };
  }
}

function field(name: string, v: Value): InputField {
  return { name, kind: v.kind, text: v.text, raw: v.raw, fields: inside(v) };
}

function inside(v: Value): InputField[] {
  return [...v.members.map((m) => field(m.name, m.value)), ...v.items.map((item, i) => field(String(i), item))];
}
