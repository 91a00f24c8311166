// Notifications: whether calls ring this phone, the button that asks for it, and the test. The browser's own question is asked in a tap, never
// before.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { second } from "./clock.ts";
import { t } from "./i18n.ts";
import { core, push } from "./store.ts";
import type { Machine, PushState } from "../core/types.ts";

const TEXT: Readonly<Record<PushState, string>> = {
  unknown: "", on: "Calls ring this phone.", off: "Notifications are off for this app. Calls show only while it is open.",
  denied: "The browser blocks them. Permit them for this site in its settings.", repair: "Push does not reach this phone.",
  needs_install: "iOS gives notifications to the installed app only. Add it to the Home Screen and open it there.",
  unsupported: "There are none here: this browser has no push, or the relay sends none. Calls show only while the app is open.",
};

/** The last tap on "Turn on" changed nothing. */
const vain = signal(false);

function says(): string {
  const state = push.value;
  if (vain.value && state === "off") return t("Nothing was turned on. Try again when the relay is in reach.");
  return TEXT[state] === "" ? "" : t(TEXT[state]);
}

/** The button that changes the state, where there is one. */
function Turn(): JSX.Element | null {
  const state = push.value, on = () => void core().enablePush().then((now) => { vain.value = now === "off"; }, () => { vain.value = true; });
  if (state === "on") return <button type="button" class="btn" onClick={() => void core().disablePush()}>{t("Turn off")}</button>;
  return state === "off" || state === "repair" ? <button type="button" class="btn" onClick={on}>{t(state === "off" ? "Turn on" : "Repair")}</button> : null;
}

/** The row of Settings. */
export function Notifications(): JSX.Element {
  return <li><div class="row"><div><b>{t("Notifications")}</b><p role="status">{says()}</p></div><Turn /></div></li>;
}

interface Test { at: number; came?: boolean }

/** A test push: out at a time; then shown by this phone, or not. */
function useTest(m: Machine): [Test | undefined, () => void] {
  const [test, setTest] = useState<Test>();
  const send = () => {
    const at = Date.now();
    setTest({ at });
    core().testPush(m.id).then(() => setTest({ at, came: true }), () => setTest({ at, came: false }));
  };
  return [test, send];
}

function testWords({ at, came }: Test): string {
  const time = second(at);
  if (came === undefined) return t("A test went out at {time}. Waiting for it.", { time });
  return came ? t("A test went out at {time} and this phone showed it.", { time }) : t("A test went out at {time} and did not arrive.", { time });
}

/** The row of a machine's page. */
export function TestRow({ m }: { m: Machine }): JSX.Element {
  const [test, send] = useTest(m);
  return (
    <li><div class="row">
      <div><b>{t("Test")}</b><p role="status">{test ? testWords(test) : says()}</p></div>
      {push.value === "on" && <button type="button" class="btn" onClick={send}>{t("Send a test")}</button>}
    </div></li>
  );
}

/** The step after a pairing: turned on by a tap, then tested at once; done only when the test came back. */
export function PushStep({ m }: { m: Machine }): JSX.Element {
  const [test, send] = useTest(m), done = test?.came === true, state = push.value;
  useEffect(() => { if (state === "on" && test === undefined) send(); }, [state]);
  return (
    <li class={done ? "done" : ""}><div>
      <b>{t(done ? "Notifications reach this phone" : "Notifications")}</b>
      <p role="status" class={done ? "" : "mb3"}>{test && state === "on" ? testWords(test) : says()}</p>
      {state !== "on" ? <Turn /> : test?.came === false && <button type="button" class="btn" onClick={send}>{t("Send a test")}</button>}
    </div></li>
  );
}
