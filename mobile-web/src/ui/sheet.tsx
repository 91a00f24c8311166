// Deny with words. The page behind is inert; Back and Escape close the sheet; the quick words fill the box and send nothing.
import { useEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { Due } from "./due.tsx";
import { useGuard } from "./guard.ts";
import { t } from "./i18n.ts";
import { callerName } from "./names.ts";
import { keyOf } from "./store.ts";
import { Name, bytesOf } from "./text.tsx";
import type { Waiting } from "../core/types.ts";

const QUICK = ["Not now. Wait for me.", "Explain first why this is needed.", "Do a dry run first.", "Use a smaller step."] as const;

/** What an answer can carry (protocol: 4 KiB). */
const MOST = 4000;

/** The text cut to what can be sent, at the end of a character. */
function fit(text: string): string {
  let out = text;
  while (bytesOf(out) > MOST) out = [...out].slice(0, -1).join("");
  return out;
}

function toggle(words: string, quick: string): string {
  if (!words.includes(quick)) return fit(words.trim() === "" ? quick : `${words.trimEnd()} ${quick}`);
  return words.replace(quick, "").replace(/ {2,}/g, " ").trim();
}

/** Tab stays within the sheet. */
function trap(e: KeyboardEvent, sheet: HTMLElement | null): void {
  if (e.key !== "Tab" || sheet === null) return;
  const all = [...sheet.querySelectorAll<HTMLElement>("button, textarea")], first = all[0], last = all[all.length - 1];
  const from = document.activeElement;
  if (e.shiftKey && (from === first || from === sheet.querySelector("h2"))) { e.preventDefault(); last?.focus(); }
  else if (!e.shiftKey && from === last) { e.preventDefault(); first?.focus(); }
}

export function DenySheet({ w, close, deny }: { w: Waiting; close(): void; deny(words: string): void }): JSX.Element {
  const [words, setWords] = useState("");
  const sheet = useRef<HTMLDivElement>(null), head = useRef<HTMLHeadingElement>(null);
  const guard = useGuard(`${keyOf(w)} why`);
  useEffect(() => { head.current?.focus(); }, []);
  const onKeyDown = (e: KeyboardEvent) => { if (e.key === "Escape") { e.preventDefault(); close(); } else trap(e, sheet.current); };
  return (
    <div class="scrim">
      <div class="sheet" role="dialog" aria-modal="true" aria-labelledby="ds" ref={sheet} onKeyDown={onKeyDown}>
        <div class="sheet-head"><h2 id="ds" tabIndex={-1} ref={head}>{t("Deny and say why")}</h2><button type="button" class="btn plain" onClick={close}>{t("Back")}</button></div>
        <Quick words={words} set={setWords} />
        <div class="field">
          <label for="dw">{says(w)}</label>
          <textarea id="dw" rows={3} value={words} onInput={(e) => setWords(fit(e.currentTarget.value))} />
          <p class="label">{t("{host} adds: “A person refused this call. Do not look for another way round.”", { host: w.card.host })}</p>
        </div>
        <Due w={w} />
        <div class="send" data-guard={guard.on || undefined} {...guard.around}>
          <button type="button" class="btn fill block big" onClick={() => deny(words.trim())}>{t("Deny")}</button>
        </div>
      </div>
    </div>
  );
}

const says = (w: Waiting): JSX.Element => <Name text={t("{caller} reads", { caller: callerName(w.card.caller) })} />;

function Quick({ words, set }: { words: string; set(next: string): void }): JSX.Element {
  return (
    <div>
      <p class="label mb2" id="ql">{t("Quick words: a tap puts them in the box")}</p>
      <div class="quick" role="group" aria-labelledby="ql">
        {QUICK.map((q) => <button type="button" class="btn" aria-pressed={words.includes(t(q))} onClick={() => set(toggle(words, t(q)))}>{t(q)}</button>)}
      </div>
    </div>
  );
}
