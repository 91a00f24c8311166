// One card, the whole screen. Order of reading and of focus: Back, heading, reasons, slip, Always, About, then the bar.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { About } from "./about.tsx";
import { Always, type Rule } from "./always.tsx";
import { answer } from "./answer.ts";
import { AnswerBar, SayWhy, type Answers } from "./bar.tsx";
import { heading } from "./heading.ts";
import { Icon, Tag } from "./icons.tsx";
import { count, sentence, size, t } from "./i18n.ts";
import { against, look, type Look } from "./look.ts";
import { outcomeOf } from "./outcome.tsx";
import { Title } from "./page.tsx";
import { cardAddress, route } from "./route.ts";
import { DenySheet } from "./sheet.tsx";
import { EndsSlip, Slip } from "./slip.tsx";
import { Questions, useAnswers } from "./question.tsx";
import { keyOf } from "./store.ts";
import { Name, Quote } from "./text.tsx";
import { Changed, Hidden, NoAllowNote, Reasons, WhatNow } from "./why.tsx";
import { useGuard } from "./guard.ts";
import { useReading } from "./readend.ts";
import type { Call } from "./call.ts";
import type { Card, Waiting } from "../core/types.ts";

function Where({ card }: { card: Card }): JSX.Element {
  const host = <b><Name text={card.host} /></b>;
  return <p class="small">{card.folder === "" ? sentence("on {host}", { host }) : sentence("on {host}, in {folder}", { host, folder: <Quote text={card.folder} /> })}</p>;
}

function Top({ card }: { card: Card }): JSX.Element {
  return <div class="top"><a class="back narrow" href="#/"><Icon name="back" />{t("Waiting")}</a><Tag name={card.kind === "question" ? "question" : card.class} /></div>;
}

/** What the slip is: the tool or the file, and how much. */
function SlipHead({ card, call }: { card: Card; call: Call }): JSX.Element {
  const body = call.bodies.filter((b) => b.of === "diff");
  if (body.length > 0 && call.doing === "edit") {
    const a = body.reduce((n, b) => n + (b.of === "diff" ? b.added : 0), 0), d = body.reduce((n, b) => n + (b.of === "diff" ? b.removed : 0), 0);
    return <div class="slip-head"><span><Quote text={call.path ?? ""} /></span><span class="num"><Name text={card.tool} /> · {t("{a} added, {d} removed", { a, d })}</span></div>;
  }
  const how = count(call.lines, "{n} line", "{n} lines") + (call.bytes > 0 ? `, ${size(call.bytes)}` : "");
  if (call.path !== undefined) return <div class="slip-head"><span><Quote text={call.path} /></span><span class="num"><Name text={card.tool} /> · {how}</span></div>;
  return <div class="slip-head"><b><Name text={card.kind === "admin" ? card.host : card.tool} /></b><span class="num">{how}</span></div>;
}

const Foot = ({ call }: { call: Call }): JSX.Element => (
  <>
    <p class="slip-foot"><Icon name="whole" /><span>{t("Shown whole, byte for byte.")}</span></p>
    {call.open && <p class="slip-foot"><span>{t("No line end after the last line.")}</span></p>}
    {call.bodies.some((b) => b.of === "diff") && <p class="slip-foot"><span aria-hidden="true">↪</span><span>{t("goes on from the line above: one line, wrapped to fit")}</span></p>}
  </>
);

function Cut({ cut, card }: { cut: NonNullable<Card["cut"]>; card: Card }): JSX.Element {
  return (
    <section>
      <div class="slip-head"><b><Name text={card.tool} /></b><span class="num">{count(cut.lines, "{n} line", "{n} lines")}, {size(cut.bytes)}</span></div>
      <EndsSlip first={cut.first} last={cut.last} lines={cut.lines} />
      <p class="slip-foot"><span>{t("Beginning and end only. Not shown whole.")}</span></p>
    </section>
  );
}

/** The call on paper, its size above it, and the promise below. */
function TheCall({ card, call, paper }: { card: Card; call: Call; paper: { current: HTMLElement | null } }): JSX.Element {
  if (card.cut) return <Cut cut={card.cut} card={card} />;
  return (
    <section ref={(e) => { paper.current = e; }}>
      <SlipHead card={card} call={call} />
      <Slip call={call} />
      <Foot call={call} />
    </section>
  );
}

function SameMachine({ card }: { card: Card }): JSX.Element | null {
  if (card.admin === undefined || "text" in card.admin || !card.admin.same_machine) return null;
  return <p class="small"><span class="mark">{t("same machine")}</span> {t("“Same machine”: a program of the same user could press its buttons. It counts towards no quorum.")}</p>;
}

function firstRule(card: Card): Rule | undefined {
  const chosen = card.rules[0];
  return chosen === undefined ? undefined : { chosen, ticked: false };
}

/** Everything above the bar. */
function Above({ w, seen, children }: { w: Waiting; seen: Look; children: ComponentChildren }): JSX.Element {
  const why = w.progress.at === "expired" ? "expired" : outcomeOf(w) === undefined ? against(w) : undefined;
  return (
    <>
      <Top card={w.card} />
      <div><Title ask at={keyOf(w)}>{heading(w.card, seen.call, seen.asked?.questions.length ?? 0)}</Title><Where card={w.card} /></div>
      {why !== undefined && <NoAllowNote why={why} w={w} />}
      <Reasons card={w.card} />
      <Changed card={w.card} />
      <Hidden call={seen.call} id={w.card.request_id} />
      {children}
      {why === "too_large" && <WhatNow w={w} />}
    </>
  );
}

/** Shows a sheet beside the app; when it is gone the focus returns to its opener. */
export type Over = (sheet: JSX.Element | null, opener: { current: HTMLElement | null }) => void;

/** The card as main's content; the sheet stands beside the app, so it is given to `over`. */
export function CardPage({ w, over }: { w: Waiting; over: Over }): JSX.Element {
  const key = keyOf(w), { card } = w, seen = look(card), answerable = outcomeOf(w) === undefined && against(w) === undefined;
  const page = useRef<HTMLElement>(null), bar = useRef<HTMLDivElement>(null), paper = useRef<HTMLElement>(null), opener = useRef<HTMLAnchorElement>(null);
  const reading = useReading(key, () => paper.current, () => bar.current); // before the guard, so that a short call is read when it ends
  const guard = useGuard(key, () => page.current);
  const [rule, setRule] = useState<Rule | undefined>(() => firstRule(card));
  const answers = useAnswers(w, seen);
  const why = `${cardAddress(w.machine, card.request_id)}/why`;
  useSheet(w, over, opener);
  return (
    <main id="main" class="page on-surface" ref={page}>
      <Above w={w} seen={seen}>
        {seen.asked ? <Questions w={w} asked={seen.asked} answers={answers} /> : <TheCall card={card} call={seen.call} paper={paper} />}
        <SameMachine card={card} />
      </Above>
      {answerable && rule && <Always w={w} rule={rule} edit={seen.call.path !== undefined} set={setRule} />}
      {answerable && card.class === "destructive" && <p class="small">{t("No rule can be made for a destructive call.")}</p>}
      <About card={card} />
      {reading.long && outcomeOf(w) === undefined && <SayWhy href={why} opener={opener} />}
      <AnswerBar w={w} guard={guard} reading={reading} rule={rule} answers={seen.asked ? bareAnswers(answers) : undefined} why={why} bar={bar} opener={opener} />
    </main>
  );
}

const bareAnswers = (a: ReturnType<typeof useAnswers>): Answers => ({ payload: a.payload, missing: a.missing });

/** Shows the deny sheet while the address says so, and takes it away when the card ends under it. */
function useSheet(w: Waiting, over: Over, opener: { current: HTMLAnchorElement | null }): void {
  const at = route.value, open = at.at === "card" && at.sheet && w.progress.at === "open";
  useEffect(() => {
    const close = () => history.back();
    over(open ? <DenySheet w={w} close={close} deny={(words) => { close(); void answer(w, "deny", words === "" ? {} : { words }); }} /> : null, opener);
    return () => over(null, opener);
  }, [open, w]);
}
