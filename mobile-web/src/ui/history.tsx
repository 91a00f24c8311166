// What this phone has seen, kept and searched on the phone. A stamp stands only where the machine's own word ended the card.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";
import { date, daysAgo, hour, tick } from "./clock.ts";
import { gist, readCall, type Call } from "./call.ts";
import { number, t } from "./i18n.ts";
import { callerName } from "./names.ts";
import { Stamp } from "./outcome.tsx";
import { Title } from "./page.tsx";
import { Slip } from "./slip.tsx";
import { core, waiting } from "./store.ts";
import { Name, OneLine, Quote, groups } from "./text.tsx";
import type { Past } from "../core/types.ts";

type Ended = "allowed" | "denied" | "answered" | "none";
interface Said { kind: Ended; title: string; by: string; icon: IconName }

/** How a card ended, in a word, and by whom. */
function said(p: Past): Said {
  const by = p.mine ? t("you") : p.device !== undefined && p.device !== "" ? p.device : "";
  const none = (title: string, who: string, icon: IconName): Said => ({ kind: "none", title, by: who, icon });
  switch (p.outcome === "accepted" || p.outcome === "counted" ? p.decision : p.outcome) {
    case "allow": case "allowed": return { kind: "allowed", title: t("Allowed"), by, icon: "tick" };
    case "deny": case "denied": return { kind: "denied", title: t("Denied"), by, icon: "cross" };
    case "answered": return { kind: "answered", title: t("Answered"), by, icon: "tick" };
    case "hand_back": case "handed_back": return none(t("Handed back"), by, "returned");
    case "terminal": return none(t("At the terminal"), t("someone at {host}", { host: p.host }), "terminal");
    case "withdrawn": return none(t("Withdrawn"), t("no longer asked here"), "returned");
    case "refused": return none(t("Refused"), p.host, "cross");
    case "undelivered": return none(t("Undelivered"), p.host, "returned");
    case "unknown": return none(t("Unknown"), p.host, "returned");
    case "too_late": return none(t("Too late"), t("nobody in time"), "clock");
    default: return none(t("Expired"), t("nobody in time"), "clock");
  }
}

/** Only these came by a receipt of the machine for this phone's own answer. */
const accepted = (p: Past, s: Said): boolean => p.mine && s.kind !== "none";

function Record({ p, call, s }: { p: Past; call: Call; s: Said }): JSX.Element {
  return (
    <div class="rec">
      <Slip call={call} />
      {accepted(p, s) && <Stamp print={{ ink: "blue", what: t("Accepted by"), who: p.host, at: p.ended }} />}
      {p.words !== undefined && p.words !== "" && <p class="small">{t("You said")}: <span class="own">{p.words}</span></p>}
      <dl class="facts">
        <dt>{t("Machine")}</dt><dd><Name text={p.host} /></dd>
        {p.folder !== "" && <><dt>{t("Folder")}</dt><dd><Quote text={p.folder} /></dd></>}
        {p.device !== undefined && p.device !== "" && <><dt>{t("Answered on")}</dt><dd><Name text={p.device} /></dd></>}
        <dt>{t("Log")}</dt><dd><span class="num">{number(p.log.size)}</span> {t("records")}<br /><code>{groups(p.log.root, 8)}</code></dd>
        <dt>{t("Call digest")}</dt><dd><code>{groups(p.call_digest, 4)}</code></dd>
        <dt>{t("Enforcement")}</dt><dd>{t("advisory")}</dd>
      </dl>
    </div>
  );
}

function Item({ p }: { p: Past }): JSX.Element {
  const [shown, setShown] = useState(false);
  const s = said(p), call = readCall({ input: p.input, kind: "call" });
  return (
    <li><details onToggle={(e) => setShown(e.currentTarget.open)}>
      <summary class="hist">
        <span class="hist-i"><Icon name={s.icon} /></span>
        <span class="hist-m">
          <span class="card-head"><b>{s.title}</b><span class="label num">{hour(p.ended)}</span></span>
          <OneLine text={gist({ tool: p.tool }, call)} />
          <span class="label"><Name text={callerName(p.caller)} />{s.by !== "" && <> · <Name text={s.by} /></>}</span>
        </span>
        <Icon name="down" />
      </summary>
      {shown && <Record p={p} call={call} s={s} />}
    </details></li>
  );
}

type Filter = "" | Ended;
const FILTERS: readonly [Filter, string][] = [["", "All"], ["allowed", "Allowed"], ["denied", "Denied"], ["none", "Not answered"]];

const fits = (p: Past, filter: Filter, find: string): boolean =>
  (filter === "" || said(p).kind === filter) && `${p.input}\n${p.caller}\n${callerName(p.caller)}\n${p.folder}\n${p.host}`.toLowerCase().includes(find.trim().toLowerCase());

function dayName(ms: number): string {
  const days = daysAgo(ms, tick.peek());
  return days <= 0 ? t("Today") : days === 1 ? t("Yesterday") : date(ms);
}

function Days({ all }: { all: Past[] }): JSX.Element {
  const days = new Map<string, Past[]>();
  for (const p of all) days.set(dayName(p.ended), [...(days.get(dayName(p.ended)) ?? []), p]);
  return <>{[...days].map(([name, list], i) => (
    <section class={i === 0 ? "" : "group-start"} aria-labelledby={`d${i}`}><h2 class="over mb2" id={`d${i}`}>{name}</h2><ul class="rows hist-list">{list.map((p) => <Item key={`${p.machine}/${p.request_id}`} p={p} />)}</ul></section>
  ))}</>;
}

/** The log heads that this phone has seen, one line each, for `log verify --heads`. */
function exportHeads(all: Past[]): void {
  const heads = new Map(all.map((p) => [`${p.machine} ${p.log.size} ${p.log.root}`, { agent: p.machine, size: p.log.size, root: p.log.root }]));
  const text = [...heads.values()].map((h) => JSON.stringify(h) + "\n").join("");
  const link = document.createElement("a"), url = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  link.href = url;
  link.download = "answerback-heads.jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const SHOWN = 100;

export function History(): JSX.Element {
  const [all, setAll] = useState<Past[]>(), [find, setFind] = useState(""), [filter, setFilter] = useState<Filter>(""), [most, setMost] = useState(SHOWN);
  useEffect(() => { core().history().then((list) => setAll([...list].sort((a, b) => b.ended - a.ended))).catch(() => setAll([])); }, [waiting.value]);
  const found = (all ?? []).filter((p) => fits(p, filter, find));
  return (
    <main id="main" class="page desk">
      <div><Title at="history">{t("History")}</Title></div>
      <div class="field search"><label class="vh" for="hs">{t("Search history")}</label><Icon name="search" /><input id="hs" type="search" placeholder={t("Command, caller or folder")} value={find} onInput={(e) => setFind(e.currentTarget.value)} /></div>
      <div class="filters" role="group" aria-label={t("Show")}>{FILTERS.map(([value, name]) => <button type="button" class="btn" aria-pressed={filter === value} onClick={() => setFilter(value)}>{t(name)}</button>)}</div>
      {all !== undefined && found.length === 0 && <p class="small" role="status">{t(all.length === 0 ? "Nothing yet." : "Nothing found.")}</p>}
      <Days all={found.slice(0, most)} />
      {found.length > most && <button type="button" class="btn block" onClick={() => setMost(most + SHOWN)}>{t("Show more")}</button>}
      {all !== undefined && all.length > 0 && <button type="button" class="btn block" onClick={() => exportHeads(all)}>{t("Export the heads this phone has seen")}</button>}
    </main>
  );
}
