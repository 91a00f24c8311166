// What this phone's lock screen may show of a machine's calls. Nothing is chosen beforehand; until then only that something waits.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Order } from "./order.tsx";
import { t } from "./i18n.ts";
import { core } from "./store.ts";
import type { LockScreen as Choice, Machine } from "../core/types.ts";

const ALL: readonly { value: Exclude<Choice, "">; title: string; more: string }[] = [
  { value: "answer", title: "Show the call, answer routine ones there", more: "Whoever holds this phone can read calls and allow routine ones without unlocking it." },
  { value: "show", title: "Show the call, allow in the app", more: "Whoever holds this phone can read and deny calls. Allow needs the app." },
  { value: "hide", title: "Show only that something waits", more: "Names of machine and caller, nothing of the call. Deny still works there." },
];

export function LockScreen({ m }: { m: Machine }): JSX.Element {
  const [asked, ask] = useState<Promise<void>>();
  return (
    <>
      <div class="choices" role="radiogroup" aria-label={t("On the lock screen")}>
        {ALL.map((c) => (
          <label class="choice">
            <input type="radio" name={`lock-${m.id}`} checked={m.lockScreen === c.value} onChange={() => ask(core().setLockScreen(m.id, c.value))} />
            <span><b>{t(c.title)}</b>{t(c.more)}</span>
          </label>
        ))}
      </div>
      <Order of={asked} host={m.host} />
    </>
  );
}
