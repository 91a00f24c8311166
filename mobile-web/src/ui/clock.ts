// Time on the screens. A machine's times are by the machine's clock: what is left is reckoned with its offset, and a deadline is
// said by this phone's clock, so that it agrees with the status bar. What a machine stamped keeps the machine's own time.
import { signal } from "@preact/signals";
import { lang, t } from "./i18n.ts";

/** This phone's clock, once a second while the page is in sight. */
export const tick = signal(Date.now());

/** Starts the clock; returns its stop. */
export function startClock(): () => void {
  const beat = () => { if (!document.hidden) tick.value = Date.now(); };
  const timer = setInterval(beat, 1000);
  document.addEventListener("visibilitychange", beat);
  return () => { clearInterval(timer); document.removeEventListener("visibilitychange", beat); };
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(ms: number, options: Intl.DateTimeFormatOptions): string {
  const key = lang.value + JSON.stringify(options);
  const made = formats.get(key) ?? new Intl.DateTimeFormat(lang.value, options);
  formats.set(key, made);
  return made.format(ms);
}

/** 14:03 */
export const hour = (ms: number): string => format(ms, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
/** 14:02:07 */
export const second = (ms: number): string => format(ms, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
/** 12 Nov */
export const date = (ms: number): string => format(ms, { day: "numeric", month: "short" });

/** Days between two moments by this phone's calendar. */
export function daysAgo(ms: number, now: number): number {
  const noon = (at: number) => new Date(at).setHours(12, 0, 0, 0);
  return Math.round((noon(now) - noon(ms)) / 86_400_000);
}

/** now, 2 min ago, 3 h ago, yesterday, 12 Nov */
export function ago(ms: number, now: number): string {
  const minutes = Math.floor((now - ms) / 60_000);
  if (minutes < 1) return t("now");
  if (minutes < 60) return t("{n} min ago", { n: minutes });
  const days = daysAgo(ms, now);
  if (days < 1 || minutes < 12 * 60) return t("{n} h ago", { n: Math.floor(minutes / 60) });
  return days === 1 ? t("yesterday") : date(ms);
}

/** What is left, in words that change seldom: whole minutes, then about one, then a few seconds. */
export function left(ms: number): string {
  if (ms < 20_000) return t("a few seconds left");
  if (ms < 120_000) return t("about 1 min left");
  return t("{n} min left", { n: Math.floor(ms / 60_000) });
}

/** "until 14:03", with the date when it is not today. */
export function until(ms: number, now: number): string {
  return t("until {time}", { time: daysAgo(ms, now) === 0 ? hour(ms) : `${date(ms)} ${hour(ms)}` });
}
