// Which machines know a passkey of this phone, and how that changes.
import type { JSX } from "preact";
import { date } from "./clock.ts";
import { t } from "./i18n.ts";
import { machines } from "./store.ts";
import { plain } from "./text.tsx";
import type { Machine } from "../core/types.ts";

/** Kept here and known there: only then can it confirm anything. */
const has = (m: Machine): boolean => m.passkey && m.devices.some((d) => d.id === m.device && d.passkey);

function Row({ m }: { m: Machine }): JSX.Element {
  const host = plain(m.host);
  return (
    <li><div class="row">
      <div><b>{t("Passkey")}</b><p>{has(m) ? t("for {host}, since {date}", { host, date: date(m.paired) }) : t("for {host}", { host })}</p></div>
      <span class="val">{t(has(m) ? "registered" : "none")}</span>
    </div></li>
  );
}

export function Passkeys(): JSX.Element {
  return (
    <section aria-labelledby="ps">
      <h2 id="ps" class="vh">{t("Passkey")}</h2>
      <ul class="rows">{machines.value.map((m) => <Row m={m} />)}</ul>
      <p class="small mt2">{t("A passkey is added while pairing. To add or replace one, pair the machine again.")}</p>
    </section>
  );
}
