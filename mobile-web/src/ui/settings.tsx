// Settings: language, what the browser promises about keys, which build runs, and whose server it came from.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icons.tsx";
import { choice, choose, sentence, t, type Choice } from "./i18n.ts";
import { Notifications } from "./notifications.tsx";
import { Title } from "./page.tsx";
import { Passkeys } from "./passkeys.tsx";
import { core, newer } from "./store.ts";
import { groups } from "./text.tsx";

type About = { build: string; origin: string; persisted: boolean };

function Language(): JSX.Element {
  return (
    <li><div class="row">
      <div><label for="lang"><b>{t("Language")}</b></label></div>
      <select id="lang" class="select" value={choice.value} onChange={(e) => choose(e.currentTarget.value as Choice)}>
        <option value="">{t("As the phone")}</option><option value="en" lang="en">English</option><option value="pt-BR" lang="pt-BR">Português (Brasil)</option>
      </select>
    </div></li>
  );
}

function Storage({ about }: { about: About }): JSX.Element {
  const words = about.persisted ? "The browser keeps your keys until you remove them." : "The browser may clear your keys when space is short.";
  return <li><div class="row"><div><b>{t("Storage")}</b><p>{t(words)}</p></div><span class="val">{t(about.persisted ? "kept" : "not kept")}</span></div></li>;
}

function ThisApp({ about }: { about: About }): JSX.Element {
  const host = about.origin.replace(/^https?:\/\//, "");
  return (
    <section class="group-start" aria-labelledby="ap">
      <h2 id="ap" class="over mb2">{t("This app")}</h2>
      <div class="panel">
        <dl class="facts"><dt>{t("Served by")}</dt><dd><b>{host}</b></dd><dt>{t("Build")}</dt><dd><code>{groups(about.build)}</code></dd></dl>
        <p class="small">{sentence("Compare the build with the one that {cmd} prints.", { cmd: <kbd>answerback doctor</kbd> })}</p>
      </div>
      <section class="why plain mt3" aria-labelledby="ws">
        <h2 id="ws">{t("Whose server is this?")}</h2>
        <p class="small">{t("Whoever serves this app could change it and sign with your key. Run {host} yourself, or serve the app from an origin that you trust.", { host })}</p>
      </section>
    </section>
  );
}

/** A newer build waits for the person's word. */
function Update(): JSX.Element | null {
  if (!newer.value) return null;
  return <section class="panel" aria-labelledby="nv"><h2 id="nv">{t("A new version is ready")}</h2><p class="small">{t("It loads when you say so, not before.")}</p><button type="button" class="btn" onClick={() => core().useNewVersion()}>{t("Load it now")}</button></section>;
}

export function Settings(): JSX.Element {
  const [about, setAbout] = useState<About>();
  useEffect(() => { core().about().then(setAbout).catch(() => undefined); }, []);
  return (
    <main id="main" class="page desk">
      <div><Title at="settings">{t("Settings")}</Title></div>
      <Update />
      <section aria-labelledby="la"><h2 id="la" class="over mb2">{t("This phone")}</h2><ul class="rows"><Language /><Notifications />{about && <Storage about={about} />}</ul></section>
      <Passkeys />
      {about && <ThisApp about={about} />}
      <ul class="rows group-start"><li><a class="row" href="#/pair"><div><b>{t("Pair another machine")}</b></div><Icon name="next" /></a></li></ul>
    </main>
  );
}
