// The list of what waits. Its order is fixed when it opens: nearest deadline first; a new call is added at the end, an ended one keeps
// its place as a receipt until the screen is left. Allow stands here only for a routine call that is shown whole.
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { answer, failed, signing } from "./answer.ts";
import { hour } from "./clock.ts";
import { Due } from "./due.tsx";
import { useGuard, type Guard } from "./guard.ts";
import { asker, wants } from "./heading.ts";
import { Brand, Icon, Tag, Tape } from "./icons.tsx";
import { count, number, t } from "./i18n.ts";
import { against, allowInList, fitsList, look, noBar } from "./look.ts";
import { gist } from "./call.ts";
import { End, outcomeOf } from "./outcome.tsx";
import { Dot, MachineLine, lastPush, trouble } from "./machine-line.tsx";
import { Title } from "./page.tsx";
import { cardAddress } from "./route.ts";
import { CutSlip, Slip } from "./slip.tsx";
import { core, isOpen, keyOf, machines, open, push, waiting } from "./store.ts";
import { Name, Quote } from "./text.tsx";
import type { Machine, Waiting } from "../core/types.ts";

/** The cards of this visit, in their fixed order. */
export function useOrder(): Waiting[] {
  const order = useRef<string[] | undefined>(undefined);
  const now = new Map(waiting.value.map((w) => [keyOf(w), w]));
  order.current ??= open.value.map(keyOf);
  for (const w of open.value) if (!order.current.includes(keyOf(w))) order.current.push(keyOf(w));
  return order.current.map((key) => now.get(key)).filter((w) => w !== undefined);
}

function ListSlip({ w }: { w: Waiting }): JSX.Element {
  const { call, asked } = look(w.card);
  if (fitsList(w.card)) return <Slip call={call} />;
  const line = asked?.questions[0]?.text ?? gist(w.card, call);
  const first = line.split("\n", 1)[0] ?? "";
  return <CutSlip line={[...first].slice(0, 300).join("")} more={Math.max(0, (w.card.cut?.lines ?? call.lines) - 1)} />;
}

function Buttons({ w, guard }: { w: Waiting; guard: Guard }): JSX.Element {
  const id = `c-${w.card.request_id}`, busy = signing.value.has(keyOf(w));
  const bar = !noBar(against(w));
  return (
    <div class={bar ? "pair" : "send"} data-guard={guard.on || busy || undefined}>
      {bar && <button type="button" class="btn" aria-describedby={id} onClick={() => void answer(w, "deny")}>{t(w.card.kind === "question" ? "Decline" : "Deny")}</button>}
      {allowInList(w)
        ? <button type="button" class="btn fill" aria-describedby={id} onClick={() => void answer(w, "allow")}>{t("Allow")}</button>
        : <a class={bar ? "btn" : "btn block"} aria-describedby={id} href={cardAddress(w.machine, w.card.request_id)}>{t("Open")}</a>}
    </div>
  );
}

function ListCard({ w, guard }: { w: Waiting; guard: Guard }): JSX.Element {
  const { card } = w, { call, asked } = look(card), id = `c-${card.request_id}`, over = outcomeOf(w) !== undefined;
  const why = failed.value.get(keyOf(w));
  return (
    <article class="card" aria-labelledby={id}>
      <div class="card-head"><h2 id={id}><a href={cardAddress(w.machine, card.request_id)}><Name text={asker(card)} /><Icon name="next" /></a></h2>{over ? <span class="label num">{hour(w.seen)}</span> : <Tag name={card.kind === "question" ? "question" : card.class} />}</div>
      {!over && <p class="card-sub">{wants(card, call, asked?.questions.length ?? 0)} · <Name text={card.host} />{card.folder !== "" && <> <Quote text={card.folder} /></>}</p>}
      <ListSlip w={w} />
      {over ? <End w={w} /> : <><Due w={w} />{why !== undefined && <p class="label" role="status">{why}</p>}<Buttons w={w} guard={guard} /></>}
    </article>
  );
}

/** The whole list of a phone. */
export function Home(): JSX.Element {
  const cards = useOrder(), list = useRef<HTMLDivElement>(null);
  const guard = useGuard(cards.map(keyOf).join(" "), () => list.current);
  if (cards.length === 0) return <Empty />;
  const n = cards.filter(isOpen).length;
  return (
    <main id="main" class="page">
      <div class="top"><Brand /></div>
      <div class="title"><Title at="home">{t("Waiting")}</Title><span class="num" role="img" aria-label={count(n, "{n} call waits", "{n} calls wait")}>{number(n)}</span></div>
      {machines.value.map((m) => <MachineLine m={m} />)}
      <Silent />
      <div class="cards" ref={list} {...guard.around}>{cards.map((w) => <ListCard key={keyOf(w)} w={w} guard={guard} />)}</div>
    </main>
  );
}

function Unreachable({ m }: { m: Machine }): JSX.Element {
  return (
    <div class="empty">
      <Title at="home">{t("{host} is out of reach.", { host: m.host })}</Title>
      <p class="machine" role="status"><Dot on={false} /><span>{m.lastHeard > 0 ? t("Last heard from at {time}.", { time: hour(m.lastHeard) }) : t("Not heard from yet.")}</span></p>
      <p class="small">{trouble(m) ?? t("Calls are asked at its own terminal until it is back. This page keeps trying.")}</p>
      <button type="button" class="btn" onClick={() => core().retry()}><Icon name="again" />{t("Try now")}</button>
    </div>
  );
}

function Ready({ m }: { m: Machine }): JSX.Element {
  const push = lastPush(m);
  return <p class="machine" role="status"><Dot on /><span><b><Name text={m.host} /></b> {t("online")}{push === "" ? "." : `, ${push}.`}</span></p>;
}

/** Said where it matters: calls do not ring this phone, though they could. */
function Silent(): JSX.Element | null {
  const state = push.value;
  if (state !== "off" && state !== "denied" && state !== "repair") return null;
  const why = t(state === "repair" ? "Push does not reach this phone." : "Notifications are off for this app. Calls show only while it is open.");
  return <ul class="rows"><li><a class="row" href="#/settings"><div><b>{t("Notifications")}</b><p>{why}</p></div><Icon name="next" /></a></li></ul>;
}

/** Nothing waits: the tape spells the host, and every machine has its line. */
export function Empty(): JSX.Element {
  const all = machines.value, one = all.length === 1 ? all[0] : undefined, on = all.find((m) => m.online);
  const calm = one !== undefined && one.online && one.trouble === undefined && one.pauseUntil - one.clockOffset <= Date.now();
  return (
    <main id="main" class="page desk">
      <div class="top narrow"><Brand /></div>
      {one !== undefined && !one.online ? <Unreachable m={one} /> : (
        <div class="empty">
          <Tape word={on?.host ?? all[0]?.host ?? ""} />
          <Title at="home">{t("Nothing waits.")}</Title>
          {calm ? <Ready m={one} /> : all.map((m) => <MachineLine m={m} />)}
          {one !== undefined && <p class="small">{t(push.value === "on" ? "When a tool on {host} asks, it appears here and on the lock screen." : "When a tool on {host} asks, it appears here.", { host: one.host })}</p>}
          <Silent />
        </div>
      )}
    </main>
  );
}
