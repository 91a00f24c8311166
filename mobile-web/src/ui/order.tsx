// Where an order to a machine stands: sent, or not delivered. When it holds, the machine's own state shows it and this falls silent.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "./i18n.ts";

export function Order({ of, host }: { of: Promise<void> | undefined; host: string }): JSX.Element {
  const [at, setAt] = useState<"" | "sent" | "lost">("");
  useEffect(() => {
    if (of === undefined) return;
    let mine = true;
    setAt("sent");
    of.then(() => mine && setAt(""), () => mine && setAt("lost"));
    return () => { mine = false; };
  }, [of]);
  return <p class={at === "" ? "vh" : "small mt2"} role="status">{at === "sent" ? t("Sent. Waiting for {host}.", { host }) : at === "lost" ? t("Not delivered. Nothing was changed.") : ""}</p>;
}
