// The screens of a pairing that runs: confirm, digits, paired, and each way to stop.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Brand, Icon, Tape } from "./icons.tsx";
import { LockScreen } from "./lock-screen.tsx";
import { sentence, t } from "./i18n.ts";
import { PushStep } from "./notifications.tsx";
import { Stamp } from "./outcome.tsx";
import { Title } from "./page.tsx";
import { AddPasskey } from "./pair-passkey.tsx";
import { Dot } from "./machine-line.tsx";
import { machineOf } from "./store.ts";
import { Name, bytesOf, plain } from "./text.tsx";
import type { NewPasskey, PairStep, PairStop } from "../core/types.ts";

const CMD = <kbd>answerback pair</kbd>;
const Top = (): JSX.Element => <div class="top"><Brand /></div>;

/** Something is under way at the machine or here. */
export function Wait({ title, more, cancel }: { title: string; more?: string; cancel(): void }): JSX.Element {
  return (
    <main id="main" class="page">
      <Top />
      <div><Title at={title}>{title}</Title></div>
      {more !== undefined && <p class="small">{more}</p>}
      <div class="bar plainbar"><button type="button" class="btn block" onClick={cancel}>{t("Cancel")}</button></div>
    </main>
  );
}

interface ConfirmProps { step: Extract<PairStep, { at: "confirm" }>; name: string; tested: boolean; confirm(name: string, passkey?: NewPasskey): void; cancel(): void }

const MOST_NAME = 64; // bytes, by the protocol

export function Confirm({ step, name, tested, confirm, cancel }: ConfirmProps): JSX.Element {
  const [own, setOwn] = useState(name), [passkey, setPasskey] = useState<NewPasskey>();
  const set = (text: string) => { if (bytesOf(text) <= MOST_NAME) setOwn(text); };
  return (
    <main id="main" class="page">
      <div class="top"><a class="back" href="#/pair"><Icon name="back" />{t("Back")}</a></div>
      <div><Title at="confirm">{t("Pair with {agent} on {host}?", { agent: plain(step.name), host: plain(step.host) })}</Title></div>
      <div class="panel"><dl class="facts">
        <dt>{t("Machine")}</dt><dd><Name text={step.host} /></dd>
        <dt>{t("Relay")}</dt><dd><Name text={step.relay} /></dd>
        <dt>{t("App from")}</dt><dd>{location.host}</dd>
        {tested && <><dt>{t("Key storage")}</dt><dd>{t("tested: kept, signs, verifies")}</dd></>}
      </dl></div>
      <div class="field"><label for="n">{t("Name of this phone")}</label><input id="n" value={own} autocomplete="off" class="ink" onInput={(e) => { set(e.currentTarget.value); e.currentTarget.value = bytesOf(e.currentTarget.value) <= MOST_NAME ? e.currentTarget.value : own; }} /></div>
      {step.passkey && <AddPasskey host={step.host} made={passkey} keep={setPasskey} />}
      <p class="small">{t("This phone will be able to allow calls on {host}.", { host: plain(step.host) })}</p>
      <div class="bar plainbar"><div class="pair">
        <button type="button" class="btn" onClick={cancel}>{t("Cancel")}</button>
        <button type="button" class="btn fill" onClick={() => confirm(own.trim() === "" ? name : own.trim(), passkey)}>{t("Pair")}</button>
      </div></div>
    </main>
  );
}

/** Six digits, read one by one. */
export function Digits({ digits, host, cancel }: { digits: string; host: string; cancel(): void }): JSX.Element {
  const a = digits.slice(0, 3), b = digits.slice(3);
  return (
    <main id="main" class="page">
      <Top />
      <div><Title at="digits">{t("Type these digits on {host}", { host: plain(host) })}</Title></div>
      <p class="digits" role="img" aria-label={`${[...a].join(" ")}, ${[...b].join(" ")}`}><span>{a}</span><span>{b}</span></p>
      <p class="small">{sentence("Into the terminal where you ran {cmd}, and nowhere else. Nobody else needs them, whoever asks.", { cmd: CMD })}</p>
      <p class="machine" role="status"><Dot on={false} /><span>{sentence("Waiting for {host}.", { host: <b><Name text={host} /></b> })}</span></p>
      <div class="bar plainbar"><button type="button" class="btn block" onClick={cancel}>{t("Cancel")}</button></div>
    </main>
  );
}

/** The stamp of a pairing is printed from the machine's last message. */
export function Paired({ host, machine }: { host: string; machine: string }): JSX.Element {
  const [at] = useState(Date.now()), m = machineOf(machine);
  return (
    <main id="main" class="page">
      <Top />
      <div><Title at="paired">{t("Paired with {host}.", { host: plain(host) })}</Title></div>
      <Tape word={host} />
      <Stamp print={{ ink: "blue", what: t("Paired with"), who: host, at }} />
      {m !== undefined && (
        <ol class="steps panel">
          <PushStep m={m} />
          <li class={m.lockScreen === "" ? "" : "done"}><div><b>{t("Choose what the lock screen may show")}</b><p class="mb3">{t("Until you choose: only that something waits.")}</p><LockScreen m={m} /></div></li>
        </ol>
      )}
      <div class="bar plainbar"><a class="btn fill block" href="#/">{t("Done")}</a></div>
    </main>
  );
}

interface Words { title: string; more: ComponentChildren }

const again = (): ComponentChildren => sentence("Nothing was paired. Run {cmd} again and scan the new code.", { cmd: CMD });

/** One sentence for every way to stop, and what can be done. */
function stopWords(why: PairStop, host: string): Words {
  switch (why) {
    case "two_devices": return { title: t("This code was used by two devices."), more: sentence("Nothing was paired. Run {cmd} again, out of sight of others, and scan the new code.", { cmd: CMD }) };
    case "wrong_digits": return { title: t("The digits were wrong three times."), more: <>{t("The code is used up.")} {again()}</> };
    case "old": return { title: t("This code is too old."), more: <>{t("Codes live for ten minutes.")} {again()}</> };
    case "used": return { title: t("This code is used up."), more: again() };
    case "refused": return { title: t("A device that is already paired refused this one."), more: t("Nothing was paired.") };
    case "cancelled": return { title: t("Cancelled at the machine."), more: t("Nothing was paired.") };
    case "bad": return { title: t("What came from the machine could not be read."), more: again() };
    case "version": return { title: t("This code belongs to another version of Answerback."), more: t("Update the older of the two. Nothing was paired.") };
    case "not_ours": return { title: t("This is not an Answerback code."), more: sentence("On your machine, run {cmd}, and scan the code that it draws.", { cmd: CMD }) };
    case "no_storage": return { title: t("This browser does not keep keys."), more: t("It may be in private mode or Lockdown Mode. Nothing was paired.") };
    case "unproven": return { title: host === "" ? t("Stopped. The machine could not prove who it is.") : t("Stopped. {host} could not prove who it is.", { host: plain(host) }), more: again() };
    case "unreachable": return { title: t("No way to the machine just now."), more: sentence("Nothing was paired. See that {cmd} still waits there and that this phone is online.", { cmd: CMD }) };
  }
}

export function Stopped({ why, host, scan }: { why: PairStop; host: string; scan(): void }): JSX.Element {
  const { title, more } = stopWords(why, host);
  return (
    <main id="main" class="page">
      <Top />
      <div><Title at={`stopped ${why}`}>{title}</Title></div>
      <p>{more}</p>
      <div class="bar plainbar">
        {why !== "no_storage" && <button type="button" class="btn fill block" onClick={scan}>{t("Scan again")}</button>}
        <a class="btn plain block" href="#/pair/paste">{t("Paste the link instead")}</a>
      </div>
    </main>
  );
}
