// The exact rules that hold on a machine, each with who signed it, its uses and its end. Removing takes effect at once.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { date, daysAgo, hour, tick } from "./clock.ts";
import { Icon } from "./icons.tsx";
import { count, t } from "./i18n.ts";
import { callerName } from "./names.ts";
import { Order } from "./order.tsx";
import { Title } from "./page.tsx";
import { machineAddress } from "./route.ts";
import { Paper } from "./slip.tsx";
import { core } from "./store.ts";
import { Name, Quote, firstLine, groups, plain } from "./text.tsx";
import type { Machine, RuleRow } from "../core/types.ts";

const when = (ms: number): string => (daysAgo(ms, tick.peek()) === 0 ? hour(ms) : date(ms));

/** "Pixel, 12 Nov · used 41 times, last at 13:58 · no end" */
function facts(r: RuleRow, m: Machine): string {
  const at = (ms: number) => when(ms - m.clockOffset);
  const who = m.devices.find((d) => d.id === r.device)?.name ?? r.device;
  const used = r.used === 0 ? t("not used yet") : count(r.used, "used once", "used {n} times") + (r.last > 0 ? `, ${t("last at {time}", { time: at(r.last) })}` : "");
  const end = r.uses > 0 ? count(r.uses, "{n} use left", "{n} uses left") : r.ends > 0 ? t("until {time}", { time: at(r.ends) }) : t("no end");
  return [`${plain(who)}, ${date(r.made - m.clockOffset)}`, used, end].join(" · ");
}

function RuleCard({ r, m, remove }: { r: RuleRow; m: Machine; remove(): void }): JSX.Element {
  return (
    <article class="card">
      <div class="card-head"><h2><Name text={callerName(r.caller)} /></h2><span class="label"><Name text={r.tool} /> · <Quote text={r.folder} /></span></div>
      <Paper text={r.target} />
      <div class="foot">
        <p class="label">{facts(r, m)}{r.pinned.map((p) => <> · {t("file pinned")} <code>{groups(p.hash, 2)}</code></>)}</p>
        <button type="button" class="btn risk" aria-label={t("Remove: {what}", { what: plain(firstLine(r.target)) })} onClick={remove}>{t("Remove")}</button>
      </div>
    </article>
  );
}

export function Rules({ m }: { m: Machine }): JSX.Element {
  const [asked, ask] = useState<Promise<void>>();
  return (
    <main id="main" class="page desk">
      <div class="top"><a class="back" href={machineAddress(m.id)}><Icon name="back" /><Name text={m.host} /></a></div>
      <div><Title at={`rules ${m.id}`}>{t("Rules")}</Title><p class="small mt2">{t("Each was signed by a device and allows one exact call: same caller, folder, tool and text, byte for byte. Removing takes effect at once.")}</p></div>
      {m.rules.length === 0 && <p class="small">{t("No rules. Every call is asked.")}</p>}
      <div class="cards">{m.rules.map((r) => <RuleCard key={String(r.id)} r={r} m={m} remove={() => ask(core().removeRule(m.id, r.id))} />)}</div>
      <Order of={asked} host={m.host} />
    </main>
  );
}
