// The screens' entry. It speaks the person's language first, then shows what the core knows; a core that cannot start is a sentence, not
// a blank page.
import { effect } from "@preact/signals";
import { render, type JSX } from "preact";
import type { Core } from "../core/types.ts";
import { App, link } from "./app.tsx";
import { startClock } from "./clock.ts";
import { lang, speak, t } from "./i18n.ts";
import { Brand } from "./icons.tsx";
import { installed, mustInstall, onIOS } from "./platform.ts";
import { followNotifications } from "./opened.ts";
import { cardAddress, go, route, startRouter } from "./route.ts";
import { watchWidth } from "./shell.tsx";
import { bind, core, open } from "./store.ts";

/** Takes a pairing link out of the address: the fragment is the secret. A tab that must not use it leaves it where it is. */
function takeLink(): void {
  if (!/^\/p\/?$/i.test(location.pathname) || location.hash.length < 2 || location.hash.startsWith("#/")) return;
  link.value = location.href;
  if (!mustInstall()) history.replaceState(null, "", "/");
}

/** iOS opens the start page from a notification, whatever address it names: there the start is the card with the nearest deadline. */
function nearestOnIOS(): void {
  const first = open.value[0];
  if (first !== undefined && onIOS() && installed() && route.value.at === "home") go(cardAddress(first.machine, first.card.request_id));
}

function Broken(): JSX.Element {
  return (
    <div class="app solo"><main id="main" class="page">
      <div class="top"><Brand /></div>
      <div><h1 tabIndex={-1}>{t("Answerback cannot start here.")}</h1></div>
      <p>{t("This browser does not keep keys (private mode or Lockdown Mode), or its storage is full. Nothing was sent, and every call is asked at its machine’s own terminal.")}</p>
      <div class="bar plainbar"><button type="button" class="btn block" onClick={() => location.reload()}>{t("Try again")}</button></div>
    </main></div>
  );
}

/** Shows the app in `root`. Resolves when the first screen stands; never rejects. */
export async function start(create: () => Core | Promise<Core>, root: HTMLElement): Promise<void> {
  takeLink();
  await speak();
  try {
    bind(await create());
  } catch (why) {
    console.error(why);
    return render(<Broken />, root);
  }
  startClock();
  startRouter();
  followNotifications();
  effect(() => core().speaks(lang.value));
  if (link.value !== "") route.value = { at: "pair", step: "start" };
  nearestOnIOS();
  watchWidth();
  render(<App />, root);
}
