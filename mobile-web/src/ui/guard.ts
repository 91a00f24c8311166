// The guard: for 600 ms after a card appears, after something above its buttons changes size, or after the window scrolls by itself,
// the buttons are shown and do not listen. A finger that came down in that time voids its whole tap, Deny too.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export const GUARD_MS = 600;

/** Scrolling belongs to the person while a hand is at work, and as long as it runs on from there. */
const HAND_MS = 250;
let hand = 0; // the last input, or the last scroll that went on from one
const touch = (): void => { hand = performance.now(); };
for (const name of ["wheel", "touchstart", "touchmove", "touchend", "keydown", "pointerdown", "pointerup"]) addEventListener(name, touch, { passive: true, capture: true });

/** True for a scroll that no hand made. */
function byItself(): boolean {
  const now = performance.now();
  if (now - hand > HAND_MS) return true;
  hand = now;
  return false;
}

export interface Guard {
  /** Buttons do not listen now. */
  on: boolean;
  /** Starts the 600 ms again: something appeared or moved. */
  raise(): void;
  /** Handlers for the element around the buttons, in the capture phase. */
  around: { onPointerDownCapture(): void; onClickCapture(e: Event): void };
}

/**
 * A guard that rises at once, whenever `key` changes, when what `around()` holds changes its height, and when the window scrolls by itself.
 * A bar at the end of that element does not count: it grows upwards, and its buttons stay.
 */
export function useGuard(key: string, around?: () => Element | null): Guard {
  const [on, setOn] = useState(true);
  const until = useRef(performance.now() + GUARD_MS);
  const voided = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const raise = useCallback(() => {
    until.current = performance.now() + GUARD_MS;
    setOn(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOn(false), GUARD_MS);
  }, []);

  useEffect(() => { raise(); return () => clearTimeout(timer.current); }, [key]);
  useEffect(() => {
    const onScroll = () => { if (byItself()) raise(); };
    addEventListener("scroll", onScroll, { passive: true });
    return () => removeEventListener("scroll", onScroll);
  }, []);
  useEffect(() => watchHeight(around?.() ?? null, raise), [key]);

  const guarded = () => performance.now() < until.current;
  return {
    on, raise,
    around: {
      onPointerDownCapture() { voided.current = guarded(); },
      onClickCapture(e) {
        if (!voided.current && !guarded()) return;
        e.preventDefault();
        e.stopPropagation();
        voided.current = false;
      },
    },
  };
}

/** From the element's top to the end of the last of its parts that is no bar. */
function heightOf(element: Element): number {
  const parts = [...element.children].filter((e) => !e.classList.contains("bar")), last = parts[parts.length - 1] ?? element;
  return last.getBoundingClientRect().bottom - element.getBoundingClientRect().top;
}

function watchHeight(element: Element | null, changed: () => void): () => void {
  if (element === null) return () => undefined;
  let height = heightOf(element);
  const observer = new ResizeObserver(() => {
    const now = heightOf(element);
    if (Math.abs(now - height) >= 1) changed();
    height = now;
  });
  for (const part of [element, ...element.children]) observer.observe(part);
  return () => observer.disconnect();
}
