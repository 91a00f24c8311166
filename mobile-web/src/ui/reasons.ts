// Reasons in words. The ids and both languages come from the machine's own table, so that a rule added there is said here.
import table from "../../../agent/internal/rules/reasons.json";
import { lang, t } from "./i18n.ts";

interface Said { id: string; en: string; pt: string }

const said = new Map((table as Said[]).map((r) => [r.id, r]));

/** The sentence for an id; an id from a newer machine is said as what it is. */
export function reasonWords(id: string): string {
  const known = said.get(id);
  if (known === undefined) return t("A reason that this version does not know ({id})", { id });
  return lang.value === "pt-BR" ? known.pt : known.en;
}
