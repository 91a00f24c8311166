// One machine in one line: a filled dot and "online", or a ring and "offline"; and what else has to be known of it.
import type { JSX } from "preact";
import { ago, hour, tick } from "./clock.ts";
import { t } from "./i18n.ts";
import { Name } from "./text.tsx";
import type { Machine } from "../core/types.ts";

/** "last push 2 min ago", or "" when none was seen. */
export function lastPush(m: Machine): string {
  if (m.lastPush === 0) return "";
  const minutes = Math.floor((tick.value - (m.lastPush - m.clockOffset)) / 60_000);
  if (minutes < 1) return t("last push just now");
  return minutes < 60 ? t("last push {n} min ago", { n: minutes }) : t("last push {when}", { when: ago(m.lastPush - m.clockOffset, tick.value) });
}

/** A sentence on what is wrong with a machine, or undefined. */
export function trouble(m: Machine): string | undefined {
  if (m.trouble === "version") return t("{host} speaks another version of Answerback. Update the older of the two.", { host: m.host });
  if (m.trouble === "log") return t("{host}’s log was cut or forked. Allow is not offered until you have looked into it.", { host: m.host });
  if (m.trouble === "removed") return t("{host} removed this device: nothing it answers counts there. Pair it again to answer from here.", { host: m.host });
  return undefined;
}

export const Dot = ({ on }: { on: boolean }): JSX.Element => <span class={on ? "dot" : "dot off"} aria-hidden="true" />;

export function MachineLine({ m, named = true }: { m: Machine; named?: boolean }): JSX.Element {
  const paired = m.trouble !== "removed", push = paired ? lastPush(m) : "", wrong = trouble(m), state = paired ? t(m.online ? "online" : "offline") : "";
  return (
    <>
      <p class={named ? "machine" : "machine mt2"} role="status">
        <Dot on={m.online && paired} />
        <span>{named && <><b><Name text={m.host} /></b> </>}{state}</span>
        {push !== "" && <><span aria-hidden="true">·</span><span>{push}</span></>}
      </p>
      {m.pauseUntil - m.clockOffset > tick.value && <p class="small">{t("Paused until {time}. Calls are asked at {host}’s terminal.", { time: hour(m.pauseUntil - m.clockOffset), host: m.host })}</p>}
      {wrong !== undefined && <p class="small">{wrong}</p>}
    </>
  );
}

