// "Always allow exactly this": the exact rules that the card states, with their ends and uses; never ticked by itself.
import type { JSX } from "preact";
import { hour, date, daysAgo, tick } from "./clock.ts";
import { count, sentence, t } from "./i18n.ts";
import { callerName } from "./names.ts";
import { offsetOf } from "./store.ts";
import { Name, Quote } from "./text.tsx";
import type { ExactRule, Waiting } from "../core/types.ts";

function ends(ms: number): string {
  return daysAgo(ms, tick.peek()) === 0 ? t("Ends at {time}.", { time: hour(ms) }) : t("Ends on {time}.", { time: `${date(ms)} ${hour(ms)}` });
}

/** How long a rule holds, as one sentence or two. */
function holds(r: ExactRule, machine: string): string {
  const uses = r.uses > 0 ? count(r.uses, "At most {n} use.", "At most {n} uses.") : "";
  const end = r.ends > 0 ? ends(r.ends - offsetOf(machine)) : uses === "" ? t("No end date.") : "";
  return [uses, end].filter((s) => s !== "").join(" ");
}

const TEXT = "{caller}, in {folder}, {tool}, this text and no other. {end}", CHANGE = "{caller}, in {folder}, {tool}, this change and no other. {end}";

function exact(r: ExactRule, machine: string, edit: boolean): ReturnType<typeof sentence> {
  return sentence(edit ? CHANGE : TEXT, { caller: <Name text={callerName(r.caller)} />, folder: <Quote text={r.folder} />, tool: <Name text={r.tool} />, end: holds(r, machine) });
}

export interface Rule { chosen: ExactRule; ticked: boolean }

export function Always({ w, rule, edit, set }: { w: Waiting; rule: Rule; edit: boolean; set(next: Rule): void }): JSX.Element {
  const rules = w.card.rules;
  return (
    <div class="always">
      <label class="choice">
        <input type="checkbox" checked={rule.ticked} onChange={(e) => set({ ...rule, ticked: e.currentTarget.checked })} />
        <span><b>{t("Always allow exactly this")}</b>{exact(rule.chosen, w.machine, edit)}</span>
      </label>
      {rules.length > 1 && rule.ticked && (
        <div class="until"><label for="al">{t("For how long")}</label>
          <select id="al" class="select" value={rule.chosen.id} onChange={(e) => set({ ...rule, chosen: rules.find((r) => r.id === Number(e.currentTarget.value)) ?? rule.chosen })}>
            {rules.map((r) => <option value={r.id}>{holds(r, w.machine)}</option>)}
          </select>
        </div>
      )}
    </div>
  );
}
