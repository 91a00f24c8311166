// The sentence that heads a card: who asks for what. Our words around the caller's name.
import { t } from "./i18n.ts";
import { callerName } from "./names.ts";
import { plain } from "./text.tsx";
import type { Call } from "./call.ts";
import type { Card } from "../core/types.ts";

const ADMIN = {
  admit: "{host} asks to add a device",
  recover: "{host} asks to add a device without the old ones",
  policy: "{host} asks to change its policy",
  rule: "{host} asks to add a rule",
} as const;

const WANTS = { run: "wants to run a command", edit: "wants to edit a file", write: "wants to write a file", use: "wants to use {tool}" } as const;
const WHOLE = { run: "{caller} wants to run a command", edit: "{caller} wants to edit a file", write: "{caller} wants to write a file", use: "{caller} wants to use {tool}" } as const;

/** A call that was cut shows no input, but the well-known tools say by their names what they do. */
const BY_TOOL: Readonly<Record<string, keyof typeof WANTS>> = { Bash: "run", shell: "run", run_shell_command: "run", bash: "run", Edit: "edit", MultiEdit: "edit", Write: "write" };

function doing(card: Card, call: Call): keyof typeof WANTS {
  if (card.cut !== undefined && Object.hasOwn(BY_TOOL, card.tool)) return BY_TOOL[card.tool]!;
  return call.doing === "ask" || call.doing === "admit" ? "use" : call.doing;
}

/** "Claude Code wants to run a command" */
export function heading(card: Card, call: Call, questions: number): string {
  if (card.kind === "admin" && card.admin) return t(ADMIN[card.admin.action], { host: card.host });
  const caller = plain(callerName(card.caller));
  if (card.kind === "question") return t(questions === 1 ? "{caller} asks a question" : "{caller} asks {n} questions", { caller, n: questions });
  return t(WHOLE[doing(card, call)], { caller, tool: plain(card.tool) });
}

/** "wants to run a command", below the caller's name in a list. */
export function wants(card: Card, call: Call, questions: number): string {
  if (card.kind === "admin") return t("asks for itself");
  if (card.kind === "question") return t(questions === 1 ? "asks a question" : "asks {n} questions", { n: questions });
  return t(WANTS[doing(card, call)], { tool: plain(card.tool) });
}

/** Who stands in the list: the caller, or the machine itself. */
export const asker = (card: Card): string => (card.kind === "admin" ? card.host : callerName(card.caller));
