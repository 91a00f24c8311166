// Which screen stands, by the address and by what is paired.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CardPage, type Over } from "./card-page.tsx";
import { Empty, Home } from "./home.tsx";
import { Icon } from "./icons.tsx";
import { t } from "./i18n.ts";
import { Title } from "./page.tsx";
import { History, MachinePage, Machines, Pair, Rules, Settings } from "./parts.ts";
import { NewCall, Rail, Skip, Tabs, wide } from "./shell.tsx";
import { keyOf, machineOf, machines, open, waiting } from "./store.ts";
import { route } from "./route.ts";
import type { Waiting } from "../core/types.ts";

/** The pairing link that the app was opened with. It is in memory only. */
export const link = signal("");

/** How long a card that a notification named may take to come. */
const COMING = 3000;

/** No such card. Right after the app was opened for one it may still come: its machine has to be asked first. */
function Gone({ of }: { of?: string }): JSX.Element {
  const [coming, setComing] = useState(of !== undefined && machineOf(of) !== undefined);
  useEffect(() => {
    const over = setTimeout(() => setComing(false), COMING);
    return () => clearTimeout(over);
  }, []);
  if (coming) return <main id="main" class="page desk"><div class="empty"><Title at="coming">{t("Looking for the machine")}</Title></div></main>;
  return (
    <main id="main" class="page desk">
      <div class="top narrow"><a class="back narrow" href="#/"><Icon name="back" />{t("Waiting")}</a></div>
      <div class="empty"><Title at="gone">{t("This call no longer waits.")}</Title><p class="small">{t("How it ended is in the history.")}</p></div>
    </main>
  );
}

/** From 900 px home is the first card of this visit; it stays, also as a receipt, until another is chosen or home is left. */
function useFirst(): Waiting | "gone" | undefined {
  const first = useRef<string | undefined>(undefined);
  if (route.value.at !== "home") first.current = undefined;
  else first.current ??= open.value[0] && keyOf(open.value[0]);
  return first.current === undefined ? undefined : waiting.value.find((w) => keyOf(w) === first.current) ?? "gone";
}

/** The card that the address names. */
function named(): Waiting | undefined {
  const at = route.value;
  return at.at === "card" ? waiting.value.find((w) => w.machine === at.machine && w.card.request_id === at.id) : undefined;
}

interface ScreenProps { over: Over; home: Waiting | "gone" | undefined }

function HomeScreen({ over, home }: ScreenProps): JSX.Element {
  if (!wide.value) return <Home />;
  if (home === undefined) return <Empty />;
  return home === "gone" ? <Gone /> : <CardPage key={keyOf(home)} w={home} over={over} />;
}

function Screen({ over, home }: ScreenProps): JSX.Element {
  const at = route.value;
  switch (at.at) {
    case "home": return <HomeScreen over={over} home={home} />;
    case "card": { const w = named(); return w ? <CardPage key={keyOf(w)} w={w} over={over} /> : <Gone of={at.machine} />; }
    case "history": return <History />;
    case "machines": return <Machines />;
    case "machine": { const m = machineOf(at.id); return m ? <MachinePage key={m.id} m={m} /> : <Machines />; }
    case "rules": { const m = machineOf(at.id); return m ? <Rules m={m} /> : <Machines />; }
    case "settings": return <Settings />;
    case "pair": return <Pair link={link} step={at.step} />; // App has shown it already; the switch is whole all the same
  }
}

function Wide({ over }: { over: Over }): JSX.Element {
  const first = useFirst(), shown = route.value.at === "home" ? first : named();
  return <><Rail shown={shown === undefined || shown === "gone" ? "" : keyOf(shown)} /><Screen over={over} home={first} /></>;
}

/** The sheet over the app, if any. While it stands the app is inert; then the focus goes back to what opened it. */
function useOver(): { sheet: JSX.Element | null; over: Over; frame: { current: HTMLDivElement | null } } {
  const [sheet, setSheet] = useState<JSX.Element | null>(null);
  const frame = useRef<HTMLDivElement>(null), opener = useRef<HTMLElement | null>(null);
  const over = useCallback<Over>((next, from) => { if (next !== null) opener.current = from.current; setSheet(next); }, []);
  useLayoutEffect(() => {
    if (frame.current) frame.current.inert = sheet !== null;
    if (sheet !== null) return;
    opener.current?.focus();
    opener.current = null;
  }, [sheet === null]);
  return { sheet, over, frame };
}

/** The whole app. Without a machine there is only pairing. */
export function App(): JSX.Element {
  const { sheet, over, frame } = useOver();
  const at = route.value, pairing = at.at === "pair" || machines.value.length === 0;
  return (
    <>
      <Skip />
      <NewCall />
      <div class={pairing ? "app solo" : "app"} ref={frame}>
        {pairing ? <Pair link={link} step={at.at === "pair" ? at.step : "start"} />
          : wide.value ? <Wide over={over} /> : <><Screen over={over} home={undefined} />{at.at !== "card" && <Tabs />}</>}
      </div>
      {sheet}
    </>
  );
}
