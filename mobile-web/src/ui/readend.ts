// Read to the end: Allow opens when the slip's last line has been on screen for 600 ms. What was read stays read when the person
// comes back; a new card starts at nothing. Geometry, not events, decides: what the bar covers is not on screen.
import { useEffect, useRef, useState } from "preact/hooks";

const LOOK_MS = 600;

export interface Reading {
  /** The last line was on screen long enough. */
  done: boolean;
  /** The end was not on screen when the card opened, so progress is said. */
  long: boolean;
  /** The furthest line read, and all lines. */
  line: number;
  lines: number;
}

const kept = new Map<string, Reading>();
const nothing = (lines: number): Reading => ({ done: false, long: false, line: 0, lines });

/** The window between its top and the bar, in client coordinates. */
function sight(bar: Element | null): { top: number; bottom: number } {
  const view = window.visualViewport;
  const top = view?.offsetTop ?? 0, bottom = top + (view?.height ?? innerHeight);
  return { top, bottom: bar === null ? bottom : Math.min(bottom, Math.max(bar.getBoundingClientRect().top, top)) };
}

function inSight(end: Element, top: number, bottom: number): boolean {
  const at = end.getBoundingClientRect().top;
  return !document.hidden && at <= bottom + 1 && at >= top;
}

/** The last of the ordered elements whose end is above `bottom`, counted from 1. */
function reached(lines: NodeListOf<Element>, bottom: number): number {
  let low = 0, high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.getBoundingClientRect().bottom <= bottom + 1) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Follows the reading of one slip. `slip` is the element whose `[data-line]` children are the lines, its `[data-end]` the end of all that
 * has to be read; `bar` covers the window's foot.
 */
export function useReading(key: string, slip: () => Element | null, bar: () => Element | null): Reading {
  const [state, set] = useState<Reading>(() => kept.get(key) ?? nothing(0));
  const mine = useRef(key);
  useEffect(() => {
    mine.current = key;
    set(kept.get(key) ?? nothing(0));
    return follow(slip, bar, kept.get(key), (next) => { kept.set(key, next); if (mine.current === key) set(next); });
  }, [key]);
  return state;
}

function follow(slip: () => Element | null, bar: () => Element | null, was: Reading | undefined, tell: (r: Reading) => void): () => void {
  let now = was ?? nothing(0), timer: ReturnType<typeof setTimeout> | undefined, frame = 0, first = was === undefined;
  const change = (next: Partial<Reading>) => { now = { ...now, ...next }; tell(now); };
  /** The time is over: still in sight? What lies above may have been laid out anew meanwhile, which tells no event. */
  const again = () => {
    timer = undefined;
    const { top, bottom } = sight(bar()), end = slip()?.querySelector("[data-end]");
    if (end != null && inSight(end, top, bottom)) change({ done: true, line: now.lines });
    else look();
  };
  const look = () => {
    frame = 0;
    const paper = slip(), end = paper?.querySelector("[data-end]");
    if (now.done || paper == null || end == null) return;
    const { top, bottom } = sight(bar()), seen = inSight(end, top, bottom);
    const lines = paper.querySelectorAll("[data-line]"), line = Math.max(now.line, reached(lines, bottom));
    if (first || line !== now.line) change({ line, lines: lines.length, long: now.long || (first && !seen) });
    first = false;
    if (!seen) { clearTimeout(timer); timer = undefined; }
    else timer ??= setTimeout(again, LOOK_MS);
  };
  const soon = () => { frame ||= requestAnimationFrame(look); };
  look();
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  document.addEventListener("visibilitychange", soon);
  window.visualViewport?.addEventListener("resize", soon);
  window.visualViewport?.addEventListener("scroll", soon);
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    removeEventListener("scroll", soon);
    removeEventListener("resize", soon);
    document.removeEventListener("visibilitychange", soon);
    window.visualViewport?.removeEventListener("resize", soon);
    window.visualViewport?.removeEventListener("scroll", soon);
  };
}
