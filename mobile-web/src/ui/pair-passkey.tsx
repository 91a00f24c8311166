// A passkey, offered on the confirm screen: it travels in the phone's first message to the machine or not at all.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icons.tsx";
import { t } from "./i18n.ts";
import { core } from "./store.ts";
import { plain } from "./text.tsx";
import type { NewPasskey } from "../core/types.ts";

interface Props { host: string; made: NewPasskey | undefined; keep(passkey: NewPasskey): void }

export function AddPasskey({ host, made, keep }: Props): JSX.Element {
  const [at, setAt] = useState<"" | "asking" | "not_added">("");
  const add = () => {
    if (at === "asking") return;
    setAt("asking");
    core().makePasskey(host).then((p) => { keep(p); setAt(""); }, () => setAt("not_added"));
  };
  return (
    <section class="panel" aria-labelledby="pk">
      <h2 id="pk">{t("Passkey")}</h2>
      {made === undefined && <p class="small">{t("Destructive calls then need your face, finger or screen lock. It can be added now; later only by pairing again.")}</p>}
      {made === undefined && <button type="button" class="btn" onClick={add}><Icon name="key" />{t("Add a passkey")}</button>}
      <p class={made === undefined && at !== "not_added" ? "vh" : "small"} role="status">
        {made !== undefined ? t("Added. {host} learns of it when you pair.", { host: plain(host) }) : at === "not_added" ? t("Not added. You can pair without one.") : ""}
      </p>
    </section>
  );
}
