// The card's body, read strictly. The device renders from these bytes only, and its answer signs their digest.

import { MAX } from "./appendix.ts";
import { type Bytes, FormatError } from "./bytes.ts";
import { type Fields, parseBody } from "./fields.ts";
import { exactRule, log, NAME, PATH, pin, TARGET, WORD } from "./messages.ts";
import type { Card, ExactRule } from "./types.ts";

type Ask = NonNullable<Card["admin"]>;

export function parseCard(body: Bytes): Card {
  const card = parseBody(body, MAX.body, readCard);
  const faults = [
    card.expires < card.made,
    (card.kind === "admin") !== (card.admin !== undefined),
    card.cut !== undefined && card.input !== "",
    card.rules.length > 0 && (card.kind !== "call" || card.class === "destructive" || card.cut !== undefined),
  ];
  if (faults.includes(true)) throw new FormatError("card: its members do not fit each other");
  return card;
}

function readCard(f: Fields): Card {
  const version = f.number("version", 1, 1) as 1;
  const card: Card = { version, request_id: f.hex("request_id", 16), kind: f.word("kind", "call", "question", "admin"), ...called(f), ...judged(f), ...bound(f) };
  if (f.has("subagent")) card.subagent = f.object("subagent", (s) => ({ id: s.text("id", WORD), type: s.text("type", WORD) }));
  if (f.has("changes")) card.changes = f.list("changes", 32, (c) => ({ filter: c.text("filter", NAME, 1), before: c.text("before", MAX.body), after: c.text("after", MAX.body) }));
  if (f.has("cut")) card.cut = f.object("cut", cut);
  if (f.has("admin")) card.admin = f.object("admin", ask);
  return card;
}

/** The caller's own. */
function called(f: Fields): Pick<Card, "caller" | "session" | "host" | "folder" | "tool" | "input"> {
  return {
    caller: f.text("caller", NAME, 1), session: f.text("session", WORD), host: f.text("host", NAME, 1), folder: f.text("folder", PATH),
    tool: f.text("tool", WORD), input: f.text("input", MAX.body),
  };
}

/** The agent's judgement. */
function judged(f: Fields): Pick<Card, "call_digest" | "class" | "reasons" | "needs" | "made" | "expires"> {
  return {
    call_digest: f.hex("call_digest", 32), class: f.word("class", "routine", "sensitive", "destructive"),
    reasons: f.list("reasons", 64, (r) => ({ id: r.text("id", NAME, 1), piece: r.text("piece", TARGET) })),
    needs: f.object("needs", (n) => ({ via: n.word("via", "tap", "app", "passkey"), quorum: n.number("quorum", 1, 16) })),
    made: f.number("made", 1), expires: f.number("expires", 1),
  };
}

/** What the answer binds beside the call. */
function bound(f: Fields): Pick<Card, "pinned" | "rules" | "roster_hash" | "log" | "human" | "own_prompt"> {
  let n = 0;
  const numbered = (r: Fields): ExactRule => ({ id: r.number("id", n, n++), ...exactRule(r) });
  return {
    pinned: f.list("pinned", 256, pin), rules: f.list("rules", 4, numbered), roster_hash: f.hex("roster_hash", 32), log: f.object("log", log),
    human: f.text("human", WORD), own_prompt: f.flag("own_prompt"),
  };
}

function cut(f: Fields): NonNullable<Card["cut"]> {
  return { first: f.texts("first", 64, 2048), last: f.texts("last", 64, 2048), lines: f.number("lines", 1), bytes: f.number("bytes", 1) };
}

function ask(f: Fields): Ask {
  const action = f.word("action", "admit", "recover", "policy", "rule");
  if (action === "policy" || action === "rule") return { action, text: f.text("text", MAX.body, 1), digest: f.hex("digest", 32) };
  return { action, device_id: f.hex("device_id", 16), name: f.text("name", NAME, 1), platform: f.text("platform", NAME), same_machine: f.flag("same_machine") };
}
