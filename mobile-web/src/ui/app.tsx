// Which screen stands, by the address and by what is paired.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { CardPage } from "./card-page.tsx";
import { Empty, Home } from "./home.tsx";
import { History } from "./history.tsx";
import { Icon } from "./icons.tsx";
import { t } from "./i18n.ts";
import { MachinePage, Machines } from "./machine.tsx";
import { Title } from "./page.tsx";
import { Pair } from "./pair.tsx";
import { Rules } from "./rules.tsx";
import { Settings } from "./settings.tsx";
import { NewCall, Rail, Skip, Tabs, wide } from "./shell.tsx";
import { keyOf, machineOf, machines, open, waiting } from "./store.ts";
import { route } from "./route.ts";
import type { Waiting } from "../core/types.ts";

/** The pairing link that the app was opened with. It is in memory only. */
export const link = signal("");

function Gone(): JSX.Element {
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

interface ScreenProps { over(sheet: JSX.Element | null): void; home: Waiting | "gone" | undefined }

function HomeScreen({ over, home }: ScreenProps): JSX.Element {
  if (!wide.value) return <Home />;
  if (home === undefined) return <Empty />;
  return home === "gone" ? <Gone /> : <CardPage key={keyOf(home)} w={home} over={over} />;
}

function Screen({ over, home }: ScreenProps): JSX.Element {
  const at = route.value;
  switch (at.at) {
    case "home": return <HomeScreen over={over} home={home} />;
    case "card": { const w = named(); return w ? <CardPage key={keyOf(w)} w={w} over={over} /> : <Gone />; }
    case "history": return <History />;
    case "machines": return <Machines />;
    case "machine": { const m = machineOf(at.id); return m ? <MachinePage key={m.id} m={m} /> : <Machines />; }
    case "rules": { const m = machineOf(at.id); return m ? <Rules m={m} /> : <Machines />; }
    case "settings": return <Settings />;
    case "pair": return <Pair link={link} step={at.step} />; // App has shown it already; the switch is whole all the same
  }
}

function Wide({ over }: { over(sheet: JSX.Element | null): void }): JSX.Element {
  const first = useFirst(), shown = route.value.at === "home" ? first : named();
  return <><Rail shown={shown === undefined || shown === "gone" ? "" : keyOf(shown)} /><Screen over={over} home={first} /></>;
}

/** The whole app. Without a machine there is only pairing. */
export function App(): JSX.Element {
  const [sheet, setSheet] = useState<JSX.Element | null>(null);
  const at = route.value.at, pairing = at === "pair" || machines.value.length === 0;
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => { if (frame.current) frame.current.inert = sheet !== null; }, [sheet]);
  return (
    <>
      <Skip />
      <NewCall />
      <div class={pairing ? "app solo" : "app"} ref={frame}>
        {pairing ? <Pair link={link} step={at === "pair" && route.value.at === "pair" ? route.value.step : "start"} />
          : wide.value ? <Wide over={setSheet} /> : <><Screen over={setSheet} home={undefined} />{at !== "card" && <Tabs />}</>}
      </div>
      {sheet}
    </>
  );
}
