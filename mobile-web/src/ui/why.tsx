// What stands above a slip: why the call has its class, which hidden characters it holds, what a filter changed, and why no Allow is
// offered. Our words, with the caller's pieces on paper.
import type { ComponentChildren, JSX } from "preact";
import { Triangle } from "./icons.tsx";
import { count, sentence, size, t } from "./i18n.ts";
import { callerName } from "./names.ts";
import { hour } from "./clock.ts";
import { hiddenIn, type HiddenLine } from "./hidden.ts";
import { reasonWords } from "./reasons.ts";
import { deadline } from "./store.ts";
import { Name, Quote } from "./text.tsx";
import type { Call } from "./call.ts";
import type { Against } from "./look.ts";
import type { Card, Waiting } from "../core/types.ts";

/** Reasons of a sensitive or destructive call, one a line. */
export function Reasons({ card }: { card: Card }): JSX.Element | null {
  if (card.class === "routine" || card.reasons.length === 0) return null;
  const id = `why-${card.request_id}`, risk = card.class === "destructive";
  return (
    <section class={risk ? "why" : "why warn"} aria-labelledby={id}>
      <h2 id={id}>{risk && <Triangle />}{t(risk ? "This cannot be taken back" : "Why it is sensitive")}</h2>
      <ul>{card.reasons.map((r) => <li>{reasonWords(r.id)}{r.piece !== "" && <>: <Quote text={r.piece} /></>}</li>)}</ul>
    </section>
  );
}

function HiddenItem({ h }: { h: HiddenLine }): JSX.Element {
  return <li>{h.names.map((n, i) => <>{i > 0 && " "}<b class="hid">{n}</b></>)} {t(h.does)}{h.line > 0 && ", " + t("line {n}", { n: h.line })}{h.times > h.names.length && ", " + t("{n} times", { n: h.times })}</li>;
}

/** Hidden characters, counted and named. */
export function Hidden({ call, id }: { call: Call; id: string }): JSX.Element | null {
  const all = hiddenIn(call);
  if (all.total === 0) return null;
  return (
    <section class="why warn" aria-labelledby={`hid-${id}`}>
      <h2 id={`hid-${id}`}>{count(all.total, "{n} hidden character, made visible", "{n} hidden characters, made visible")}</h2>
      <ul>{all.lines.map((h) => <HiddenItem h={h} />)}{all.more > 0 && <li>{count(all.more, "{n} more, on another line", "{n} more, on other lines")}</li>}</ul>
    </section>
  );
}

/** What the person's own filters changed. */
export function Changed({ card }: { card: Card }): JSX.Element | null {
  if (card.changes === undefined || card.changes.length === 0) return null;
  return <section class="why plain" aria-label={t("Changed by your filter")}>{card.changes.map((c) => (
    <p class="small">{sentence("Changed by your filter {name}. What will run is shown.", { name: <b><Name text={c.filter} /></b> })}</p>
  ))}</section>;
}

const Plain = ({ id, title, children }: { id: string; title: ComponentChildren; children?: ComponentChildren }): JSX.Element => (
  <section class="why plain" aria-labelledby={id}><h2 id={id}>{title}</h2>{children}</section>
);

/** The limit of a card, in bytes (protocol: 256 KiB). */
const MOST = 256 << 10;

function tooLarge(card: Card): JSX.Element {
  const most = <span class="num">{size(MOST)}</span>, is = <b class="num">{size(card.cut?.bytes ?? 0)}</b>;
  return <p class="small">{sentence("The call is {size}. A card carries at most {max}, and Allow is offered only for a call that you can read whole.", { size: is, max: most })}</p>;
}

/** The sentence for each reason against Allow. */
export function noAllowWords(why: Against, w: Waiting): string {
  const host = w.card.host;
  switch (why) {
    case "too_large": return t("Too large to allow from here");
    case "undecodable": return t("This call could not be decoded. Allow is not offered.");
    case "empty": return t("This call is empty. Allow is not offered.");
    case "log": return t("{host}’s log was cut or forked. Allow is not offered until you have looked into it.", { host });
    case "expired": return t("Expired at {time}.", { time: hour(deadline(w)) });
    case "already": return t("This phone has already answered this call.");
    case "watcher": return t("This phone only watches. It cannot answer.");
    case "no_passkey": return t("This call needs a passkey, and this phone has none for {host}. Allow is not offered.", { host });
    case "roster": return t("This card does not name this phone as one that may allow. Allow is not offered.");
  }
}

/** Why there is no Allow, above the slip. */
export function NoAllowNote({ why, w }: { why: Against; w: Waiting }): JSX.Element {
  return <Plain id={`no-${w.card.request_id}`} title={noAllowWords(why, w)}>{why === "too_large" && tooLarge(w.card)}</Plain>;
}

/** What is left to do with a call that is too large. */
export function WhatNow({ w }: { w: Waiting }): JSX.Element {
  const places = { time: <b class="num">{hour(deadline(w))}</b>, caller: callerName(w.card.caller), host: w.card.host };
  return (
    <Plain id={`do-${w.card.request_id}`} title={t("What you can do")}>
      <ul><li>{t("Deny it, and ask for smaller pieces.")}</li><li>{sentence("Leave it. At {time} {caller} asks at its own prompt on {host}.", places)}</li></ul>
    </Plain>
  );
}
