// Pairing, from the start screen to the stamp. A tab of iOS never uses a code: its keys would not be the installed app's.
import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Brand, Icon } from "./icons.tsx";
import { sentence, t } from "./i18n.ts";
import { Install } from "./install.tsx";
import { Title } from "./page.tsx";
import { Confirm, Digits, Paired, Stopped, Wait } from "./pair-steps.tsx";
import { guessName, mustInstall } from "./platform.ts";
import { go, replace } from "./route.ts";
import { askCamera, Scan } from "./scan.tsx";
import { core, machines } from "./store.ts";
import type { NewPasskey, Pairing, PairStep, PairStop } from "../core/types.ts";

const CMD = <kbd>answerback pair</kbd>;

function openScan(): void {
  askCamera();
  go("#/pair/scan");
}

function Start(): JSX.Element {
  return (
    <main id="main" class="page">
      <div class="top">{machines.value.length > 0 ? <a class="back" href="#/settings"><Icon name="back" />{t("Settings")}</a> : <Brand />}</div>
      <div><Title at="pair">{t("Pair with a machine")}</Title></div>
      <ol class="steps panel">
        <li><div><b>{sentence("On your machine, run {cmd}", { cmd: CMD })}</b><p>{t("It draws a code. No account is needed.")}</p></div></li>
        <li><div><b>{t("Scan the code here")}</b><p>{t("The camera is used now and only for this.")}</p></div></li>
        <li><div><b>{t("Type six digits on the machine")}</b><p>{t("They prove that it was this phone.")}</p></div></li>
      </ol>
      {navigator.mediaDevices === undefined && <p class="small">{t("No camera here. Paste the link instead.")}</p>}
      <div class="bar plainbar">
        {navigator.mediaDevices !== undefined && <button type="button" class="btn fill block" onClick={openScan}>{t("Open the camera")}</button>}
        <a class={navigator.mediaDevices === undefined ? "btn fill block" : "btn plain block"} href="#/pair/paste">{t("Paste the link instead")}</a>
      </div>
    </main>
  );
}

function Paste({ use }: { use(text: string): void }): JSX.Element {
  const [text, setText] = useState("");
  return (
    <main id="main" class="page">
      <div class="top"><a class="back" href="#/pair"><Icon name="back" />{t("Back")}</a></div>
      <div><Title at="paste">{t("Paste the link")}</Title></div>
      <div class="field">
        <label for="l">{sentence("Link from {cmd}", { cmd: CMD })}</label>
        <textarea id="l" rows={4} spellcheck={false} autocapitalize="none" autocomplete="off" class="mono" value={text} onInput={(e) => setText(e.currentTarget.value)} />
      </div>
      <section class="why warn" aria-labelledby="w"><h2 id="w">{t("Scan where you can")}</h2><p class="small">{t("The link is the secret. One that went through a chat, a mail or a shared clipboard may have been read on its way.")}</p></section>
      <div class="bar plainbar"><button type="button" class="btn fill block" onClick={() => { if (text.trim() !== "") use(text.trim()); }}>{t("Go on")}</button></div>
    </main>
  );
}

const STOPS: ReadonlySet<string> = new Set(["two_devices", "wrong_digits", "old", "refused", "cancelled", "bad", "version", "not_ours", "no_storage", "unproven", "unreachable", "used"]);

/** What a throw of the core means for the person. */
function stopOf(thrown: unknown): PairStop {
  const word = typeof thrown === "string" ? thrown : thrown instanceof Error ? thrown.message : "";
  return STOPS.has(word) ? (word as PairStop) : "not_ours";
}

interface Running { step: PairStep; host: string; tested: boolean; name: string; start(link: string): void; confirm(name: string, passkey?: NewPasskey): void; cancel(): void }

/** Drives one pairing. A name that was changed on the confirm screen starts again with that name: nothing has been sent yet then. */
function usePairing(): Running {
  const [step, setStep] = useState<PairStep>({ at: "connecting" });
  const now = useRef<{ link: string; name: string; pairing?: Pairing; host: string; tested: boolean; go: boolean; passkey?: NewPasskey | undefined }>({ link: "", name: guessName(), host: "", tested: false, go: false });
  const begin = () => {
    const mine = (now.current = { ...now.current });
    const onStep = (s: PairStep) => {
      if (now.current !== mine) return;
      if (s.at === "confirm") mine.host = s.host;
      if (s.at === "testing" && mine.host === "") mine.tested = true;
      if (s.at === "confirm" && mine.go) mine.pairing?.confirm(mine.passkey);
      else setStep(s);
    };
    setStep({ at: "connecting" });
    try { mine.pairing = core().pair(mine.link, mine.name, onStep); } catch (e) { setStep({ at: "stopped", why: stopOf(e) }); }
  };
  const end = () => { now.current.pairing?.cancel(); now.current = { ...now.current, host: "", go: false }; delete now.current.pairing; };
  useEffect(() => end, []);
  return {
    step, host: now.current.host, tested: now.current.tested, name: now.current.name,
    start(link) { end(); now.current.link = link; begin(); },
    confirm(name, passkey) {
      if (name === now.current.name) return now.current.pairing?.confirm(passkey);
      end();
      now.current = { ...now.current, name, go: true, passkey };
      begin();
    },
    cancel() { end(); replace("#/pair"); },
  };
}

function Steps({ p }: { p: Running }): JSX.Element {
  switch (p.step.at) {
    case "connecting": return <Wait title={t("Looking for the machine")} cancel={p.cancel} />;
    case "testing": return <Wait title={p.host === "" ? t("Testing the key storage") : t("Waiting for {host}.", { host: p.host })} cancel={p.cancel} />;
    case "confirm": return <Confirm step={p.step} name={p.name} tested={p.tested} confirm={p.confirm} cancel={p.cancel} />;
    case "digits": return <Digits digits={p.step.digits} host={p.host === "" ? p.step.name : p.host} cancel={p.cancel} />;
    case "admission": return <Wait title={t("Allow this phone on one that is paired")} more={t("{host} shows a card there. Until it is allowed, nothing is paired.", { host: p.host === "" ? p.step.name : p.host })} cancel={p.cancel} />;
    case "paired": return <Paired host={p.step.host} machine={p.step.machine} />;
    case "stopped": return <Stopped why={p.step.why} host={p.host === "" ? p.step.name ?? "" : p.host} scan={openScan} />;
  }
}

/** All of pairing. A link that the app was opened with goes straight to the confirm screen. */
export function Pair({ link, step }: { link: Signal<string>; step: "start" | "scan" | "paste" | "go" }): JSX.Element {
  const p = usePairing();
  const use = (text: string) => { link.value = ""; p.start(text); replace("#/pair/go"); };
  useEffect(() => { if (link.value !== "" && !mustInstall()) use(link.value); }, []);
  useEffect(() => { if (step === "go" && p.step.at === "connecting" && p.name === "") replace("#/pair"); }, [step]);
  if (mustInstall()) return <Install link={link.value} />;
  switch (step) {
    case "start": return <Start />;
    case "scan": return <Scan found={use} />;
    case "paste": return <Paste use={use} />;
    case "go": return <Steps p={p} />;
  }
}
