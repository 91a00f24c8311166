// The machines, and one machine: its state, pause, lock screen, who can answer for it, rules, and the way to part.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { ago, hour, second, tick } from "./clock.ts";
import { Icon } from "./icons.tsx";
import { number, t } from "./i18n.ts";
import { LockScreen } from "./lock-screen.tsx";
import { MachineLine, trouble } from "./machine-line.tsx";
import { TestRow } from "./notifications.tsx";
import { Order } from "./order.tsx";
import { Title } from "./page.tsx";
import { machineAddress, replace } from "./route.ts";
import { core, machines } from "./store.ts";
import { Name, plain } from "./text.tsx";
import type { Machine, RosterDevice } from "../core/types.ts";

/** All paired machines. */
export function Machines(): JSX.Element {
  return (
    <main id="main" class="page desk">
      <div><Title at="machines">{t("Machines")}</Title></div>
      <ul class="rows">{machines.value.map((m) => (
        <li><a class="row" href={machineAddress(m.id)}><Icon name="machine" /><div><b><Name text={m.host} /></b><p><Name text={m.name} /> · {t(m.online ? "online" : "offline")}</p></div><Icon name="next" /></a></li>
      ))}</ul>
      <ul class="rows group-start"><li><a class="row" href="#/pair"><div><b>{t("Pair another machine")}</b></div><Icon name="next" /></a></li></ul>
    </main>
  );
}

const Section = ({ id, title, children, gap = "mb3" }: { id: string; title: string; children: ComponentChildren; gap?: string }): JSX.Element => (
  <section class="group-start" aria-labelledby={id}><h2 id={id} class={gap}>{title}</h2>{children}</section>
);

function Pause({ m }: { m: Machine }): JSX.Element {
  const [asked, ask] = useState<Promise<void>>();
  const end = m.pauseUntil - m.clockOffset, paused = end > tick.value;
  return (
    <section class="panel" aria-labelledby="pz">
      <h2 id="pz">{t("Pause")}</h2>
      <p class="small">{paused ? t("Paused until {time}. Calls are asked at {host}’s terminal.", { time: hour(end), host: m.host }) : t("For 15 minutes calls are asked at {host}’s terminal. Your rules are off meanwhile.", { host: m.host })}</p>
      <button type="button" class="btn" onClick={() => ask(paused ? core().resume(m.id) : core().pause(m.id, 15))}>{t(paused ? "End the pause" : "Pause 15 min")}</button>
      <Order of={asked} host={m.host} />
    </section>
  );
}

function Links({ m }: { m: Machine }): JSX.Element {
  return (
    <Section id="ph" title={t("Reach")}><ul class="rows">
      <li><div class="row"><div><b>{t("Last push seen")}</b><p>{m.lastPush > 0 ? second(m.lastPush - m.clockOffset) : t("none yet")}</p></div></div></li>
      <TestRow m={m} />
      <li><div class="row"><div><b>{t("Relay")}</b><p><Name text={m.relay} /></p></div><span class="val">{t(m.online ? "reachable" : "out of reach")}</span></div></li>
    </ul></Section>
  );
}

/** "passkey · now" */
function facts(d: RosterDevice, m: Machine): string {
  const role = d.role === "watcher" ? t("watches only") : d.platform === "terminal" ? t("passphrase") : d.passkey ? t("passkey") : d.same_machine ? t("for trying out") : "";
  const seen = d.id === m.device ? t("now") : d.last_seen > 0 ? ago(d.last_seen - m.clockOffset, tick.value) : t("not seen yet");
  return [role, seen].filter((s) => s !== "").join(" · ");
}

function Device({ d, m, remove }: { d: RosterDevice; m: Machine; remove(): void }): JSX.Element {
  const icon = d.platform === "terminal" ? "terminal" : d.same_machine ? "machine" : "phone";
  return (
    <li><div class="row">
      <Icon name={icon} />
      <div><b><Name text={d.name} /> {d.id === m.device && <span class="mark me">{t("this phone")}</span>} {d.same_machine && <span class="mark">{t("same machine")}</span>}</b><p>{facts(d, m)}</p></div>
      {d.id !== m.device && <button type="button" class="btn risk" aria-label={t("Remove {device}", { device: plain(d.name) })} onClick={remove}>{t("Remove")}</button>}
    </div></li>
  );
}

function Roster({ m }: { m: Machine }): JSX.Element {
  const [asked, ask] = useState<Promise<void>>();
  return (
    <Section id="dv" title={t("Who can answer for {host}", { host: m.host })}>
      <ul class="rows">{m.devices.map((d) => <Device d={d} m={m} remove={() => ask(core().removeDevice(m.id, d.id))} />)}</ul>
      <Order of={asked} host={m.host} />
      {m.devices.some((d) => d.same_machine) && <p class="small mt3">{t("“Same machine”: a program of the same user could press its buttons. It counts towards no quorum.")}</p>}
    </Section>
  );
}

function Part({ m }: { m: Machine }): JSX.Element {
  const [asked, ask] = useState<Promise<void>>();
  const unpair = () => ask(core().unpair(m.id).then(() => replace("#/")));
  return (
    <section class="group-start" aria-labelledby="up">
      <h2 id="up">{t("Unpair")}</h2>
      <p class="small mt2 mb3">{t("Removes this phone’s key for {host}, at once. Pairing again needs the machine.", { host: m.host })}</p>
      <button type="button" class="btn risk" onClick={unpair}>{t("Unpair this phone")}</button>
      <Order of={asked} host={m.host} />
    </section>
  );
}

export function MachinePage({ m }: { m: Machine }): JSX.Element {
  const many = machines.value.length > 1, wrong = trouble(m);
  return (
    <main id="main" class="page desk">
      {many && <div class="top narrow"><a class="back narrow" href="#/machine"><Icon name="back" />{t("Machines")}</a></div>}
      <div><div class="title"><Title at={`machine ${m.id}`}>{plain(m.host)}</Title></div><MachineLine m={m} named={false} /></div>
      {wrong === undefined && <Pause m={m} />}
      <Section id="ls" title={t("On the lock screen")}><LockScreen m={m} /><p class="small mt3">{t("Destructive calls always need the app, and your passkey where one is registered.")}</p></Section>
      <Links m={m} />
      <Roster m={m} />
      <ul class="rows group-start"><li><a class="row" href={`${machineAddress(m.id)}/rules`}><div><b>{t("Rules")}</b></div><span class="val">{number(m.rules.length)}</span><Icon name="next" /></a></li></ul>
      <Part m={m} />
    </main>
  );
}
