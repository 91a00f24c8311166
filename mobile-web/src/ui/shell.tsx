// The frame: on a phone the tabs below, from 900 px the rail beside, with every waiting call in sight. And the one alert: a new call.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { hour } from "./clock.ts";
import { DueWords } from "./due.tsx";
import { asker } from "./heading.ts";
import { Brand, Icon, Tag, className, type IconName } from "./icons.tsx";
import { count, t } from "./i18n.ts";
import { gist } from "./call.ts";
import { look } from "./look.ts";
import { MachineLine } from "./machine-line.tsx";
import { cardAddress, machineAddress, route } from "./route.ts";
import { deadline, keyOf, machines, open } from "./store.ts";
import { Name, OneLine, plain } from "./text.tsx";
import type { Waiting } from "../core/types.ts";

/** True from 900 px: rail and card side by side. */
export const wide = signal(false);

/** Follows the window's width; returns its stop. */
export function watchWidth(): () => void {
  const query = matchMedia("(min-width: 900px)");
  const read = () => { wide.value = query.matches; };
  read();
  query.addEventListener("change", read);
  return () => query.removeEventListener("change", read);
}

interface Section { name: string; href: string; icon: IconName; here: boolean }

function sections(): Section[] {
  const at = route.value.at, one = machines.value.length === 1 ? machines.value[0] : undefined;
  return [
    { name: t("Waiting"), href: "#/", icon: "waiting", here: at === "home" || at === "card" },
    { name: t("History"), href: "#/history", icon: "history", here: at === "history" },
    { name: t(one ? "Machine" : "Machines"), href: one ? machineAddress(one.id) : "#/machine", icon: "machine", here: at === "machine" || at === "machines" || at === "rules" },
    { name: t("Settings"), href: "#/settings", icon: "settings", here: at === "settings" },
  ];
}

const Link = ({ s }: { s: Section }): JSX.Element => <a href={s.href} aria-current={s.here ? "page" : undefined}><Icon name={s.icon} />{s.name}</a>;

export const Tabs = (): JSX.Element => <nav class="tabs" aria-label={t("Sections")}>{sections().map((s) => <Link s={s} />)}</nav>;

function RailItem({ w, here }: { w: Waiting; here: boolean }): JSX.Element {
  const { call, asked } = look(w.card);
  return (
    <li><a class="item" href={cardAddress(w.machine, w.card.request_id)} aria-current={here ? "page" : undefined}>
      <span class="card-head"><b><Name text={asker(w.card)} /></b><Tag name={w.card.kind === "question" ? "question" : w.card.class} /></span>
      <OneLine text={asked?.questions[0]?.text ?? gist(w.card, call)} />
      <DueWords w={w} />
    </a></li>
  );
}

/** The rail; `shown` is the card beside it. */
export function Rail({ shown }: { shown: string }): JSX.Element {
  const all = open.value;
  return (
    <header class="rail">
      <Brand />
      {machines.value.map((m) => <MachineLine m={m} />)}
      <nav aria-label={t("Waiting calls")}>
        <h2 class="over">{all.length === 0 ? t("Nothing waits.") : count(all.length, "{n} call waits", "{n} calls wait")}</h2>
        <ul>{all.map((w) => <RailItem key={keyOf(w)} w={w} here={keyOf(w) === shown} />)}</ul>
      </nav>
      <nav class="links" aria-label={t("Sections")}>{sections().slice(1).map((s) => <Link s={s} />)}</nav>
    </header>
  );
}

const said = (w: Waiting): string =>
  t("New call from {caller}, {class}, until {time}", { caller: plain(asker(w.card)), class: className(w.card.kind === "question" ? "question" : w.card.class), time: hour(deadline(w)) });

/** Says each call that comes while the app is open, once. */
export function NewCall(): JSX.Element {
  const known = useRef<Set<string> | undefined>(undefined);
  const [text, setText] = useState("");
  const all = open.value;
  useEffect(() => {
    const fresh = known.current === undefined ? [] : all.filter((w) => !known.current!.has(keyOf(w)));
    known.current = new Set([...(known.current ?? []), ...all.map(keyOf)]);
    if (fresh.length > 0) setText(fresh.map(said).join(" "));
  }, [all]);
  return <div class="vh" role="alert">{text}</div>;
}

/** Jumps over rail and tabs to the screen's heading. */
export function Skip(): JSX.Element {
  const jump = (e: Event) => { e.preventDefault(); document.querySelector<HTMLElement>("main h1")?.focus(); };
  return <a class="skip" href="#main" onClick={jump}>{t(route.value.at === "card" ? "Skip to the call" : "Skip to the content")}</a>;
}
