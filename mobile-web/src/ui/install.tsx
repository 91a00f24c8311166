// A tab of iOS: install first. The code is not used here, because the installed app keeps its own keys.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Brand, Icon } from "./icons.tsx";
import { t } from "./i18n.ts";
import { Title } from "./page.tsx";

function Copy({ link }: { link: string }): JSX.Element {
  const [done, setDone] = useState<boolean>();
  const copy = () => navigator.clipboard.writeText(link).then(() => setDone(true), () => setDone(false));
  return (
    <div class="bar plainbar">
      {done !== undefined && <p class="label" role="status">{t(done ? "Copied. Paste it in the app." : "Safari did not copy it. Scan the code from inside the app.")}</p>}
      <button type="button" class="btn block" onClick={() => void copy()}>{t("Copy the link, to paste it in the app")}</button>
    </div>
  );
}

export function Install({ link }: { link: string }): JSX.Element {
  const key = (name: "share" | "add") => <span class="key"><Icon name={name} /></span>;
  return (
    <main id="main" class="page">
      <div class="top"><Brand /></div>
      <div><Title at="install">{t("Install first, then scan")}</Title></div>
      <p class="small">{t(link === "" ? "Safari and the installed app keep separate keys. So pairing is done in the app." : "Safari and the installed app keep separate keys. So this page did not use your code: it is still good, for ten minutes from when it was drawn.")}</p>
      <ol class="steps panel">
        <li><div><b>{t("Tap Share")} {key("share")}</b><p>{t("At the bottom of Safari.")}</p></div></li>
        <li><div><b>{t("Add to Home Screen")} {key("add")}</b><p>{t("Leave “Open as Web App” switched on.")}</p></div></li>
        <li><div><b>{t("Open Answerback from the Home Screen")}</b><p>{t("Scan the code again from inside the app.")}</p></div></li>
      </ol>
      <section class="why plain" aria-labelledby="w"><h2 id="w">{t("What an iPhone can and cannot do")}</h2><p class="small">{t("Calls arrive on the lock screen, without buttons: iOS gives web apps none. Tap, unlock, then Allow or Deny in the app.")}</p></section>
      {link !== "" && <Copy link={link} />}
    </main>
  );
}
